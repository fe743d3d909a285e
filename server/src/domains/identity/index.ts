import type { DeclaredEvent, PlatformRole } from '@gpuaas/contract';
import { makeFresh } from '../../kernel/access/fresh.ts';
import { isBelow, revoked, type ShownSignIn, type SignInFloor } from '../../kernel/access/revocation.ts';
import {
  type Act,
  type BeginAct,
  type Database,
  type Mounted,
  systemViewer,
  type Viewer,
  type WriteTx,
} from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Unaudited } from '../../ports/database/port.ts';
import { makePasswordChanged } from './account-sign-ins-store.ts';
import { type AtBrowser, type ConsoleSessions, makeConsoleSessions } from './console/console-sessions.ts';
import { keepAddress } from './contact-addresses-store.ts';
import { type FactorParts, factorRoutes, type OwnFactors } from './factors/routes.ts';
import { freshMs, maxKnown, recentMs } from './facts.ts';
import { type OwnAccounts, peopleRoutes } from './people-routes.ts';
import { personalTokenRoutes, tokenPrefix } from './personal-tokens-routes.ts';
import { findToken } from './personal-tokens-store.ts';
import { type SessionParts, sessionRoutes } from './sessions-routes.ts';
import { currentDenials } from './sessions-store.ts';
import { openWatch, type Sighting } from './sightings.ts';
import { makeSightings } from './sightings-store.ts';
import { findRevocations, floorOf, type Revocations, raiseFloor, recentFloors } from './sign-in-floors-store.ts';
import { findPerson, insertBinding, insertName, insertUser } from './store.ts';

/** Identity: who people are to us, whatever issuer they sign in with. */
export interface Identities {
  /** Finds the person behind an identity; the first sign-in makes one, without any role on the platform. */
  recognise(
    identity: {
      readonly issuer: string;
      readonly subject: string;
      readonly kind: 'user' | 'service_account';
      /** What the issuer calls the person. It is theirs from the first sign-in until they choose another one. */
      readonly name?: string | undefined;
    },
    correlationId: string,
  ): Promise<KnownPerson>;
  /** The same for a sign-in: refuses a person whom an operator has disabled, and a revoked sign-in, however old. */
  admit(
    identity: Parameters<Identities['recognise']>[0],
    signIn: ShownSignIn | undefined,
    correlationId: string,
  ): Promise<KnownPerson | Fault<'account_disabled' | 'token_invalid'>>;
  /** The revocations of a person's sign-ins, read from the database each time. */
  revocations(issuer: string, subject: string, sessionId: string | undefined): Promise<Revocations>;
  /** Makes a person an operator. Called from the command line of the installation, never by a sign-in. */
  bindPlatformRole(personId: string, role: PlatformRole, correlationId: string): Promise<void>;
  /** Clears the cache of recognised people after a change. */
  forget(): void;
  readonly denials: { current(): Promise<readonly Denial[]> };
}
/** Identities with the credentials of people: their sessions and the tokens they made. */
export interface Credentials extends Identities {
  readonly routes: readonly Mounted[];
  readonly consoleSessions: ConsoleSessions;
  /** Ends what was signed in with a password that is no more; undefined where another provider keeps the accounts. */
  readonly passwordChanged: ((accountId: string) => Promise<void>) | undefined;
  /** Records that a person was active. Written later in a batch. */
  seen(sighting: Sighting): void;
  /** A personal token by the SHA-256 of it, in hex; nothing when it never was, or was revoked. */
  findToken(digest: string): Promise<
    | {
        readonly id: string;
        readonly issuer: string;
        readonly subject: string;
        readonly scopes: readonly string[];
        readonly expiresAt: Date;
      }
    | undefined
  >;
  /** Writes down who was seen and not yet recorded. */
  flush(): Promise<void>;
  close(): Promise<void>;
}
type Denial =
  | { readonly kind: 'token' | 'session'; readonly subject: string }
  | { readonly kind: 'person'; readonly subject: string; readonly floor: SignInFloor };
