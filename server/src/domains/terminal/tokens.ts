import { hash } from 'node:crypto';
import { terminalTokenPattern } from '@gpuaas/contract/terminal';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { Cache } from '../../ports/cache/port.ts';
import { mintRememberedMs, tokenBytes, tokenMs } from './facts.ts';

/** What a token stands for. The token itself is nowhere but with its owner: the cache knows its digest. */
const Grant = Type.Object({
  session_id: Type.String(),
  allocation_id: Type.String(),
  organization_id: Type.String(),
  project_id: Type.String(),
  user_id: Type.String(),
  mode: Type.Enum(['open', 'join', 'take_over', 'watch']),
  columns: Type.Integer(),
  rows: Type.Integer(),
  minted_at: Type.String(),
});
export type Grant = Static<typeof Grant>;
const grant = Compile(Grant);
const wellFormed = new RegExp(terminalTokenPattern);

export interface Tokens {
  /** Makes a token that works once, until the time that is answered. */
  mint(of: Omit<Grant, 'minted_at'>): Promise<{ readonly token: string; readonly expiresAt: Date }>;
  /** Of any number of takers, one gets what the token stands for. */
  take(token: string): Promise<Grant | 'malformed' | 'replayed' | 'unknown'>;
}

export function makeTokens(parts: {
  readonly cache: Pick<Cache, 'set' | 'get' | 'take'>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly metrics: Metrics;
}): Tokens {
  const { cache, clock } = parts;
  const minted = parts.metrics.counter('gpuaas_terminal_tokens_minted_total', 'Terminal tokens, by mode.', ['mode']);
  const replays = parts.metrics.counter(
    'gpuaas_terminal_token_replays_total',
    'Terminal tokens that were shown a second time.',
    [],
  );
  const digestOf = (token: string) => hash('sha256', token, 'hex');
  return {
    async mint(of) {
      const token = parts.ids.secret(tokenBytes);
      const now = clock.now();
      const digest = digestOf(token);
      const value: Grant = { ...of, minted_at: now.toISOString() };
      await cache.set(`terminal_mint:${digest}`, value.minted_at, mintRememberedMs);
      await cache.set(`terminal_token:${digest}`, JSON.stringify(value), tokenMs);
      minted.inc({ mode: of.mode });
      return { token, expiresAt: new Date(now.getTime() + tokenMs) };
    },
    async take(token) {
      if (!wellFormed.test(token)) return 'malformed';
      const digest = digestOf(token);
      const taken = await cache.take(`terminal_token:${digest}`);
      const now = clock.now().getTime();
      if (taken === undefined) {
        const mintedAt = await cache.get(`terminal_mint:${digest}`);
        // Within its time a token that is gone was used.
        if (mintedAt === undefined || now - Date.parse(mintedAt) >= tokenMs) return 'unknown';
        replays.inc();
        return 'replayed';
      }
      const value: unknown = JSON.parse(taken);
      if (!grant.Check(value)) return 'unknown';
      return now - Date.parse(value.minted_at) >= tokenMs ? 'unknown' : value;
    },
  };
}
