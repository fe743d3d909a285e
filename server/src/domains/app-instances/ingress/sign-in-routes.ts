import { appSignInCreate } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { addressOf } from '../launch.ts';
import type { AppsPlace } from '../parts.ts';
import { findRouteTarget, mayUse } from './ingress-store.ts';
import type { AppSessions } from './sessions.ts';

export interface SignInParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly place: AppsPlace | undefined;
  readonly sessions: AppSessions;
}
const on = handlers<SignInParts>();
const absent = () => new Fault('app_route_not_found', 'There is no such app, or you may not use it.');

/** A code for one person, one route and one browser. Rights are those of this moment, and are checked again at each request. */
const signIn = on(appSignInCreate, async (parts, act, { body }) => {
  const { label, state } = body;
  const url = addressOf(parts.place, label);
  const viewer = systemViewer('app-ingress', { correlationId: act.correlationId });
  const found = await parts.db.read(viewer, async (tx) => {
    const target = await findRouteTarget(tx, label);
    const isTheirs = target?.client_auth_mode === 'browser_oidc' && (await mayUse(tx, target, act.actorId));
    return isTheirs ? target : undefined;
  });
  return parts.db.write(act, async (tx) => {
    if (!found || url === undefined) return tx.abandon(absent());
    const { code, expiresAt } = await parts.sessions.mintCode({ label, userId: act.actorId, state });
    const to = new URL('/.gpuaas/callback', url);
    to.search = new URLSearchParams({ code, state, to: body.to ?? '/' }).toString();
    return tx.commit(
      { redirect_url: to.href, expires_at: expiresAt.toISOString() },
      {
        target: { type: 'app_route', id: found.route_id },
        change: { app_instance_id: found.app_instance_id },
        organizationId: found.organization_id,
        projectId: found.project_id,
        events: 'none',
      },
    );
  });
});

export const signInRoutes = (parts: SignInParts): Mounted[] => [signIn(parts)];
