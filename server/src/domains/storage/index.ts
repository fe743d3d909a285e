import type { Mounted } from '../../kernel/act.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { changeRoutes } from './change-routes.ts';
import { grantRoutes } from './grant-routes.ts';
import { linkRoutes } from './link-routes.ts';
import { makeOpenLink, type OpenLink } from './links.ts';
import type { StorageParts } from './parts.ts';
import { readRoutes } from './read-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { makeFindStorageMachine, type StorageMachine } from './tokens.ts';
import { trashRoutes } from './trash-routes.ts';
import { makeStorageUpkeep } from './upkeep.ts';
import { uploadRoutes } from './upload-routes.ts';

/** Files of tenants: namespaces, folders, uploads, the trash, and who else may use them. */
export interface FileStorage {
  readonly routes: readonly Mounted[];
  readonly upkeep: Reconciler;
  readonly openLink: OpenLink;
  /** The machine behind a storage token, by the SHA-256 of the token. */
  readonly findMachine: (digest: string) => Promise<StorageMachine | undefined>;
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
    ...linkRoutes(parts),
    ...tokenRoutes(parts),
  ],
  openLink: makeOpenLink(parts),
  findMachine: makeFindStorageMachine(parts),
  upkeep: makeStorageUpkeep(parts),
});

export { upkeepEveryMs } from './facts.ts';
export { linkPath, type OpenLink } from './links.ts';
export type { StorageMoney } from './parts.ts';
export { makeProjectStorage } from './project-removal.ts';
export { storageTokenPrefix } from './token-routes.ts';
export type { StorageMachine } from './tokens.ts';
export { makeTransfers, type Transfer, type Transfers, transfersPath } from './transfers.ts';
