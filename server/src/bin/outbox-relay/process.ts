import { Type } from 'typebox';
import { makeSealing } from '../../domains/audit/index.ts';
import { startHistory } from '../../domains/history/index.ts';
import { makeOutbox } from '../../domains/outbox/index.ts';
import { openPolicies } from '../../domains/policy/index.ts';
import { actsOf } from '../../kernel/act.ts';
import { showLease } from '../../kernel/process/lease.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import { defineProcess } from '../../ports/open.ts';

const housekeepingEveryMs = 10 * 60_000;
const sealEveryMs = 5_000;
// A sealing writes, and the relay waits for open writes: few large ones delay it less than many small ones.
const sealRestMs = 250;
const staleAfterMs = 30_000;

export const outboxRelay = defineProcess({
  name: 'outbox-relay',
  summary: 'Carries committed events to the bus; keeps what could not be delivered; archives old history.',
  needs: ['database', 'bus', 'objects'],
  config: Type.Object({}),
  async start({ database, bus, objects, clock, ids, log, metrics, scope }) {
    const policies = scope.keep(
      'policies',
      await openPolicies({ ...database, db: database.database, ids, clock, log }),
    );
    const begin = actsOf('outbox-relay', ids);
    const outbox = makeOutbox({
      db: database.database,
      outbox: database.outbox,
      replies: database.replies,
      bus,
      begin,
      policy: policies.number,
      clock,
      ids,
      log,
      metrics,
    });
    const relay = scope.keep('relay', await outbox.startRelay());
    scope.ready('relay', async () => {
      const lastGoodAt = relay.lastGoodAt();
      // One that waits for the lead is fine, also when it led before: another one is at work.
      if (!relay.waiting() && lastGoodAt && clock.now().getTime() - lastGoodAt.getTime() > staleAfterMs) {
        throw new Error(`nothing was published since ${lastGoodAt.toISOString()}`);
      }
    });
    // Whatever commits an event wakes the sealing too; rows without one wait for the timer.
    const sealing = scope.keep(
      'audit-sealing',
      startReconciler(makeSealing(database.sealer), { clock, log, everyMs: sealEveryMs, restMs: sealRestMs }),
    );
    scope.keep('sealing wake-up', await database.outbox.onCommit(sealing.wake));
    const lease = scope.keep('lease', await database.leases.hold('outbox-relay'));
    showLease(lease, metrics);
    const parts = { db: database.database, begin, objects, ids, clock, log, metrics, lease, policies };
    scope.keep('history', startHistory(parts));
    scope.keep(
      'housekeeping',
      startReconciler(outbox.housekeeping, { clock, log, lease, everyMs: housekeepingEveryMs }),
    );
  },
});