export interface KnownPerson {
  readonly id: string;
  readonly kind: 'user' | 'service_account';
  readonly platformRoles: readonly PlatformRole[];
}

/** A person with what was revoked of their sign-ins. */
interface Known {
  readonly person: KnownPerson;
  readonly isDisabled: boolean;
  readonly floor: SignInFloor | undefined;
  readonly isSessionRevoked: boolean;
}

/** What a person gets at their first sign-in, created in the same transaction. */
export type Welcome = (
  tx: WriteTx,
  personId: string,
) => Promise<{ readonly organizationId: string; readonly events: readonly DeclaredEvent[] } | undefined>;

/** A person is made by the first request. The account may be older, and its sign-ins may have been ended before. */
async function firstFloor(
  accounts: Pick<OwnAccounts, 'issuer' | 'signInsEndedAt'> | undefined,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): Promise<SignInFloor | undefined> {
  const endedAt = accounts?.issuer === issuer ? await accounts.signInsEndedAt(subject) : undefined;
  return endedAt && { notBefore: endedAt, spares: {} };
}

export function makeIdentities(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly welcome?: Welcome;
  readonly accounts?:
    | (Pick<OwnAccounts, 'issuer' | 'signInsEndedAt'> & Partial<Pick<OwnAccounts, 'mailsOf'>>)
    | undefined;
}): Identities {
  const { db, ids } = parts;
  const known = makeFresh<string, Known>({ clock: parts.clock, ttlMs: freshMs, max: maxKnown });
  const self = (correlationId: string) => systemViewer('identity', { correlationId });

  async function look(
    { issuer, subject, kind }: Parameters<Identities['recognise']>[0],
    sessionId: string | undefined,
    correlationId: string,
  ): Promise<Known | undefined> {
    const [row] = await db.read(self(correlationId), (tx) => findPerson(tx, issuer, subject, sessionId));
    return (
      row && {
        person: { id: row.id, kind, platformRoles: row.platform_roles },
        isDisabled: row.disabled,
        floor: floorOf(row),
        isSessionRevoked: row.is_session_revoked,
      }
    );
  }
  const find = (
    identity: Parameters<Identities['recognise']>[0],
    sessionId: string | undefined,
    correlationId: string,
  ): Promise<Known> => {
    const { issuer, subject, kind } = identity;
    return known.get(`${issuer}\n${subject}\n${sessionId ?? ''}`, async () => {
      const found = await look(identity, sessionId, correlationId);
      if (found) return found;
      const id = ids.next();
      const floor = await firstFloor(parts.accounts, identity);
      const [email] = parts.accounts?.issuer === issuer ? ((await parts.accounts.mailsOf?.(subject)) ?? []) : [];
      const made = await db.write(parts.begin('user.create', { correlationId }), async (tx) => {
        const person = await insertUser(tx, { id, issuer, subject });
        // Two first sign-ins at once: one makes the person, the other finds it.
        if (!person) return tx.abandon(new Fault('user_already_exists', 'The person exists already.'));
        if (floor) await raiseFloor(tx, id, floor, 'sign-ins were ended before the first request');
        if (identity.name) await insertName(tx, id, identity.name);
        await keepAddress(tx, id, email);
        const home = kind === 'user' ? await parts.welcome?.(tx, id) : undefined;
        return tx.commit(person, {
          target: { type: 'user', id },
          change: { issuer, ...(home && { organization_id: home.organizationId }) },
          events: 'none',
          ...home,
        });
      });
      const person = { id, kind, platformRoles: [] };
      if (!(made instanceof Fault)) return { person, isDisabled: false, floor, isSessionRevoked: false };
      const other = await look(identity, sessionId, correlationId);
      if (!other) throw new Error('a person was neither made nor found');
      return other;
    });
  };

  return {
    recognise: async (identity, correlationId) => (await find(identity, undefined, correlationId)).person,
    async admit(identity, signIn, correlationId) {
      const { person, isDisabled, floor, isSessionRevoked } = await find(identity, signIn?.sessionId, correlationId);
      if (isDisabled) {
        return new Fault('account_disabled', 'This account is disabled. Ask an operator of this installation.');
      }
      return signIn && (isSessionRevoked || (floor && isBelow(floor, signIn))) ? revoked() : person;
    },
    revocations: (issuer, subject, sessionId) =>
      db.read(self(ids.next()), (tx) => findRevocations(tx, issuer, subject, sessionId)),

    async bindPlatformRole(personId, role, correlationId) {
      await db.write(parts.begin('platform_role.bind', { correlationId }), async (tx) => {
        await insertBinding(tx, personId, role, 'identity');
        return tx.commit(undefined, { target: { type: 'user', id: personId }, change: { role }, events: 'none' });
      });
      known.forget();
    },

    forget: () => known.forget(),

    denials: {
      async current() {
        const now = parts.clock.now();
        const since = new Date(now.getTime() - recentMs);
        return db.read(self(ids.next()), async (tx) => [
          ...(await currentDenials(tx, now)),
          ...(await recentFloors(tx, since)).map(
            ({ personId: subject, floor }): Denial => ({ kind: 'person', subject, floor }),
          ),
        ]);
      },
    },
  };
}

