import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeTestClock } from '../clock.ts';
import { readiness, serveHealth } from './health.ts';
import { silentLog } from './log.ts';
import { makeMetrics } from './metrics.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const thing of opened.splice(0)) await thing.close();
});
const calm = new AbortController().signal;
const well = { name: 'well', check: async () => undefined };
const open = async (given: Partial<Parameters<typeof serveHealth>[0]> = {}) => {
  const metrics = makeMetrics('test', '1.2.3');
  const health = await serveHealth({
    host: '127.0.0.1',
    port: 0,
    checks: [well],
    stopping: calm,
    clock: makeTestClock(),
    metrics,
    log: silentLog,
    ...given,
  });
  opened.push(health);
  return { ...health, metrics };
};

describe('readiness', () => {
  it('does all checks, and says of each how it went', async () => {
    const state = await readiness(
      [
        well,
        { name: 'ill', check: () => Promise.reject(new Error('connect to postgres://u:hunter2@h failed')) },
        { name: 'odd', check: () => Promise.reject('a string') },
        {
          name: 'throws',
          check: () => {
            throw new Error('at once');
          },
        },
      ],
      calm,
    );
    expect(state).toEqual({
      ready: false,
      checks: { well: 'ok', ill: 'connect to postgres://u:[REDACTED]@h failed', odd: 'failed', throws: 'at once' },
    });
  });

  it('takes a check that hangs for one that failed', async () => {
    const timeout = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(timeout.signal);
    const asked = readiness([{ name: 'hangs', check: () => new Promise(() => undefined) }], calm);
    timeout.abort();
    expect(await asked).toEqual({ ready: false, checks: { hangs: 'no answer in time' } });
  });

  it('is over as soon as the process begins to stop', async () => {
    expect(await readiness([well], AbortSignal.abort())).toEqual({ ready: false, checks: { well: 'ok' } });
    expect(await readiness([well], calm)).toEqual({ ready: true, checks: { well: 'ok' } });
  });
});

describe('the health server', () => {
  it('says that the process lives, is ready, and what it counts', async () => {
    const { url } = await open();
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ alive: true });
    const ready = await fetch(`${url}/readyz?verbose`);
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true, checks: { well: 'ok' } }]);
    expect(ready.headers.get('cache-control')).toBe('no-store');
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(await metrics.text()).toContain('gpuaas_build_info{version="1.2.3",process="test"} 1');
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
  });

  it('answers 503 when a check fails, and still lives', async () => {
    const { url } = await open({ checks: [well, { name: 'bus', check: () => Promise.reject(new Error('away')) }] });
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, checks: { well: 'ok', bus: 'away' } }]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('does each check once for all who ask at the same time, and again a second later', async () => {
    const clock = makeTestClock();
    let checks = 0;
    const check = async () => {
      checks += 1;
    };
    const { url } = await open({ clock, checks: [{ name: 'database', check }] });
    const asked = await Promise.all(Array.from({ length: 100 }, async () => (await fetch(`${url}/readyz`)).json()));
    expect(asked).toEqual(Array(100).fill({ ready: true, checks: { database: 'ok' } }));
    expect(checks).toBe(1);
    await clock.advance(1_000);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(checks).toBe(2);
  });

  it('shares the answer that it is not ready with those who wait for it, and then looks again', async () => {
    let checks = 0;
    const answered = Promise.withResolvers<void>();
    const check = async () => {
      checks += 1;
      await answered.promise;
      if (checks === 1) throw new Error('still starting');
    };
    const { url } = await open({ checks: [{ name: 'start', check }] });
    const asked = [fetch(`${url}/readyz`), fetch(`${url}/readyz`)];
    await vi.waitFor(() => expect(checks).toBe(1));
    answered.resolve();
    expect((await Promise.all(asked)).map(({ status }) => status)).toContain(503);
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
    expect(checks).toBe(2);
  });

  it('is not ready from the moment the process stops, whatever it answered just before', async () => {
    const stopping = new AbortController();
    const { url } = await open({ stopping: stopping.signal });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    stopping.abort();
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, checks: { well: 'ok' } }]);
  });

  it('answers 500 when it cannot answer', async () => {
    const metrics = { ...makeMetrics('test', '0'), scrape: () => Promise.reject(new Error('broken')) };
    const { url } = await open({ metrics });
    expect((await fetch(`${url}/metrics`)).status).toBe(500);
  });

  it('does not start on a port that is taken, and says so', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    opened.push({ close: () => new Promise((resolve) => void other.close(() => resolve())) });
    await expect(open({ port: (other.address() as AddressInfo).port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('closes even while somebody holds a connection open', async () => {
    const { url, close } = await open();
    await (await fetch(`${url}/healthz`, { headers: { connection: 'keep-alive' } })).text();
    await close();
    opened.pop();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });
});
