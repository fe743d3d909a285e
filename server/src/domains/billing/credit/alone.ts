import type { WriteTx } from '../../../kernel/act.ts';
import type { Policies } from '../../policy/index.ts';
import { lockGiver, readGivenAlone, readGivenToAll } from './store.ts';

/** The limit that an amount of credit goes beyond, with what one person gave alone within a day; undefined within the limits. */
export interface Beyond {
  readonly policy: 'billing.grant_limit_minor' | 'billing.grant_total_limit_minor';
  readonly limit: bigint;
}

/**
 * Whether one person may give this alone: many small grants are one large one, in one account and over all of them. Grants of one
 * person wait for each other here, so that each sees what the others gave.
 */
export async function isBeyondAlone(
  tx: WriteTx,
  policies: Policies,
  wish: {
    readonly organizationId: string;
    readonly actorId: string;
    readonly amount: bigint;
    readonly currency: string;
  },
): Promise<Beyond | undefined> {
  const { organizationId, actorId, amount, currency } = wish;
  await lockGiver(tx, actorId);
  const beyond = (policy: Beyond['policy'], limit: bigint, given: bigint): Beyond | undefined =>
    amount + given > limit ? { policy, limit } : undefined;
  const [ofOne, ofAll] = [
    BigInt(policies.number('billing.grant_limit_minor', { organizationId })),
    BigInt(policies.number('billing.grant_total_limit_minor')),
  ];
  return (
    beyond('billing.grant_limit_minor', ofOne, await readGivenAlone(tx, organizationId, actorId)) ??
    beyond('billing.grant_total_limit_minor', ofAll, await readGivenToAll(tx, actorId, currency))
  );
}
