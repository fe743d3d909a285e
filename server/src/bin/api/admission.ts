import { denialsChannel, tokenPrefix } from '../../domains/identity/index.ts';
import { makeGate } from '../../edge/gate/gate.ts';
import { makeUnlistedProxies } from '../../edge/gate/proxies.ts';
import { type AdmissionParts, signInOf } from '../../edge/http/admission/admission.ts';
import { makeAuthenticate } from '../../edge/http/admission/authentication.ts';
import { openDenyList } from '../../edge/http/admission/deny-list.ts';
import { makeOpaqueTokens } from '../../edge/http/admission/opaque-tokens.ts';
import { makeRateLimit } from '../../edge/http/admission/rate-limit.ts';
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
      opaque: makeOpaqueTokens({ prefix: tokenPrefix, find: identities.findToken, rateLimit, clock }),
      clock,
    }),
    recognise: (identity, correlationId) =>
      identity.keyId === undefined
        ? identities.admit(identity, signInOf(identity), correlationId)
        : serviceAccounts.recognise(identity.subject, identity.keyId),
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
