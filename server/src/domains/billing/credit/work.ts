import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { accountsAtOnce, linksAtOnce, tailAfterMs } from '../facts.ts';
import { lockAccount } from '../ladder/store.ts';
import { enter } from '../ledger-store.ts';
import { closesAt } from './burn.ts';
import { countCredit } from './count.ts';
import { listDue, markExpired, readNow } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
}

/** Counts the grants of one account, and takes back what is left of those that have expired. Answers how many did. */
export const makeExpireCredit =
  ({ db, begin, ids }: Parts) =>
  async (organizationId: string): Promise<number> => {
    const act = begin('billing.count_credit', { correlationId: ids.next(), organizationId });
    const written = await db.write(act, async (tx) => {
      await lockAccount(tx, organizationId);
      const [now, grants] = [await readNow(tx), await countCredit(tx, organizationId)];
      const expired = grants.filter(
        ({ left, expiresAt }) => left > 0n && expiresAt !== null && closesAt(expiresAt) <= now,
      );
      for (const { id, left } of expired) {
        const reason = 'The credit has expired.';
        const entry = { id: ids.next(), organizationId, kind: 'correction', amount: -left, corrects: id } as const;
        await enter(tx, { ...entry, against: 'grants', reason }, act);
        await markExpired(tx, organizationId, id);
      }
      return tx.commit(expired.length, {
        target: { type: 'billing_account', id: organizationId },
        organizationId,
        change: { expired: expired.map(({ id, left }) => ({ id, amount_minor: left.toString() })) },
        events: 'none',
      });
    });
    return written instanceof Fault ? 0 : written.value;
  };

export function makeCredit(
  parts: Parts & { readonly clock: Clock; readonly log: Log; readonly metrics: Metrics },
): Reconciler {
  const expire = makeExpireCredit(parts);
  const apart = makeApart('billing-credit', parts);
  const expired = parts.metrics.counter('gpuaas_billing_credit_expired_total', 'Grants that expired unused.', []);
  return {
    name: 'billing-credit',
    async round() {
      const viewer = systemViewer('billing-worker', { correlationId: parts.ids.next() });
      const due = await parts.db.read(viewer, (tx) =>
        listDue(tx, { settleMs: tailAfterMs, links: linksAtOnce, limit: accountsAtOnce }),
      );
      for (const organizationId of due) {
        await apart({ organization_id: organizationId }, async () => {
          for (let count = await expire(organizationId); count > 0; count -= 1) expired.inc();
        });
      }
      return due.length === accountsAtOnce ? 'more' : 'idle';
    },
  };
}
