import type { Mounted } from '../../kernel/act.ts';
import type { Objects } from '../../ports/objects/port.ts';
import { fleetRoutes } from './operator-fleet.ts';
import { moveRoutes } from './operator-moves.ts';
import { nodeRoutes, type OperatorParts } from './operator-nodes.ts';
import { reimageRoutes } from './operator-reimage.ts';
import { revokeRoutes } from './operator-revoke.ts';
import { type MoveSlots, slotRoutes } from './operator-slots.ts';
import { taskRoutes } from './operator-tasks.ts';
import { releaseRoutes } from './releases.ts';
import type { Tasks } from './tasks.ts';

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
