import type { AppAdmission, appIngressRoutes } from '@gpuaas/contract/ingress';
import type { InternalInput, InternalOutput } from '@gpuaas/contract/internal';
import { type Database, systemViewer, type Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { AppsPlace } from '../parts.ts';
import { findRouteTarget, isSignedOutSince, mayUse, type TargetRow } from './ingress-store.ts';
import type { AppSessions } from './sessions.ts';

type Question = InternalInput<typeof appIngressRoutes.admit>;
/** Who a bearer token belongs to, and whether it may use apps of this project; undefined for a token that is not good. */
export type JudgeBearer = (
  token: string,
  of: { readonly organizationId: string; readonly projectId: string },
  /** The address of the caller. */
  from: string,
  correlationId: string,
) => Promise<{ readonly actorId: string; readonly may: boolean } | undefined>;

export interface AppIngress {
  admit(input: Question, call: { readonly correlationId: string }): Promise<AppAdmission>;
  signIn(
    input: InternalInput<typeof appIngressRoutes.signIn>,
  ): Promise<InternalOutput<typeof appIngressRoutes.signIn> | Fault>;
}

/**
 * Decides about each request to an app: whose it is, whether the caller may use it now, and where it leads. A route of others and one that does not
 * exist get the same answer, and a caller who says nothing learns nothing.
 */
export function makeAppIngress(parts: {
  readonly db: Database;
  readonly sessions: AppSessions;
  readonly judgeBearer: JudgeBearer;
  readonly place: AppsPlace | undefined;
}): AppIngress {
  const signInAt = (label: string): AppAdmission => {
    const url = parts.place && new URL('/apps/open', parts.place.consoleUrl);
    url?.searchParams.set('label', label);
    return { decision: 'sign_in', family: 'browser', sign_in_url: url?.href ?? null };
  };
  const noToken: AppAdmission = { decision: 'sign_in', family: 'api', sign_in_url: null };

  /** The caller of a route; a decision when there is none. */
  async function callerOf(input: Question, target: TargetRow, viewer: Viewer) {
    const { credential, label } = input;
    if (target.client_auth_mode === 'api_bearer') {
      if (credential.kind !== 'bearer') return noToken;
      const of = { organizationId: target.organization_id, projectId: target.project_id };
      const bearer = await parts.judgeBearer(credential.token, of, input.address, viewer.correlationId);
      if (!bearer) return noToken;
      return bearer.may ? bearer.actorId : ({ decision: 'refused' } as const);
    }
    const session = credential.kind === 'session' ? await parts.sessions.find(credential.secret) : undefined;
    if (session?.label !== label) return signInAt(label);
    return parts.db.read(viewer, async (tx) => {
      if (await isSignedOutSince(tx, session.user_id, new Date(session.minted_at))) return signInAt(label);
      return (await mayUse(tx, target, session.user_id)) ? session.user_id : ({ decision: 'refused' } as const);
    });
  }

  return {
    async admit(input, { correlationId }) {
      const viewer = systemViewer('app-ingress', { correlationId });
      // No connection is held while the caller is judged: that takes connections of its own, and many at once would wait for each other.
      const target = await parts.db.read(viewer, (tx) => findRouteTarget(tx, input.label));
      if (!target || target.instance_state === 'released') {
        return input.credential.kind === 'none' ? signInAt(input.label) : { decision: 'refused' };
      }
      const caller = await callerOf(input, target, viewer);
      if (typeof caller !== 'string') return caller;
      const { node_id, workload_id } = target;
      const runs = target.instance_state === 'running' && target.allocation_state === 'active' && target.keeps_running;
      if (!runs || node_id === null || workload_id === null) {
        return { decision: 'not_running', family: target.route_family, state: target.instance_state };
      }
      return {
        decision: 'admitted',
        route: { route_id: target.route_id, family: target.route_family, auth: target.client_auth_mode },
        ...{
          actor_id: caller,
          organization_id: target.organization_id,
          instance_id: target.app_instance_id,
          allocation_id: target.allocation_id,
        },
        ...{ node_id, workload_id, port: target.target_port, simulated: target.simulated, meters: [...target.meters] },
      };
    },
    async signIn({ label, code, state }) {
      const session = await parts.sessions.exchange({ label, code, state });
      if (!session) return new Fault('app_route_not_found', 'The code is unknown, was used before or is too old.');
      return { secret: session.secret, expires_at: session.expiresAt.toISOString() };
    },
  };
}
