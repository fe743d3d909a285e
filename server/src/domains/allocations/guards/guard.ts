import type { DeclaredEvent } from '@gpuaas/contract';
import { type BeginAct, type ReadTx, systemViewer, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { makeApart } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { guardBatch } from '../facts.ts';
import type { LifeParts } from '../life/parts.ts';

export interface GuardParts extends Pick<LifeParts, 'db' | 'ids' | 'clock' | 'tasks'> {
  readonly begin: BeginAct;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly policies: {
    maxReleaseAttempts(): number;
    /** How long a node may be silent before its allocations fail; 0 when silence ends nothing. */
    lostAfterSeconds(): number;
    /** An older report says nothing about the present. */
    reportSeconds(): number;
    /** A GPU at or below this many percent is idle. */
    idlePercent(): number;
    /** Between the warning and the release. */
    idleGraceMinutes(): number;
  };
}

export const look = <T>({ db, ids }: GuardParts, work: (tx: ReadTx) => Promise<T>): Promise<T> =>
  db.read(systemViewer('allocation-guards', { correlationId: ids.next() }), work);

export const ago = ({ clock }: GuardParts, ms: number): Date => new Date(clock.now().getTime() - ms);

/** Runs one transition of one allocation as one audited act. False when another caller moved the allocation first. */
export async function changeAllocation(
  parts: GuardParts,
  id: string,
  action: `${string}.${string}`,
  transition: (
    tx: WriteTx,
    correlationId: string,
  ) => Promise<
    | {
        readonly moved: { from: string; to: string; organizationId: string; projectId: string };
        readonly events: readonly DeclaredEvent[];
      }
    | Fault
    | undefined
  >,
): Promise<boolean> {
  const correlationId = parts.ids.next();
  const outcome = await parts.db.write(parts.begin(action, { correlationId }), async (tx) => {
    const done = await transition(tx, correlationId);
    if (!done) return tx.abandon(new Fault('allocation_not_found', 'It is gone.'));
    if (done instanceof Fault) return tx.abandon(done);
    return tx.commit(undefined, {
      target: { type: 'allocation', id },
      change: { state: [done.moved.from, done.moved.to] },
      organizationId: done.moved.organizationId,
      projectId: done.moved.projectId,
      events: done.events,
    });
  });
  return !(outcome instanceof Fault);
}

/** Works through all rows, page by page. A row that fails is logged and counted; the others still get their turn. */
export async function eachOf<R extends { readonly id: string }>(
  parts: GuardParts,
  name: string,
  page: (after: string | undefined) => Promise<readonly R[]>,
  work: (row: R) => Promise<unknown>,
): Promise<'idle'> {
  const apart = makeApart(name, parts);
  for (let after: string | undefined; ; ) {
    const rows = await page(after);
    for (const row of rows) await apart({ allocation: row.id }, () => work(row));
    after = rows.at(-1)?.id;
    if (rows.length < guardBatch) return 'idle';
  }
}
