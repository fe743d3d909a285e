import { projectRemovalRequested } from '@gpuaas/contract';
import type { Saga } from '../../kernel/saga.ts';
import type { Sagas } from '../../ports/sagas/port.ts';
import { type Listener, listener, originOf } from '../outbox/index.ts';
import type { RemoveProject } from './sagas/remove-project.ts';

/** What the events of tenancy begin. */
export const makeTenancyListeners = (parts: {
  readonly sagas: Pick<Sagas, 'start'>;
  readonly removeProject: Saga<RemoveProject>;
}): readonly Listener[] => [
  listener({
    event: projectRemovalRequested,
    action: 'project.begin_removal',
    before: (payload, envelope) =>
      parts.sagas.start(
        parts.removeProject,
        `${payload.project_id}.${payload.version}`,
        { projectId: payload.project_id },
        originOf(envelope),
      ),
    effect: async (_tx, payload) => ({ type: 'project', id: payload.project_id }),
  }),
];
