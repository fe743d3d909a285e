import { moveSlots } from '../../../domains/allocations/index.ts';
import { alertRoutes, breakerRoutes } from '../../../domains/attention/index.ts';
import { operatorRoutes } from '../../../domains/nodes/index.ts';
import { simulatorRoutes } from '../../../domains/simulator/index.ts';
import type { Mounted } from '../../../kernel/act.ts';
import type { RouteParts } from './parts.ts';

/** The catalog, nodes and allocations, and shells on them. */
export const capacityRoutes = (parts: RouteParts): readonly Mounted[] => {
  const { db, ids, clock, objects, policies, inventory, tasks, settings } = parts;
  const { changed } = inventory;
  return [
    ...inventory.routes,
    ...parts.allocations.routes,
    ...parts.terminals.routes,
    ...parts.taskSigners.routes,
    ...operatorRoutes({
      ...{ db, ids, clock, objects, policies, changed, moveSlots, tasks },
      door: settings.nodeDoor ?? (async () => ({ url: settings.publicUrl, fingerprint: undefined })),
    }),
    ...alertRoutes({ db, ids, changed }),
    ...breakerRoutes({ db }),
    ...(settings.simulator ? simulatorRoutes({ db, fleet: settings.simulator }) : []),
  ];
};
