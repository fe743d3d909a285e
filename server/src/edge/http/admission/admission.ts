import { type Route, refusesPersonalTokens } from '@gpuaas/contract';
import { revoked, type ShownSignIn } from '../../../kernel/access/revocation.ts';
import { Fault } from '../../../kernel/fault.ts';
import { callerAddress } from '../../gate/caller-address.ts';
import type { Authenticate, Identity } from './authentication.ts';
import type { DenyList, Shown } from './deny-list.ts';
import { makeStepUp, type StepUpParts } from './step-up.ts';
import type { Person } from './tenancy.ts';

/** The caller, once the credential was checked. */
export interface Admitted {
  readonly person: Person;
  readonly identity: Identity;
}
export interface AdmissionParts extends StepUpParts {
  readonly authenticate: Authenticate;
  /** Finds the token of a session cookie; undefined without a cookie of ours. */
  readonly browser?: (request: BrowserRequest) => Promise<string | Fault | undefined>;
  /** The cookie that a browser is signed in with, as it stands in its header. */
  readonly sessionOf?: (cookie: string | undefined) => string | undefined;
  readonly recognise: (
    identity: Identity,
    correlationId: string,
  ) => Promise<Person | Fault<'token_invalid' | 'account_disabled'>>;
  readonly denyList: DenyList;
  /** Records that a person was active. Written later in a batch. */
  readonly seen: (admitted: Admitted, from: From) => void;
}
/** What distinguishes a page of ours from others. */
export interface BrowserRequest {
  readonly cookie: string | undefined;
  readonly isWrite: boolean;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site, which pages cannot set. */
  readonly site: string | undefined;
}
interface From {
  readonly address: string;
  readonly userAgent: string | undefined;
}

/** The sign-in of a credential; undefined for credentials that outlive sign-ins. */
export function signInOf({ kind, credential, issuedAt, signedInAt }: Identity): ShownSignIn | undefined {
  const { tokenId, sessionId } = credential;
  // A client of the issuer authenticates anew for every token.
  const at = kind === 'service_account' ? (signedInAt ?? issuedAt) : signedInAt;
  return credential.kind === 'oidc' ? { tokenId, sessionId, signedInAt: at } : undefined;
}
/** The subject of the deny list. */
export const shownBy = (personId: string, identity: Identity): Shown => {
  const { tokenId, sessionId } = identity.credential;
  const signIn = signInOf(identity);
  return { personId, isSignIn: signIn !== undefined, ...(signIn ?? { tokenId, sessionId, signedInAt: undefined }) };
};

/** The stages that know about credentials: authentication, deny list, which kinds a route takes, recent sign-in. */
export function makeAdmission(route: Route, parts: AdmissionParts) {
  const { auth } = route;
  const stepUp = makeStepUp(route, parts);
  return {
    async admit(
      authorization: string | undefined,
      browser: BrowserRequest,
      from: From,
      correlationId: string,
    ): Promise<Admitted | Fault> {
      // An explicit header counts; a cookie is sent automatically and counts only without one.
      const shown = authorization ?? (await parts.browser?.(browser));
      if (shown instanceof Fault) return shown;
      const identity = await parts.authenticate(shown, callerAddress(from.address));
      if (identity instanceof Fault) return identity;
      const person = await parts.recognise(identity, correlationId);
      if (person instanceof Fault) return person;
      // The kind of caller is read from the token each time; its identity may be cached.
      const admitted = { person: { ...person, kind: identity.kind }, identity };
      if (parts.denyList.denies(shownBy(person.id, identity))) return revoked();
      parts.seen(admitted, from);
      return admitted;
    },

    /** Whether this kind of credential may be used here at all. */
    kindRefused({ person, identity }: Admitted): Fault | undefined {
      if (person.kind === 'service_account' && (auth.kind !== 'user' || auth.serviceAccounts !== 'allowed')) {
        return new Fault('service_account_refused', 'Service accounts may not call this operation.');
      }
      const { kind } = identity.credential;
      if (kind === 'personal_token' && refusesPersonalTokens(route)) {
        return new Fault(
          'personal_token_refused',
          'A personal access token may not call this operation: sign in and use the token of that session.',
        );
      }
      return undefined;
    },

    stepUp,
  };
}
