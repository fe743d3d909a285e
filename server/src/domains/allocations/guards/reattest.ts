import { type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { minuteMs } from '../../../kernel/units.ts';
import { guardBatch } from '../facts.ts';
import type { OfLease } from '../life/parts.ts';
import { listUnattested, type UnattestedRow } from './guards-store.ts';

/** Begins an attestation of every active allocation whose last one is older than the policy allows. */
export const makeReattest = (parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly everyMinutes: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Begins the saga. The same run name begins it once. */
  readonly begin: (run: string, lease: OfLease, of: UnattestedRow) => Promise<void>;
}): Reconciler => ({
  name: 'allocation-reattest',
  async round() {
    const { clock } = parts;
    const apart = makeApart('allocation-reattest', parts);
    const since = new Date(clock.now().getTime() - parts.everyMinutes() * minuteMs);
    const viewer = systemViewer('allocation-guards', { correlationId: parts.ids.next() });
    const due = await parts.db.read(viewer, (tx) => listUnattested(tx, since, guardBatch));
    for (const row of due) {
      // Named after the attestation that is too old: two processes that find it due begin one run.
      const run = `${row.id}.${row.generation}.${row.last_at?.getTime() ?? 0}`;
      await apart({ allocation: row.id }, () =>
        parts.begin(run, { allocationId: row.id, generation: Number(row.generation) }, row),
      );
    }
    return 'idle';
  },
});
