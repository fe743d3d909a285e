import { appInstanceCreate } from '@gpuaas/contract';
import { appIngressRoutes } from '@gpuaas/contract/ingress';
import type { AppIngress, JudgeBearer, makeTakeUse } from '../../domains/app-instances/index.ts';
import { holdsCertificate } from '../../domains/nodes/index.ts';
import { type AdmissionParts, makeAdmission } from '../../edge/http/admission/admission.ts';
import { makeScoping, type Tenants } from '../../edge/http/admission/tenancy.ts';
import { type InternalHandler, internalHandler } from '../../edge/internal/handlers.ts';
import { type Database, systemViewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';

/**
 * Judges a bearer token as the API does for a launch in the same project: its signature and its end, whether it was revoked, whether the account is
 * still good, and what its scopes and its roles allow.
 */
export function makeJudgeBearer(parts: AdmissionParts & { readonly tenants: Tenants; readonly ids: Ids }): JudgeBearer {
  const admission = makeAdmission(appInstanceCreate, parts);
  const scoping = makeScoping(appInstanceCreate, parts.tenants, parts.ids.next);
  const nobody = { cookie: undefined, isWrite: false, origin: undefined, site: undefined };
  return async (token, { projectId }, from, correlationId) => {
    const admitted = await admission.admit(
      `Bearer ${token}`,
      nobody,
      { address: from, userAgent: undefined },
      correlationId,
    );
    if (admitted instanceof Fault) return undefined;
    const { person, identity } = admitted;
    const refused =
      admission.kindRefused(admitted) ??
      (await scoping(person, identity.credential.scopes, { params: {}, projectHeader: projectId }));
    return { actorId: person.id, may: !(refused instanceof Fault) };
  };
}

/** What the app-proxy asks, on the internal listener. */
export function appIngressHandlers(parts: {
  readonly ingress: AppIngress;
  readonly db: Database;
  readonly takeUse: ReturnType<typeof makeTakeUse>;
}): readonly InternalHandler[] {
  return [
    internalHandler(appIngressRoutes.admit, parts.ingress.admit),
    internalHandler(appIngressRoutes.signIn, parts.ingress.signIn),
    internalHandler(appIngressRoutes.reportUse, parts.takeUse),
    internalHandler(appIngressRoutes.admitNode, async (input, { correlationId }) => ({
      admitted: await parts.db.read(systemViewer('app-ingress', { correlationId }), (tx) =>
        holdsCertificate(tx, input.node_id, input.certificate_serial.toLowerCase()),
      ),
    })),
  ];
}
