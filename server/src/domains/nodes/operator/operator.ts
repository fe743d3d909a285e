import type { Mounted } from '../../../kernel/act.ts';
import type { Objects } from '../../../ports/objects/port.ts';
import { releaseRoutes } from '../releases/releases.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { fleetRoutes } from './fleet.ts';
import { moveRoutes } from './moves.ts';
import { nodeRoutes, type OperatorParts } from './nodes.ts';
import { reimageRoutes } from './reimage.ts';
import { revokeRoutes } from './revoke.ts';
import { type MoveSlots, slotRoutes } from './slots.ts';
import { taskRoutes } from './tasks.ts';

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
