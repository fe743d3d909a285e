import type { Mounted } from '../../kernel/act.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { changeRoutes } from './change-routes.ts';
import { grantRoutes } from './grant-routes.ts';
import type { StorageParts } from './parts.ts';
import { readRoutes } from './read-routes.ts';
import { trashRoutes } from './trash-routes.ts';
import { makeStorageUpkeep } from './upkeep.ts';
import { uploadRoutes } from './upload-routes.ts';

/** Files of tenants: namespaces, folders, uploads, the trash, and who else may use them. */
export interface FileStorage {
  readonly routes: readonly Mounted[];
  readonly upkeep: Reconciler;
}

export const makeFileStorage = (
  parts: StorageParts & { readonly log: Log; readonly metrics: Metrics },
): FileStorage => ({
  routes: [
    ...readRoutes(parts),
    ...changeRoutes(parts),
    ...uploadRoutes(parts),
    ...trashRoutes(parts),
    ...grantRoutes(parts),
  ],
  upkeep: makeStorageUpkeep(parts),
});

export { upkeepEveryMs } from './facts.ts';
export type { StorageMoney } from './parts.ts';
export { makeProjectStorage } from './project-removal.ts';
export { makeTransfers, type Transfers, transfersPath } from './transfers.ts';
