import type { ErrorCode } from '@gpuaas/contract';
import { type Mounted, type ReadTx, systemViewer } from '../../kernel/act.ts';
import { catalogRoutes } from './catalog/routes.ts';
import { entitlementRoutes } from './entitlements/routes.ts';
import { findOrganization } from './entitlements/store.ts';
import type { AppParts } from './parts.ts';
import { pushRoutes } from './pushing/routes.ts';
import { publishedAppRoutes } from './routes.ts';
import { findAppOwner } from './store.ts';
import { keyRoutes } from './verification/keys-routes.ts';
import { sourceRoutes } from './verification/sources-routes.ts';
import { adminVersionRoutes } from './versions/admin-routes.ts';
import { moveRoutes } from './versions/moves-routes.ts';
import { versionRoutes } from './versions/routes.ts';
import { findVersionOwner } from './versions/store.ts';

interface OwnerOf {
  readonly absent: ErrorCode;
  find(id: string): Promise<{ readonly organizationId: string; readonly projectId: string } | undefined>;
}
/** Apps: what tenants publish, how far it has come, and who may use it. */
export interface Apps {
  readonly routes: readonly Mounted[];
  readonly owners: { readonly app_id: OwnerOf; readonly app_version_id: OwnerOf };
}

export function makeApps(outside: Omit<AppParts, 'isThere'>): Apps {
  const inside = () => systemViewer('apps', { correlationId: outside.ids.next() });
  const parts: AppParts = {
    ...outside,
    isThere: async (organizationId, projectId) =>
      (await outside.db.read(inside(), (tx) => findOrganization(tx, organizationId, projectId))) !== undefined,
  };
  const ownerBy =
    (
      find: (tx: ReadTx, id: string) => Promise<{ organization_id: string; project_id: string } | undefined>,
    ): OwnerOf['find'] =>
    async (id) => {
      const row = await parts.db.read(inside(), (tx) => find(tx, id));
      return row && { organizationId: row.organization_id, projectId: row.project_id };
    };
  return {
    routes: [
      ...publishedAppRoutes(parts),
      ...versionRoutes(parts),
      ...moveRoutes(parts),
      ...entitlementRoutes(parts),
      ...catalogRoutes(parts),
      ...adminVersionRoutes(parts),
      ...pushRoutes(parts),
      ...keyRoutes(parts),
      ...sourceRoutes(parts),
    ],
    owners: {
      app_id: { absent: 'app_not_found', find: ownerBy(findAppOwner) },
      app_version_id: { absent: 'app_version_not_found', find: ownerBy(findVersionOwner) },
    },
  };
}

export type { AffectedBy, AffectedInstance, AppParts } from './parts.ts';
export { mayPush, type OwnRegistry } from './pushing/credential.ts';
export { verificationChannel } from './verification/channel.ts';
export { makeAppVerifier } from './verification/verifier.ts';
export { findLaunchable, type Launchable, type May, type Wanted } from './versions/launchable.ts';
export type { Launcher } from './versions/launchable-store.ts';
