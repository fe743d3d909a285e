import { hash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Marks } from '../../ports/identity-provider/port.ts';
import { loginDigest } from './attempts.ts';

/**
 * A browser that signed in before is known by a signed cookie, which names the people who did. It has a budget of its own for
 * wrong passwords, so strangers who use up the budget of a login do not lock its owner out. The cookie opens nothing: a thief
 * may try ten more passwords in fifteen minutes, and all thieves together as many as all strangers. A new password makes
 * the browsers from before unknown.
 */
export interface KnownBrowsers {
  /** The id of the browser, if this login signed in with it before. */
  find(cookieHeader: string | undefined, who: KnownLogin): string | undefined;
  /** The cookie to set after this login has signed in. */
  remember(cookieHeader: string | undefined, who: KnownLogin): string;
}
export interface KnownLogin {
  readonly login: string;
  /** When all sign-ins of the account were last ended. Marks from before count no more. */
  readonly signInsEndedAt: Date | undefined;
}
const markOf = ({ login, signInsEndedAt }: KnownLogin): string =>
  signInsEndedAt === undefined
    ? loginDigest(login)
    : hash('sha256', `${loginDigest(login)} since ${signInsEndedAt.getTime()}`, 'base64url');

const lifeSeconds = 180 * 24 * 60 * 60;
/** One browser remembers a few people; the one who signed in longest ago makes room. */
const mostPeople = 4;
const idBytes = 16;
const shape = /^([0-9a-f]{32})\.(\d{1,12})\.([\w-]{43}(?:~[\w-]{43}){0,3})\.([\w-]{43})$/;

interface Mark {
  readonly id: string;
  readonly people: readonly string[];
}

export function makeKnownBrowsers(parts: {
  readonly marks: Marks;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly issuer: URL;
}): KnownBrowsers {
  const { marks, clock, ids, issuer } = parts;
  const isSecure = issuer.protocol === 'https:';
  // Over https no other host of the domain can set it. Without https a browser does not take that prefix.
  const name = `${isSecure ? '__Host-' : ''}gpuaas_sso_known`;
  const where = isSecure ? 'Path=/; Secure' : `Path=${issuer.pathname}`;
  const nowSeconds = () => Math.floor(clock.now().getTime() / 1_000);

  function read(cookieHeader: string | undefined): Mark | undefined {
    for (const pair of cookieHeader?.split(';') ?? []) {
      const [key, value = ''] = pair.trim().split('=', 2);
      const found = key === name ? shape.exec(value) : undefined;
      if (!found) continue;
      const [, id = '', expires = '', people = '', signature = ''] = found;
      const isOurs = marks.isOurs(`${id}.${expires}.${people}`, signature);
      if (isOurs && Number(expires) > nowSeconds()) return { id, people: people.split('~') };
    }
    return undefined;
  }

  return {
    find(cookieHeader, who) {
      const mark = read(cookieHeader);
      return mark?.people.includes(markOf(who)) ? mark.id : undefined;
    },
    remember(cookieHeader, who) {
      const known = read(cookieHeader);
      const mine = markOf(who);
      const people = [mine, ...(known?.people ?? []).filter((each) => each !== mine)].slice(0, mostPeople);
      const text = `${known?.id ?? ids.secret(idBytes)}.${nowSeconds() + lifeSeconds}.${people.join('~')}`;
      return `${name}=${text}.${marks.sign(text)}; ${where}; HttpOnly; SameSite=Lax; Max-Age=${lifeSeconds}`;
    },
  };
}
