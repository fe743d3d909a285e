import type { Mounted } from '../../../kernel/act.ts';
import type { Objects } from '../../../ports/objects/port.ts';
import { releaseRoutes } from '../releases/releases-routes.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { fleetRoutes } from './fleet-routes.ts';
import { moveRoutes } from './moves-routes.ts';
import { nodeRoutes, type OperatorParts } from './nodes-routes.ts';
import { reimageRoutes } from './reimage-routes.ts';
import { revokeRoutes } from './revoke-routes.ts';
import { type MoveSlots, slotRoutes } from './slots-routes.ts';
import { taskRoutes } from './tasks-routes.ts';

/** What operators do to the fleet. */
export const operatorRoutes = (
  parts: OperatorParts & {
    readonly moveSlots: MoveSlots;
    readonly tasks: Pick<Tasks, 'queueTask' | 'cancelOfNode'>;
    readonly objects: Pick<Objects, 'put'>;
  },
): Mounted[] => [
  ...nodeRoutes(parts),
  ...moveRoutes(parts),
  ...reimageRoutes(parts),
  ...revokeRoutes(parts),
  ...slotRoutes(parts),
  ...taskRoutes(parts),
  ...releaseRoutes(parts),
  ...fleetRoutes(parts),
];
