import { projectRemovalFailed, projectRemoved } from '@gpuaas/contract';
import type { Database } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { windDownRetry } from '../facts.ts';
import { advanceProject } from '../machine.ts';

/** Something that may live in a project. Each domain that keeps such things says how they are wound down. */
export interface Resident {
  readonly name: string;
  /** Winds everything down that the project holds. Throws while it is not done; answers a reason when it cannot be. */
  windDown(projectId: string, correlationId: string): Promise<'gone' | { readonly cannot: string }>;
}

export interface RemoveProject {
  readonly projectId: string;
}

/**
 * Removing a project: what lives in it goes first, and only when all of it is gone is the project deleted. If something
 * cannot go, the project becomes active again and says why.
 */
export const makeRemoveProject = (parts: { readonly db: Database; readonly residents: readonly Resident[] }) =>
  defineSaga<RemoveProject>('project.remove', 1)
    .step('hold', {
      do: async ({ params }) => ({ projectId: params.projectId }),
      undo: async ({ act, params }) => {
        await parts.db.write(act, async (tx) => {
          const moved = await advanceProject(tx, params.projectId, 'giveUp');
          // Not removing any more: an earlier try of this undo did it.
          if (moved === undefined || moved instanceof Fault) {
            return tx.abandon(new Fault('illegal_transition', 'The project is not being removed.'));
          }
          return tx.commit(undefined, {
            target: { type: 'project', id: params.projectId },
            change: { state: [moved.from, moved.to] },
            events: [
              projectRemovalFailed.of(params.projectId, {
                project_id: params.projectId,
                reason: 'Something in the project could not be wound down.',
              }),
            ],
          });
        });
      },
    })
    .step('wind-down', {
      do: async ({ act, params }) => {
        for (const resident of parts.residents) {
          const outcome = await resident.windDown(params.projectId, act.correlationId);
          if (outcome !== 'gone') return new Halt(`${resident.name}: ${outcome.cannot}`);
        }
        return { residents: parts.residents.map((resident) => resident.name) };
      },
      undo: { none: 'The resources are gone; their owner was notified by their own events.' },
      retry: windDownRetry,
    })
    .step('delete', {
      do: async ({ act, params }) => {
        await parts.db.write(act, async (tx) => {
          const moved = await advanceProject(tx, params.projectId, 'prove');
          // Deleted already: an earlier try of this step did it.
          if (moved === undefined || moved instanceof Fault) {
            return tx.abandon(new Fault('illegal_transition', 'The project is deleted already.'));
          }
          return tx.commit(undefined, {
            target: { type: 'project', id: params.projectId },
            change: { state: [moved.from, moved.to] },
            events: [projectRemoved.of(params.projectId, { project_id: params.projectId })],
          });
        });
        return { deleted: true };
      },
      undo: { none: 'The last step: nothing follows that could fail.' },
    });
