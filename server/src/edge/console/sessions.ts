import { hash } from 'node:crypto';
import {
  type ConsoleSession,
  type ConsoleSessions,
  type ConsoleTokens,
  consoleSessionPlace,
} from '../../domains/identity/index.ts';
import { makeFresh } from '../../kernel/access/fresh.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { IssuerClient, Tokens } from './issuer-client.ts';

/**
 * A browser sends a cookie, and the rest of the edge sees the bearer token of its sign-in, so authentication, deny
 * list, roles and step-up are the same for both. Access tokens are short-lived. One process renews a token that is
 * about to expire: a refresh token that is used twice looks stolen, and ends the sign-in. Other processes use the token
 * while it is valid, or wait a moment.
 */
export interface BrowserSessions {
  /** The session of a cookie with its tokens, good for now. */
  open(cookie: string): Promise<OpenSession | Fault<'token_invalid' | 'token_expired' | 'service_unavailable'>>;
  /** Forgets what is remembered of a cookie here. */
  forget(cookie: string): void;
  seal(id: string, tokens: Tokens): Uint8Array;
  digest(cookie: string): string;
}
export interface OpenSession {
  readonly session: ConsoleSession;
  readonly tokens: Tokens;
}
/** Encrypts what lies in the database. */
export interface Seal {
  close(text: string, place: string): Uint8Array;
  open(sealed: Uint8Array, place: string): string;
}

const freshMs = 5_000;
const maxKnown = 20_000;
/** Renewed when less than this is left, so that no request waits for it. */
const aheadMs = 60_000;
const claimMs = 15_000;
const lookAgainMs = 250;
const looks = 40;
/** 32 bytes in hex. Any other value was not made by us and is not looked up. */
const cookieShape = /^[0-9a-f]{64}$/;

export function makeBrowserSessions(parts: {
  readonly sessions: Pick<ConsoleSessions, 'find' | 'end'>;
  readonly tokens: ConsoleTokens;
  readonly client: IssuerClient;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: { warn(details: object, message: string): void };
}): BrowserSessions {
  const { clock, client, log } = parts;
  const known = makeFresh<string, OpenSession | undefined>({ clock, ttlMs: freshMs, max: maxKnown });
  const renewing = new Map<string, Promise<OpenSession | Fault>>();
  const digestOf = (cookie: string) => hash('sha256', cookie, 'hex');
  const over = () => new Fault('token_invalid', 'The session of this browser is over: sign in again.');
  const isGood = ({ tokens }: OpenSession, leftMs: number) =>
    Date.parse(tokens.accessExpiresAt) - clock.now().getTime() > leftMs;

  async function load(digest: string): Promise<OpenSession | undefined> {
    const session = await parts.sessions.find(digest);
    if (!session) return undefined;
    try {
      return {
        session,
        tokens: JSON.parse(parts.seal.open(session.sealed, consoleSessionPlace(session.id))) as Tokens,
      };
    } catch (error) {
      log.warn({ err: error }, 'the tokens of a console session were sealed with another key');
      return undefined;
    }
  }

  async function renew(digest: string, { session, tokens }: OpenSession): Promise<OpenSession | Fault> {
    const now = clock.now();
    const { id, generation } = session;
    if (!(await parts.tokens.claim(id, generation, now, new Date(now.getTime() + claimMs)))) return wait(digest);
    const renewed = await client.refresh(tokens);
    if (renewed instanceof Fault) {
      const who = {
        personId: session.personId,
        correlationId: parts.ids.next(),
        address: undefined,
        userAgent: undefined,
      };
      await parts.sessions.end(session, 'the issuer no longer renews it', who);
      return renewed;
    }
    const sealed = parts.seal.close(JSON.stringify(renewed), consoleSessionPlace(id));
    if (!(await parts.tokens.renew(id, generation, sealed))) return over();
    return { session: { ...session, sealed, generation: generation + 1n }, tokens: renewed };
  }

  /** Another process is renewing it. */
  async function wait(digest: string): Promise<OpenSession | Fault> {
    for (let look = 0; look < looks; look += 1) {
      const found = await load(digest);
      if (!found) return over();
      if (isGood(found, 0)) return found;
      await clock.sleep(lookAgainMs);
    }
    return new Fault('service_unavailable', 'The sign-in could not be renewed in time: try again.');
  }

  return {
    digest: digestOf,
    seal: (id, tokens) => parts.seal.close(JSON.stringify(tokens), consoleSessionPlace(id)),
    forget: (cookie) => known.forget(digestOf(cookie)),
    async open(cookie) {
      if (!cookieShape.test(cookie)) return over();
      const digest = digestOf(cookie);
      const found = await known.get(digest, () => load(digest));
      if (!found) return over();
      if (found.session.expiresAt <= clock.now()) {
        return new Fault('token_expired', 'The session of this browser has ended: sign in again.');
      }
      if (isGood(found, aheadMs)) return found;
      let work = renewing.get(digest);
      if (!work) {
        work = renew(digest, found).finally(() => {
          renewing.delete(digest);
          known.forget(digest);
        });
        renewing.set(digest, work);
      }
      try {
        const renewed = await work;
        if (!(renewed instanceof Fault)) return renewed;
        return renewed as Fault<'token_expired' | 'token_invalid' | 'service_unavailable'>;
      } catch (error) {
        // The issuer is unavailable: the token is used until it expires.
        if (!isGood(found, 0)) throw error;
        log.warn({ err: error }, 'the tokens of a console session could not be renewed');
        return found;
      }
    },
  };
}
