import { moveSlots } from '../../../domains/allocations/index.ts';
import { alertRoutes, breakerRoutes } from '../../../domains/attention/index.ts';
import { maasRoutes } from '../../../domains/maas/index.ts';
import { operatorRoutes } from '../../../domains/nodes/index.ts';
import { simulatorRoutes } from '../../../domains/simulator/index.ts';
import { installPath } from '../../../edge/install/mount.ts';
import type { Mounted } from '../../../kernel/act.ts';
import type { RouteParts } from './parts.ts';

/** Where hosts enrol; beside people where no other door is set. */
export const nodeDoorOf = ({ nodeDoor, publicUrl }: Pick<RouteParts['settings'], 'nodeDoor' | 'publicUrl'>) =>
  nodeDoor ?? (async () => ({ url: publicUrl, fingerprint: undefined }));
/** Where hosts fetch packages of the agent. */
export const downloadsOf = ({ publicUrl }: Pick<RouteParts['settings'], 'publicUrl'>): string =>
  `${publicUrl}${installPath}`;

/** The catalog, nodes and allocations, shells on them, and apps. */
export const capacityRoutes = (parts: RouteParts): readonly Mounted[] => {
  const { db, ids, clock, objects, policies, inventory, tasks, settings } = parts;
  const { changed } = inventory;
  return [
    ...inventory.routes,
    ...parts.allocations.routes,
    ...parts.terminals.routes,
    ...parts.apps.routes,
    ...parts.appInstances.routes,
    ...parts.fileStorage.routes,
    ...parts.taskSigners.routes,
    ...operatorRoutes({
      ...{ db, ids, clock, objects, policies, changed, moveSlots, tasks },
      door: nodeDoorOf(settings),
      downloads: downloadsOf(settings),
    }),
    ...maasRoutes({
      ...{ db, ids, maas: parts.maas, seal: settings.keyring?.find('maas') },
      door: async () => ({ ...(await nodeDoorOf(settings)()), downloads: downloadsOf(settings) }),
    }),
    ...alertRoutes({ db, ids, changed }),
    ...breakerRoutes({ db }),
    ...(settings.simulator ? simulatorRoutes({ db, fleet: settings.simulator }) : []),
  ];
};
