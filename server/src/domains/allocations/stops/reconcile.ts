import { provisioningStarted, provisioningStopped } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import type { Tasks } from '../../nodes/index.ts';
import { guardBatch, startTries } from '../facts.ts';
import { expectationOf, holdLeased, type LeasedAllocation } from '../life/leased.ts';
import { noteAllocation } from '../life/machine.ts';
import type { LifeParts } from '../life/parts.ts';
import { decideStop, type StopStep } from './decide.ts';
import { countStops, findStop, listStopsDue, type StopRow, setStopPhase } from './store.ts';

/** What its owner reads; what the node said is in its tasks, for operators. */
const whyStopped = `The balance lasts again, but the machine did not start in ${startTries} tries, so it stays stopped with its disk. Nothing is charged while it is stopped. Ask the operators, or release it.`;

interface Parts extends Pick<LifeParts, 'taskSeconds' | 'graceSeconds'> {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly tasks: Pick<Tasks, 'queueTask'>;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Stops the machines of organizations whose balance is spent, and starts them again after a top-up. It takes no orders: it compares
 * where each machine is with where the ladder of its organization wants it, so a lost event, a crash or a top-up in the middle of a
 * stop leads to the same end.
 */
export function makeStops(parts: Parts): Reconciler {
  const { db, ids } = parts;
  const apart = makeApart('allocation-stops', parts);
  const viewer = () => systemViewer('allocation-stops', { correlationId: ids.next() });
  showStops(parts);
  return {
    name: 'allocation-stops',
    async round() {
      for (let after: string | undefined; ; ) {
        const due = await db.read(viewer(), (tx) => listStopsDue(tx, after, guardBatch));
        for (const { id } of due) await apart({ allocation: id }, () => stepMachine(parts, id));
        after = due.at(-1)?.id;
        if (due.length < guardBatch) return 'idle';
      }
    },
  };
}

/** One machine, one step, in a transaction that holds its allocation: a release waits for it or goes before it. */
async function stepMachine(parts: Parts, id: string): Promise<void> {
  const correlationId = parts.ids.next();
  await parts.db.write(parts.begin('allocation.stop', { correlationId }), async (tx) => {
    const leased = await holdLeased(tx, id);
    const row = leased?.state === 'active' ? await findStop(tx, id) : undefined;
    const step = row && decideStop(standingOf(row));
    if (!leased || !row || !step) return tx.abandon(new Fault('resource_not_found', 'Nothing was due.'));
    const taskId = await queueFor(tx, parts, leased, step, correlationId);
    const gaveUpFor = step.do === 'forget' ? null : step.do === 'ask' && step.givesUp ? whyStopped : row.gave_up;
    if (step.phase !== row.stop_phase || gaveUpFor !== row.gave_up) await setStopPhase(tx, id, step.phase, gaveUpFor);
    if (step.do === 'note') {
      const name = step.phase === 'stopped' ? 'machine_stopped' : 'machine_started';
      await noteAllocation(tx, id, { ids: parts.ids, correlationId, kind: 'note', name });
    }
    return tx.commit(undefined, {
      target: { type: 'allocation', id },
      organizationId: leased.organizationId,
      projectId: leased.projectId,
      change: { stop: [row.stop_phase, step.phase], ...(taskId !== undefined && { task_id: taskId }) },
      events: step.do === 'note' ? [eventOf(leased, step, row.now)] : 'none',
    });
  });
}

const standingOf = (row: StopRow) => ({
  now: row.now,
  phase: row.stop_phase,
  wanted: row.to_stop ? ('stopped' as const) : ('running' as const),
  task:
    row.task_type && row.task_state && row.task_ended_at
      ? { type: row.task_type, state: row.task_state, endedAt: row.task_ended_at }
      : undefined,
  failedStarts: row.failed_starts,
  gaveUp: row.gave_up !== null,
});

/** The task that belongs to a step. A machine that has started is sent the keys and authorities of this moment: some may have changed meanwhile. */
const queueFor = async (tx: WriteTx, parts: Parts, leased: LeasedAllocation, step: StopStep, correlationId: string) =>
  step.do === 'ask'
    ? ask(tx, parts, leased, step.type, correlationId)
    : step.do === 'note' && step.phase === null
      ? ask(tx, parts, leased, 'allocation.install_authorized_keys', correlationId)
      : undefined;

async function ask(
  tx: WriteTx,
  parts: Parts,
  leased: LeasedAllocation,
  type: 'allocation.stop' | 'allocation.start' | 'allocation.install_authorized_keys',
  correlationId: string,
): Promise<string> {
  const order = { allocation_id: leased.id, login: leased.login };
  const keys = { authorized_keys: [...new Set(leased.keys)] };
  const common = {
    ...{ nodeId: leased.nodeId, generation: leased.generation, correlationId },
    allocation: { id: leased.id, organizationId: leased.organizationId },
  };
  const taskId =
    type === 'allocation.stop'
      ? await parts.tasks.queueTask(tx, {
          ...{ ...common, type, ttlSeconds: parts.taskSeconds('release') },
          params: { ...order, grace_seconds: parts.graceSeconds(leased.organizationId) },
        })
      : type === 'allocation.start'
        ? await parts.tasks.queueTask(tx, {
            ...{ ...common, type, ttlSeconds: parts.taskSeconds('provision') },
            params: { ...order, ...keys, expect: expectationOf(leased) },
          })
        : await parts.tasks.queueTask(tx, {
            ...{ ...common, type, ttlSeconds: parts.taskSeconds('short') },
            params: { ...order, ...keys, ...(leased.authorities && { trusted_authorities: [...leased.authorities] }) },
          });
  await noteAllocation(tx, leased.id, {
    ...{ ids: parts.ids, correlationId, kind: 'task', name: type, detail: { task_id: taskId } },
  });
  return taskId;
}

function eventOf(leased: LeasedAllocation, step: Extract<StopStep, { do: 'note' }>, now: Date) {
  const of = {
    ...{ allocation_id: leased.id, organization_id: leased.organizationId, project_id: leased.projectId },
    ...{ version: leased.version + 1, simulated: leased.simulated, generation: leased.generation },
  };
  return step.phase === 'stopped'
    ? provisioningStopped.of(leased.id, { ...of, stopped_at: now.toISOString() })
    : provisioningStarted.of(leased.id, { ...of, started_at: now.toISOString() });
}

function showStops({ db, ids, metrics }: Parts): void {
  const machines = metrics.gauge(
    'gpuaas_allocations_stopped',
    'Machines of active allocations that are stopped for lack of money, or on the way there or back.',
    ['phase'],
  );
  const oldest = metrics.gauge(
    'gpuaas_allocations_stop_oldest_seconds',
    'How long the machine that has waited longest is on its way to a stop, or back from one.',
    ['phase'],
  );
  metrics.onScrape(async () => {
    const counted = await db.read(systemViewer('allocation-stops', { correlationId: ids.next() }), countStops);
    for (const phase of ['stopping', 'stopped', 'starting'] as const) {
      machines.set({ phase }, counted.find((each) => each.phase === phase)?.machines ?? 0);
    }
    for (const phase of ['stopping', 'starting'] as const) {
      oldest.set({ phase }, counted.find((each) => each.phase === phase)?.oldest_seconds ?? 0);
    }
  });
}
