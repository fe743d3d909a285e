import type { WriteTx } from '../../../kernel/act.ts';
import type { Policies } from '../../policy/index.ts';
import { lockGiver } from '../credit/store.ts';
import { readAlone, readAloneInAll } from './store.ts';

/** The limit that a correction goes beyond, with what one person corrected alone within a day; undefined within the limits. */
export interface BeyondCorrections {
  readonly policy: 'billing.adjustment_limit_minor' | 'billing.adjustment_total_limit_minor';
  readonly limit: bigint;
}

/**
 * Whether one person may correct this alone, or give it back as credit: many small corrections are one large one, in one account and over
 * all of them. Those of one person wait for each other here, so that each sees what the others gave.
 */
export async function isBeyondCorrections(
  tx: WriteTx,
  policies: Pick<Policies, 'number'>,
  wish: {
    readonly organizationId: string;
    readonly actorId: string;
    /** Without its sign. */
    readonly amount: bigint;
    readonly currency: string;
  },
): Promise<BeyondCorrections | undefined> {
  const { organizationId, actorId, amount, currency } = wish;
  await lockGiver(tx, actorId);
  const beyond = (policy: BeyondCorrections['policy'], limit: bigint, alone: bigint): BeyondCorrections | undefined =>
    amount + alone > limit ? { policy, limit } : undefined;
  const [ofOne, ofAll] = [
    BigInt(policies.number('billing.adjustment_limit_minor', { organizationId })),
    BigInt(policies.number('billing.adjustment_total_limit_minor')),
  ];
  return (
    beyond('billing.adjustment_limit_minor', ofOne, await readAlone(tx, organizationId, actorId)) ??
    beyond('billing.adjustment_total_limit_minor', ofAll, await readAloneInAll(tx, actorId, currency))
  );
}
