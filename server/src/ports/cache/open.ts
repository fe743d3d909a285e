import type { Clock } from '../../kernel/clock.ts';
import type { Adapted } from '../adapter.ts';
import type { CacheLog } from './listeners.ts';
import type { Cache } from './port.ts';
import { openPostgresCache } from './postgres.ts';
import { openRedisCache } from './redis.ts';

export type CacheConfig =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'redis'; readonly url: string; readonly prefix?: string };

/** The only place that knows which cache is used. Redis keeps its own time; the Postgres cache follows the clock. */
export function openCache(
  config: CacheConfig,
  parts: { readonly clock: Clock; readonly log?: CacheLog },
): Promise<Cache & Adapted> {
  switch (config.kind) {
    case 'postgres':
      return openPostgresCache({ ...parts, url: config.url });
    case 'redis':
      return openRedisCache({ ...parts, ...config });
  }
}
