import type { ErrorCode } from '@gpuaas/contract';
import { type Mounted, systemViewer } from '../../kernel/act.ts';
import type { Cache } from '../../ports/cache/port.ts';
import { createRoutes } from './create-routes.ts';
import { type AppSessions, makeAppSessions } from './ingress/sessions.ts';
import { signInRoutes } from './ingress/sign-in-routes.ts';
import { type CreateParts, instanceRoutes } from './routes.ts';
import { findInstanceOwner } from './store.ts';
import { upgradeRoutes } from './upgrades/routes.ts';
import { useRoutes } from './use/routes.ts';

interface OwnerOf {
  readonly absent: ErrorCode;
  find(id: string): Promise<{ readonly organizationId: string; readonly projectId: string } | undefined>;
}
/** Instances of apps: what runs on which allocation, and which names lead to it. */
export interface AppInstances {
  readonly routes: readonly Mounted[];
  readonly owners: { readonly app_instance_id: OwnerOf };
  readonly sessions: AppSessions;
}

export function makeAppInstances(parts: CreateParts & { readonly cache: Cache }): AppInstances {
  const { db, ids } = parts;
  const sessions = makeAppSessions(parts);
  return {
    routes: [
      ...createRoutes(parts),
      ...instanceRoutes(parts),
      ...upgradeRoutes(parts),
      ...useRoutes(parts),
      ...signInRoutes({ db, ids, place: parts.place, sessions }),
    ],
    owners: {
      app_instance_id: {
        absent: 'app_instance_not_found',
        async find(id) {
          const row = await db.read(systemViewer('app-instances', { correlationId: ids.next() }), (tx) =>
            findInstanceOwner(tx, id),
          );
          return row && { organizationId: row.organization_id, projectId: row.project_id };
        },
      },
    },
    sessions,
  };
}

export { makeApplyAppResult, makeNoteAppProgress } from './apply-result.ts';
export { makeAppGuard } from './guard.ts';
export { type AppIngress, type JudgeBearer, makeAppIngress } from './ingress/admit.ts';
export type { AppsPlace, InstanceParts } from './parts.ts';
export { listRunningVersion } from './store.ts';
export { markUses } from './use/store.ts';
export { makeTakeUse } from './use/take-report.ts';
