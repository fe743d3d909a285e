import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { makeScope } from '../kernel/access/scope.ts';
import { systemClock } from '../kernel/clock.ts';
import { systemIds } from '../kernel/id.ts';
import { ConfigFault } from '../kernel/process/config.ts';
import { silentLog } from '../kernel/telemetry/log.ts';
import { makeMetrics } from '../kernel/telemetry/metrics.ts';
import { freePort } from '../testing/servers/start.ts';
import { SchemaMismatch } from './database/migrate.ts';
import { openPorts, type Ports } from './open.ts';
import { openPatiently } from './patience.ts';

const redis = { server: 'Redis', at: '127.0.0.1:6379', variable: 'GPUAAS_CACHE_URL' };
const calmly = (over: object = {}) => ({
  withinMs: 5_000,
  log: silentLog,
  stopping: new AbortController().signal,
  waiting: () => undefined,
  ...over,
});

describe('a server that is away at the start', () => {
  it('is asked again until it is there', async () => {
    let asked = 0;
    const said: string[] = [];
    const opened = await openPatiently(
      redis,
      async () => {
        asked += 1;
        if (asked < 3) throw new Error('connect ECONNREFUSED');
        return 'open';
      },
      calmly({ waiting: (why: string) => said.push(why) }),
    );
    expect([opened, asked]).toEqual(['open', 3]);
    expect(said[0]).toBe('Redis at 127.0.0.1:6379 (GPUAAS_CACHE_URL) cannot be reached: connect ECONNREFUSED');
  });

  it.each([
    new ConfigFault('api', ['a setting is missing']),
    new SchemaMismatch('the schema is older'),
    Object.assign(new Error('password authentication failed'), { code: '28P01' }),
    new Error('WRONGPASS invalid username-password pair'),
  ])('is not waited for when waiting does not help: %s', async (error) => {
    let asked = 0;
    const open = async () => {
      asked += 1;
      throw error;
    };
    await expect(openPatiently(redis, open, calmly())).rejects.toBe(error);
    expect(asked).toBe(1);
  });

  it('is not waited for once the process is told to stop', async () => {
    const stopping = new AbortController();
    const opening = openPatiently(redis, () => Promise.reject(new Error('away')), {
      ...calmly({ withinMs: 600_000, stopping: stopping.signal }),
    });
    await pause(20);
    stopping.abort();
    await expect(opening).rejects.toThrow('cannot be reached');
  });

  it.each([
    ['cache', 'GPUAAS_CACHE_URL', (port: number) => `redis://:hidden-secret@127.0.0.1:${port}`, 'Redis'],
    ['bus', 'GPUAAS_BUS_URL', (port: number) => `nats://127.0.0.1:${port}`, 'NATS'],
    ['sagas', 'GPUAAS_TEMPORAL_ADDRESS', (port: number) => `127.0.0.1:${port}`, 'Temporal'],
    [
      'database',
      'GPUAAS_DATABASE_URL',
      (port: number) => `postgres://a:hidden-secret@127.0.0.1:${port}/b`,
      'PostgreSQL',
    ],
  ] as const)(
    'is named with its variable when the process gives up: %s',
    async (need, variable, urlOf, server) => {
      const port = await freePort();
      const scope = makeScope(silentLog);
      const common = {
        ...{ config: {}, clock: systemClock, ids: systemIds, log: silentLog, scope },
        metrics: makeMetrics('test', '0'),
      };
      const env = {
        GPUAAS_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
        GPUAAS_START_WITHIN_SECONDS: '1',
        [variable]: urlOf(port),
      };
      const failure = await openPorts(env)([need as keyof Ports], common, 'api').catch((error: unknown) =>
        String(error),
      );
      expect(failure).toContain(`${server} at 127.0.0.1:${port} (${variable}) cannot be reached`);
      expect(failure).not.toContain('hidden-secret');
      await scope.close(1_000);
    },
    30_000,
  );

  it('is asked for by the name of the setting that is missing, and by no other', async () => {
    const scope = makeScope(silentLog);
    const common = {
      ...{ config: {}, clock: systemClock, ids: systemIds, log: silentLog, scope },
      metrics: makeMetrics('test', '0'),
    };
    const env = { GPUAAS_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    const failure = await openPorts(env)(['cache'], common, 'api').catch((error: unknown) => String(error));
    expect(failure).toContain('GPUAAS_CACHE_URL is missing: Redis (redis://…), or PostgreSQL as gpuaas_cache');
    expect(failure).not.toContain('BUS');
  });
});
