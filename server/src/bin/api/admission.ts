import { tenantRoles } from '@gpuaas/contract';
import { denialsChannel, tokenPrefix } from '../../domains/identity/index.ts';
import { storageTokenPrefix } from '../../domains/storage/index.ts';
import { makeGate } from '../../edge/gate/gate.ts';
import { makeUnlistedProxies } from '../../edge/gate/proxies.ts';
import { type AdmissionParts, signInOf } from '../../edge/http/admission/admission.ts';
import { makeAuthenticate } from '../../edge/http/admission/authentication.ts';
import { openDenyList } from '../../edge/http/admission/deny-list.ts';
import { makeOpaqueTokens, makeStorageTokens } from '../../edge/http/admission/opaque-tokens.ts';
import { makeRateLimit } from '../../edge/http/admission/rate-limit.ts';
import type { Person } from '../../edge/http/admission/tenancy.ts';
import type { ApiDomains } from './domains.ts';
import type { ApiParts, ApiSettings } from './settings.ts';

export type Admission = Awaited<ReturnType<typeof openAdmission>>;

/** Opens what stands before every request: the gate, budgets, who is calling, and what was revoked. */
export async function openAdmission(parts: ApiParts, settings: ApiSettings, domains: ApiDomains) {
  const { database, cache, clock, log, scope } = parts;
  const { policies, identities, serviceAccounts } = domains;
  const rateLimit = makeRateLimit({
    cache,
    clock,
    policy: policies.number,
    onFault: (error) => log.warn({ err: error }, 'the shared budget could not be asked; counting alone'),
  });
  const denyList = scope.keep(
    'deny-list',
    await openDenyList({
      denials: {
        current: identities.denials.current,
        onChange: (listener) => database.listen(denialsChannel, listener),
      },
      clock,
      onFault: (error) => log.warn({ err: error }, 'the list of revoked tokens could not be read'),
    }),
  );
  const callers: Pick<AdmissionParts, 'authenticate' | 'recognise' | 'denyList' | 'seen'> = {
    authenticate: makeAuthenticate({
      people: { ...settings, name: settings.issuerName },
      machines: {
        issuer: serviceAccounts.issuer,
        audience: settings.audience,
        keys: { kind: 'find', find: serviceAccounts.find },
      },
      opaque: [
        makeOpaqueTokens({ prefix: tokenPrefix, find: identities.findToken, rateLimit, clock }),
        makeStorageTokens({ prefix: storageTokenPrefix, find: makeFindMachine(domains), rateLimit, clock }),
      ],
      clock,
    }),
    recognise: async (identity, correlationId) => {
      if (identity.person) return identity.person;
      return identity.keyId === undefined
        ? identities.admit(identity, signInOf(identity), correlationId)
        : serviceAccounts.recognise(identity.subject, identity.keyId);
    },
    denyList,
    seen: ({ person, identity }, from) => identities.seen({ ...identity, ...from, personId: person.id }),
  };
  return {
    callers,
    rateLimit,
    gate: makeGate({ clock, perMinute: () => policies.number('rate_limit.unknown_caller_requests_per_minute') }),
    unlisted: makeUnlistedProxies({ cache, clock, log }),
  };
}

/** The machine behind a storage token: bound to one project, and to what the person who made the token may still do there. */
const makeFindMachine =
  ({ fileStorage, tenancy }: Pick<ApiDomains, 'fileStorage' | 'tenancy'>) =>
  async (digest: string): Promise<Person | undefined> => {
    const found = await fileStorage.findMachine(digest);
    if (!found) return undefined;
    const { id, organizationId, projectId, personId, scopes } = found;
    const role = personId === undefined ? 'member' : await tenancy.role(personId, organizationId, projectId);
    const held = role === undefined ? [] : scopes.filter((scope) => tenantRoles[role].includes(scope));
    if (held.length === 0) return undefined;
    const bounds = { organizationId, projectIds: [projectId], seesOrganization: false, scopes: held };
    return { id, kind: 'service_account', platformRoles: [], bounds };
  };
