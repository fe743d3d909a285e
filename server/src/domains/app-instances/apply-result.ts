import type { NodeTaskProgress, NodeTaskResult, NodeTaskType, TaskOutput } from '@gpuaas/contract/node';
import type { WriteTx } from '../../kernel/act.ts';
import type { ResultEffect } from '../nodes/index.ts';
import { becomeFailed, becomeReady, becomeReleased, becomeStopped, type Changed } from './become.ts';
import { askReady, askStop } from './launch.ts';
import type { InstanceParts } from './parts.ts';
import { findTaskInstance, holdInstance, type InstanceRow, noteGone, notePhase } from './store.ts';

interface Task {
  readonly id: string;
  readonly task_type: NodeTaskType;
  readonly correlation_id: string;
}
const ours = new Set<NodeTaskType>([
  'app.oci_launch',
  'app.oci_stop',
  'app.oci_status',
  'app.oci_ready',
  'app.oci_logs',
]);
/** The host does not have the container: what was to be ended has ended. */
const gone = new Set(['not_found', 'workload_conflict', 'lease_conflict']);

/**
 * Applies what a host says about a container to its instance, in the transaction that takes the result. A result about a container of an
 * earlier try changes nothing; one that has started all the same is ended.
 */
export const makeApplyAppResult =
  (parts: InstanceParts) =>
  async (tx: WriteTx, task: Task, result: NodeTaskResult): Promise<ResultEffect | undefined> => {
    if (!ours.has(task.task_type)) return undefined;
    const found = await findTaskInstance(tx, task.id);
    const row = found && (await holdInstance(tx, found.id));
    if (!row) return undefined;
    const isLate = await endLate(tx, parts, row, { task, result, workloadId: found.workload_id });
    const applied = isLate ? undefined : await apply(tx, parts, row, task, result);
    return {
      projectId: row.project_id,
      events: applied?.events ?? [],
      change: { app_instance_id: row.id, ...applied?.change },
    };
  };

/** Whether the result is of a launch that was given up or replaced by a later try. The container that it started is ended. */
async function endLate(
  tx: WriteTx,
  parts: InstanceParts,
  row: InstanceRow,
  late: { readonly task: Task; readonly result: NodeTaskResult; readonly workloadId: string },
): Promise<boolean> {
  const isPresent = row.workload_id === late.workloadId;
  if (late.task.task_type !== 'app.oci_launch' || (isPresent && ['launching', 'running'].includes(row.state))) {
    return false;
  }
  if (late.result.outcome !== 'succeeded') return true;
  // Its end may have been confirmed before it began: the guard asks again until it is confirmed anew.
  if (isPresent && row.gone_workload_id === late.workloadId) await noteGone(tx, row.id, null);
  await askStop(
    { tx, parts, row: { ...row, workload_id: late.workloadId }, correlationId: late.task.correlation_id },
    { removesVolumes: isPresent && (row.state === 'releasing' || row.state === 'released') },
  );
  return true;
}

async function apply(
  tx: WriteTx,
  parts: InstanceParts,
  row: InstanceRow,
  task: Task,
  result: NodeTaskResult,
): Promise<Changed | undefined> {
  const of = { ids: parts.ids, correlationId: task.correlation_id };
  const isOk = result.outcome === 'succeeded';
  const failure = {
    code: result.failure?.code ?? 'unknown',
    reason: result.failure?.message ?? 'The host gave no reason.',
  };
  switch (task.task_type) {
    case 'app.oci_launch': {
      if (row.state !== 'launching') return undefined;
      if (!isOk) {
        // Nothing of it may be left when it is tried again.
        await askStop({ tx, parts, row, correlationId: task.correlation_id }, { removesVolumes: false });
        return becomeFailed(tx, of, row, failure);
      }
      await notePhase(tx, row.id, row.workload_id ?? '', 'starting');
      const isAsked = await askReady({ tx, parts, row, correlationId: task.correlation_id });
      return isAsked ? undefined : becomeReady(tx, of, row);
    }
    case 'app.oci_ready':
      return isOk ? applyReady(tx, parts, row, of, result.output as TaskOutput<'app.oci_ready'>) : undefined;
    case 'app.oci_status':
      return isOk ? applyStatus(tx, row, of, result.output as TaskOutput<'app.oci_status'>) : undefined;
    case 'app.oci_stop': {
      if (!isOk && !gone.has(failure.code)) return undefined;
      await noteGone(tx, row.id, row.workload_id);
      if (row.state === 'stopping') return becomeStopped(tx, of, row);
      return row.state === 'releasing' ? becomeReleased(tx, of, row, 'user') : undefined;
    }
    default:
      return undefined;
  }
}

const ended = (said: TaskOutput<'app.oci_ready'>['workload']) => ({
  code: said?.out_of_memory ? 'out_of_memory' : 'container_ended',
  reason: said?.out_of_memory
    ? 'The container wanted more memory than the app asked for.'
    : `The container ended with ${said?.exit_code ?? 'no code'}. Its log says why.`,
});

async function applyReady(
  tx: WriteTx,
  parts: InstanceParts,
  row: InstanceRow,
  of: { readonly ids: InstanceParts['ids']; readonly correlationId: string },
  said: TaskOutput<'app.oci_ready'>,
): Promise<Changed | undefined> {
  if (row.state !== 'launching') return undefined;
  if (said.ready) return becomeReady(tx, of, row);
  if (said.workload?.state !== 'running') return becomeFailed(tx, of, row, ended(said.workload));
  await askReady({ tx, parts, row, correlationId: of.correlationId });
  return undefined;
}

/** A running instance whose container is not running any more has failed. A launch that hangs is the guard's. */
async function applyStatus(
  tx: WriteTx,
  row: InstanceRow,
  of: { readonly ids: InstanceParts['ids']; readonly correlationId: string },
  said: TaskOutput<'app.oci_status'>,
): Promise<Changed | undefined> {
  const found = said.workloads.find(({ workload_id }) => workload_id === row.workload_id);
  const isOver = found?.state === 'exited' || found?.state === 'lost' || found === undefined;
  if (row.state === 'running' && isOver) return becomeFailed(tx, of, row, ended(found ?? null));
  if (row.state === 'launching' && found?.state === 'exited') return becomeFailed(tx, of, row, ended(found));
  return undefined;
}

/** The phases of a launch are its progress: while they change, it has not stalled. */
export const makeNoteAppProgress =
  () =>
  async (tx: WriteTx, task: Task, progress: NodeTaskProgress): Promise<ResultEffect | undefined> => {
    if (task.task_type !== 'app.oci_launch') return undefined;
    const found = await findTaskInstance(tx, task.id);
    const row = found && (await holdInstance(tx, found.id));
    if (row?.workload_id !== found?.workload_id || !row) return undefined;
    await notePhase(tx, row.id, row.workload_id ?? '', progress.phase);
    return { projectId: row.project_id, events: [], change: { app_instance_id: row.id, phase: progress.phase } };
  };
