import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Clock } from '../../kernel/clock.ts';
import type { Cache } from '../../ports/cache/port.ts';
import { liveMs } from './facts.ts';

const Live = Type.Object({
  writer: Type.Boolean(),
  watchers: Type.Integer(),
  sent: Type.Integer(),
  written: Type.Integer(),
});
/** What the home of a session last said about it. */
export type LiveFacts = Static<typeof Live>;
const live = Compile(Live);

export interface LiveReports {
  /** Takes the report of a gateway copy. */
  hear(copyId: string, sessions: readonly (LiveFacts & { readonly id: string })[]): Promise<void>;
  read(sessionId: string): Promise<LiveFacts | undefined>;
  /** Of these copies, those that have been silent for too long. */
  gone(copyIds: readonly string[]): Promise<string[]>;
  isAlive(copyId: string): Promise<boolean>;
}

/**
 * Reports of gateways change all the time and mean nothing after a minute, so they are in the cache alone. A cache that lost
 * everything knows no copy: until it has been filled for a minute again, no copy counts as gone.
 */
export function makeLive(parts: {
  readonly cache: Pick<Cache, 'get' | 'set' | 'claim'>;
  readonly clock: Clock;
}): LiveReports {
  const { cache, clock } = parts;
  const copyKey = (id: string) => `terminal_copy:${id}`;
  const sessionKey = (id: string) => `terminal_live:${id}`;
  const since = 'terminal_copies_since';
  const isAlive = async (id: string) => (await cache.get(copyKey(id))) !== undefined;
  return {
    async hear(copyId, sessions) {
      const now = clock.now().toISOString();
      const began = (await cache.get(since)) ?? now;
      await Promise.all([
        cache.set(since, began, liveMs),
        cache.set(copyKey(copyId), now, liveMs),
        ...sessions.map(({ id, writer, watchers, sent, written }) =>
          cache.set(sessionKey(id), JSON.stringify({ writer, watchers, sent, written }), liveMs),
        ),
      ]);
    },
    async read(sessionId) {
      const text = await cache.get(sessionKey(sessionId));
      const value: unknown = text === undefined ? undefined : JSON.parse(text);
      return live.Check(value) ? value : undefined;
    },
    async gone(copyIds) {
      const began = await cache.get(since);
      if (began === undefined || clock.now().getTime() - Date.parse(began) < liveMs) return [];
      const alive = await Promise.all(copyIds.map(isAlive));
      return copyIds.filter((_, index) => alive[index] === false);
    },
    isAlive,
  };
}
