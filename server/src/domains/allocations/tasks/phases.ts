import { provisioningPhase } from '@gpuaas/contract';
import type { NodeTaskProgress, NodeTaskType } from '@gpuaas/contract/node';
import type { WriteTx } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { ResultEffect } from '../../nodes/index.ts';
import { escalated } from '../escalation/escalate.ts';
import { noteAllocation } from '../life/machine.ts';
import { ownerOf } from './phases-store.ts';

/**
 * Writes a line of the timeline when a node begins a phase of an allocation, and an event with the progress. The end of a
 * phase is not written: it is the beginning of the next one.
 */
export const makeNoteProgress =
  (parts: { readonly ids: Ids }) =>
  async (
    tx: WriteTx,
    task: {
      readonly id: string;
      readonly task_type: NodeTaskType;
      readonly allocation_id: string | null;
      readonly generation: bigint;
      readonly correlation_id: string;
    },
    progress: NodeTaskProgress,
  ): Promise<ResultEffect | undefined> => {
    if (task.allocation_id === null || progress.state !== 'began') return undefined;
    const [owner] = await tx.rows<{
      organization_id: string;
      project_id: string;
      version: bigint;
      generation: bigint;
      node_id: string | null;
      simulated: boolean;
    }>(ownerOf, [task.allocation_id]);
    // The progress of cleaning an earlier attempt is not a phase of the present one.
    if (!owner || owner.generation !== task.generation) return undefined;
    if ((progress.percent ?? 0) === 0) {
      await noteAllocation(tx, task.allocation_id, {
        ids: parts.ids,
        correlationId: task.correlation_id,
        kind: 'phase',
        name: progress.phase,
        detail: { task_id: task.id, state: progress.state, at: progress.at },
      });
    }
    const destroys = progress.phase === 'destroy' && task.task_type === 'slice.vm_release' && owner.node_id !== null;
    return {
      projectId: owner.project_id,
      events: [
        ...(destroys
          ? [
              escalated(
                {
                  id: task.allocation_id,
                  organizationId: owner.organization_id,
                  projectId: owner.project_id,
                  version: Number(owner.version),
                  simulated: owner.simulated,
                  generation: Number(owner.generation),
                  nodeId: owner.node_id ?? '',
                },
                'destroy',
              ),
            ]
          : []),
        provisioningPhase.of(task.allocation_id, {
          allocation_id: task.allocation_id,
          organization_id: owner.organization_id,
          project_id: owner.project_id,
          version: Number(owner.version),
          simulated: owner.simulated,
          generation: Number(owner.generation),
          phase: progress.phase,
          percent: progress.percent ?? null,
        }),
      ],
    };
  };