export function openCredentials(
  parts: Parameters<typeof makeIdentities>[0] &
    Pick<SessionParts, 'sessionSubject' | 'announce'> & {
      readonly log: Log;
      readonly unaudited: Unaudited;
      readonly sessionMaxHours: () => number;
      readonly personalTokenMaxDays: (who: Viewer) => number;
      readonly beginFor: (action: string, who: AtBrowser) => Act;
      readonly accounts?: OwnAccounts | undefined;
      readonly factors?: OwnFactors | undefined;
      readonly isFactorRequired: FactorParts['isRequired'];
    },
): Credentials {
  const { db, ids, clock, announce } = parts;
  const watch = openWatch({ ...parts, record: makeSightings(parts.unaudited).record });
  const identities = makeIdentities(parts);
  const changed = () => {
    identities.forget();
    announce();
  };
  return {
    ...identities,
    routes: [
      ...peopleRoutes({ ...parts, flush: watch.flush, changed }),
      ...sessionRoutes({ ...parts, flush: watch.flush }),
      ...factorRoutes({ ...parts, flush: watch.flush, own: parts.factors, isRequired: parts.isFactorRequired }),
      ...personalTokenRoutes({ db, ids, clock, announce, flush: watch.flush, maxDays: parts.personalTokenMaxDays }),
    ],
    consoleSessions: makeConsoleSessions({ ...parts, flush: watch.flush }),
    passwordChanged:
      parts.accounts && makePasswordChanged({ ...parts, issuer: parts.accounts.issuer, flush: watch.flush }),
    seen: watch.note,
    findToken: (digest) =>
      db.read(systemViewer('identity', { correlationId: ids.next() }), (tx) => findToken(tx, digest)),
    flush: watch.flush,
    close: watch.close,
  };
}

/** Where every process hears that something was revoked. */
export const denialsChannel = 'gpuaas_token_denied';
export { endSignInsOfAccount, untilNextSecond } from './account-sign-ins-store.ts';
export type { ConsoleSession } from './console/console-sessions-store.ts';
export { type ConsoleTokens, makeConsoleTokens } from './console/console-tokens-store.ts';
export { consoleSessionPlace, sealedConsoleSessions } from './console/sealed-console-sessions-store.ts';
export {
  dropSecurityLetter,
  type FindSecurityLetter,
  makeFindSecurityLetter,
  makeRecordFactorChange,
  type RecordFactorChange,
} from './factors/letters.ts';
export { findAccountOf, type OwnFactors } from './factors/routes.ts';
export { bindFirstOperator, hasOperator } from './first-operator-store.ts';
export {
  dropPasswordLetter,
  type FindPasswordLetter,
  makeFindPasswordLetter,
  makePasswordLetters,
  type PasswordLetters,
} from './password-letters.ts';
export type { Revocations } from './sign-in-floors-store.ts';
export { type AtBrowser, type ConsoleSessions, type Sighting, tokenPrefix };
