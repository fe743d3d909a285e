import type { Mounted } from '../../kernel/act.ts';
import { fleetRoutes } from './operator-fleet.ts';
import { moveRoutes } from './operator-moves.ts';
import { nodeRoutes, type OperatorParts } from './operator-nodes.ts';
import { reimageRoutes } from './operator-reimage.ts';
import { revokeRoutes } from './operator-revoke.ts';
import { type MoveSlots, slotRoutes } from './operator-slots.ts';
import { taskRoutes } from './operator-tasks.ts';
import type { Tasks } from './tasks.ts';

/** What operators do to the fleet. */
export const operatorRoutes = (
  parts: OperatorParts & { readonly moveSlots: MoveSlots; readonly tasks: Pick<Tasks, 'queueTask' | 'cancelOfNode'> },
): Mounted[] => [
  ...nodeRoutes(parts),
  ...moveRoutes(parts),
  ...reimageRoutes(parts),
  ...revokeRoutes(parts),
  ...slotRoutes(parts),
  ...taskRoutes(parts),
  ...fleetRoutes(parts),
];
