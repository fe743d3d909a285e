import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Saga } from '../../../kernel/saga.ts';
import type { Sagas } from '../../../ports/sagas/port.ts';
import type { TaskAnswer } from '../../nodes/index.ts';
import { jobsAtOnce } from '../facts.ts';
import { advanceJob } from '../machine.ts';
import type { OfJob } from '../sagas/parts.ts';
import type { NewJob } from '../store.ts';
import { listDue, listRunning, listUnanswered, markAnswered } from './store.ts';

export type MaasSagas = Readonly<Record<NewJob['kind'], Saga<OfJob>>>;

/**
 * Begins queued jobs, up to the limit of each site, and answers the runs that wait for a job. A run has the id of its job, so
 * starting it twice is harmless, and a job whose process died is started again.
 */
export const makeMaasJobs = (parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly sagas: Pick<Sagas, 'start' | 'answer'>;
  readonly served: MaasSagas;
}): Reconciler => ({
  name: 'maas-jobs',
  async round() {
    const { db, ids, sagas } = parts;
    const viewer = systemViewer('maas', { correlationId: ids.next() });
    const [due, ended] = await db.read(viewer, async (tx) => [
      await listDue(tx, jobsAtOnce),
      await listUnanswered(tx, jobsAtOnce),
    ]);
    if (due.length > 0) await beginJobs(parts, due);
    const running = await db.read(viewer, (tx) => listRunning(tx, jobsAtOnce));
    for (const { id, kind } of running) {
      const origin = { correlationId: id, traceparent: undefined, organizationId: undefined, projectId: undefined };
      await sagas.start(parts.served[kind], id, { jobId: id }, origin);
    }
    for (const job of ended) await sagas.answer(job.answer_token ?? '', answerFor(job));
    if (ended.length > 0) {
      await db.write(parts.begin('maas_job.answer', { correlationId: ids.next() }), async (tx) => {
        const jobs = await markAnswered(
          tx,
          ended.map(({ id }) => id),
        );
        return tx.commit(undefined, { target: { type: 'maas_job', id: 'many' }, change: { jobs }, events: 'none' });
      });
    }
    return 'idle';
  },
});

async function beginJobs(
  parts: { readonly db: Database; readonly begin: BeginAct; readonly ids: Ids },
  due: readonly string[],
): Promise<void> {
  await parts.db.write(parts.begin('maas_job.begin', { correlationId: parts.ids.next() }), async (tx) => {
    for (const id of due) {
      const moved = await advanceJob(tx, id, 'begin', { phase: 'begun' });
      if (moved instanceof Fault) return tx.abandon(moved);
    }
    return tx.commit(undefined, { target: { type: 'maas_job', id: 'many' }, change: { begun: due }, events: 'none' });
  });
}

/** In the form of a result of a node: the waiting run handles one kind of proof, from MAAS or from the agent. */
export const answerFor = (job: {
  readonly id: string;
  readonly state: string;
  readonly problem: string | null;
}): TaskAnswer =>
  job.state === 'succeeded'
    ? {
        task_id: job.id,
        outcome: 'succeeded',
        output: {
          reimaged: {
            passed: true,
            detail: 'MAAS erased and deployed the host, which enrolled with the token of that deployment.',
          },
        },
        signed_result: null,
      }
    : {
        task_id: job.id,
        outcome: 'failed',
        failure: { code: 'reimage_failed', message: job.problem ?? 'MAAS did not deploy it.' },
        signed_result: null,
      };
