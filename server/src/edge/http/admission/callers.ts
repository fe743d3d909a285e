import { errors, isWrite, type Route } from '@gpuaas/contract';
import type { FastifyRequest } from 'fastify';
import type { Credential, Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { redactText } from '../../../kernel/telemetry/redact.ts';
import { currentTraceparent, traceparentOf } from '../../../kernel/telemetry/trace.ts';
import type { Gate } from '../../gate/gate.ts';
import { credentialOf, header } from '../shown.ts';
import { projectInQuery } from '../stream-request.ts';
import { type AdmissionParts, type Admitted, makeAdmission } from './admission.ts';
import { makeScoping, type Person, type Standing, type Tenants } from './tenancy.ts';

/** Who calls a route, and what they may do there. */
export interface Callers {
  /** Authentication and deny list. The gate learns which credentials are good. */
  identify(request: FastifyRequest): Promise<Admitted | Fault>;
  /** Service accounts and personal tokens, tenant scope and authorisation, recent sign-in. */
  authorize(request: FastifyRequest, admitted: Admitted | undefined): Promise<Standing | Fault>;
  /** Whether the caller of an open stream would still be admitted. */
  mayStay(request: FastifyRequest, viewer: Viewer): Promise<boolean>;
}
export interface CallerParts extends AdmissionParts {
  readonly tenants: Tenants;
  readonly gate: Gate;
  readonly ids: Ids;
}

const maxUserAgentLength = 300;
const nobody: Person = { id: 'anonymous', kind: 'user', platformRoles: [] };

export function makeCallers(route: Route, parts: CallerParts): Callers {
  const scoping = makeScoping(route, parts.tenants, () => parts.ids.next());
  const admission = makeAdmission(route, parts);

  const admit = (request: FastifyRequest): Promise<Admitted | Fault> => {
    const browser = {
      cookie: header(request, 'cookie'),
      isWrite: isWrite(route),
      origin: header(request, 'origin'),
      site: header(request, 'sec-fetch-site'),
    };
    const from = { address: request.ip, userAgent: userAgentOf(request) };
    return admission.admit(header(request, 'authorization'), browser, from, request.id);
  };

  return {
    async identify(request) {
      const found = await admit(request);
      const shown = credentialOf(request, parts.sessionOf);
      if (shown === undefined) return found;
      if (!(found instanceof Fault)) parts.gate.vouch(shown);
      else if (errors[found.code].status === 401) parts.gate.doubt(shown);
      return found;
    },
    async authorize(request, admitted) {
      const refused = admitted && admission.kindRefused(admitted);
      if (refused) return refused;
      const person = admitted?.person ?? nobody;
      const standing = await scoping(person, admitted?.identity.credential.scopes, {
        params: request.params as Record<string, string>,
        projectHeader: header(request, 'x-project-id') ?? projectInQuery(route, request),
      });
      if (standing instanceof Fault || !admitted) return standing;
      return admission.stepUp(admitted.identity, { ...standing, actorId: person.id }) ?? standing;
    },
    async mayStay(request, viewer) {
      const again = await admit(request);
      if (again instanceof Fault) return false;
      const asked = { params: request.params as Record<string, string>, projectHeader: viewer.projectId };
      return !((await scoping(again.person, again.identity.credential.scopes, asked)) instanceof Fault);
    },
  };
}

/** The caller as the audit sees them before their rights are known. */
export function viewerOf(request: FastifyRequest, admitted: Admitted | undefined): Viewer {
  const { id, kind } = admitted?.person ?? nobody;
  return {
    actorId: id,
    actorKind: kind,
    actorRole: 'none',
    reach: 'self',
    organizationId: undefined,
    projectId: undefined,
    correlationId: request.id,
    traceparent: currentTraceparent() ?? traceparentOf(header(request, 'traceparent')),
    address: request.ip,
    userAgent: userAgentOf(request),
    ...(admitted && { credential: shownCredential(admitted) }),
  };
}

const shownCredential = ({ identity }: Admitted): Credential => ({
  ...identity.credential,
  signedInAt: identity.signedInAt,
  methods: identity.methods,
});

const userAgentOf = (request: FastifyRequest): string | undefined =>
  redactText(header(request, 'user-agent')?.slice(0, maxUserAgentLength) ?? '') || undefined;
