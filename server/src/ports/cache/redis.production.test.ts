import { env } from 'node:process';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { startRedis } from '../../testing/servers/redis.ts';
import type { TestServer } from '../../testing/servers/start.ts';
import { cacheConformance } from './conformance.ts';
import { openCache } from './open.ts';
import { openRedisCache } from './redis.ts';

// Redis has its own clock, so time passes by waiting.
const realTime = { advance: (ms: number) => systemClock.sleep(ms) };

cacheConformance(
  'redis',
  realTime,
  async () => {
    const server = await startRedis();
    const config = { kind: 'redis', url: server.url } as const;
    return {
      config,
      open: () => openCache(config, { clock: systemClock }),
      breakDown: () => server.kill(),
      recover: () => server.start(),
      close: () => server.close(),
    };
  },
  Number(env['GPUAAS_TAKES'] ?? 1_000),
);

describe('the Redis cache', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.close());

  it('keeps systems with different prefixes apart', async () => {
    const blue = await openRedisCache({ url: server.url, prefix: 'blue:' });
    const green = await openRedisCache({ url: server.url, prefix: 'green:' });
    await blue.set('key', 'blue value', 60_000);
    expect(await green.get('key')).toBeUndefined();
    expect((await blue.hit('key', 60_000, 1)).count).toBe(1);
    expect((await green.hit('key', 60_000, 1)).count).toBe(1);
    await Promise.all([blue.close(), green.close()]);
  });

  it('leaves no key behind that would live for ever', async () => {
    const cache = await openRedisCache({ url: server.url });
    await cache.set('set', 'value', 60_000);
    await cache.claim('claim', 'value', 60_000);
    await cache.hit('hit', 60_000, 1);
    await cache.admit('admit', 60_000, 1);
    await cache.check();
    const redis = new Redis(server.url);
    const keys = await redis.keys('*');
    expect(keys.length).toBeGreaterThanOrEqual(4);
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
    redis.disconnect();
    await cache.close();
  });

  it('says so when there is no server, and leaves nothing behind', async () => {
    await expect(openRedisCache({ url: 'redis://127.0.0.1:1' })).rejects.toThrow();
  });
});
