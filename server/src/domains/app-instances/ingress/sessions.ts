import { hash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Cache } from '../../../ports/cache/port.ts';
import { codeMs, secretBytes, sessionMs } from '../facts.ts';

const Code = Type.Object({
  label: Type.String(),
  user_id: Type.String(),
  state: Type.String(),
  minted_at: Type.String(),
});
const Session = Type.Object({ label: Type.String(), user_id: Type.String(), minted_at: Type.String() });
export type AppSession = Static<typeof Session>;
const [isCode, isSession] = [Compile(Code), Compile(Session)];
const digestOf = (secret: string) => hash('sha256', secret, 'hex');

/**
 * One-time codes of browsers and their sessions at one app. The cache knows digests alone, and a lost cache costs a redirect: the console signs
 * the browser in again.
 */
export interface AppSessions {
  mintCode(of: { readonly label: string; readonly userId: string; readonly state: string }): Promise<{
    readonly code: string;
    readonly expiresAt: Date;
  }>;
  /** Of any number of takers, one gets a session. */
  exchange(of: {
    readonly label: string;
    readonly code: string;
    readonly state: string;
  }): Promise<{ readonly secret: string; readonly expiresAt: Date } | undefined>;
  find(secret: string): Promise<AppSession | undefined>;
}

export function makeAppSessions(parts: {
  readonly cache: Pick<Cache, 'set' | 'get' | 'take'>;
  readonly ids: Ids;
  readonly clock: Clock;
}): AppSessions {
  const { cache, ids, clock } = parts;
  const read = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text));
  return {
    async mintCode({ label, userId, state }) {
      const code = ids.secret(secretBytes);
      const now = clock.now();
      const value = { label, user_id: userId, state: digestOf(state), minted_at: now.toISOString() };
      await cache.set(`app_code:${digestOf(code)}`, JSON.stringify(value), codeMs);
      return { code, expiresAt: new Date(now.getTime() + codeMs) };
    },
    async exchange({ label, code, state }) {
      const found = read(await cache.take(`app_code:${digestOf(code)}`));
      const now = clock.now();
      const isGood = isCode.Check(found) && found.label === label && found.state === digestOf(state);
      if (!isGood || now.getTime() - Date.parse(found.minted_at) >= codeMs) return undefined;
      const secret = ids.secret(secretBytes);
      // As old as its code: signing out everywhere ends what was begun before it, also when the code is used after it.
      const session: AppSession = { label, user_id: found.user_id, minted_at: found.minted_at };
      await cache.set(`app_session:${digestOf(secret)}`, JSON.stringify(session), sessionMs);
      return { secret, expiresAt: new Date(Date.parse(found.minted_at) + sessionMs) };
    },
    async find(secret) {
      const found = read(await cache.get(`app_session:${digestOf(secret)}`));
      if (!isSession.Check(found)) return undefined;
      return clock.now().getTime() - Date.parse(found.minted_at) < sessionMs ? found : undefined;
    },
  };
}
