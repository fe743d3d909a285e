import { describe, expect, it } from 'vitest';
import { openGpuaas } from './client.ts';
import { AllocationEnded, AllocationLate, secondsOf } from './launched.ts';

/** An installation with one allocation that goes through states, one at each look. */
function rehearse(...states: readonly string[]) {
  const left = [...states];
  const asked: string[] = [];
  let wish: unknown;
  const item = {
    sku: 'h200',
    allowed_gpu_counts: [1, 2],
    availability: [
      { region: 'a', gpu_count: 1, available: 1 },
      { region: 'b', gpu_count: 1, available: 5 },
    ],
  };
  const failure = { code: 'gpu_unhealthy', reason: 'bad luck' };
  const client = openGpuaas({
    baseUrl: 'http://gpuaas.test',
    project: 'p',
    sleep: async () => undefined,
    fetch: async (url, init) => {
      const { pathname } = new URL(String(url));
      const request = `${init?.method} ${pathname}`;
      if (pathname.endsWith('/events/stream')) return new Promise<Response>(() => undefined);
      asked.push(request);
      if (request === 'GET /api/v1/catalog/h200') return Response.json(item);
      if (request === 'POST /api/v1/allocations') {
        wish = JSON.parse(String(init?.body));
        return Response.json({ id: 'a1' }, { status: 201 });
      }
      if (request === 'GET /api/v1/allocations/a1') {
        const state = left.length > 1 ? left.shift() : left[0];
        return Response.json({ id: 'a1', state, failure: state === 'failed' ? failure : null });
      }
      if (request === 'GET /api/v1/allocations/a1/timeline') {
        const row = (id: string, at: string) => ({ id, at, name: id });
        const data = [row('late', '2026-01-02'), row('early', '2026-01-01')];
        return Response.json({ data, has_more: false, next_cursor: null });
      }
      return Response.json({ id: 'a1' });
    },
  });
  return { client, asked, wishOf: () => wish };
}
const released = 'POST /api/v1/allocations/a1/release';

describe('what was launched', () => {
  it('is waited for, with every step once and in its order, and released at the end of its block', async () => {
    const { client, asked, wishOf } = rehearse('provisioning', 'provisioning', 'active');
    const phases: string[] = [];
    {
      await using gpus = await client.launch({ sku: 'h200', idleStop: '90s', maxDuration: '1h30m' });
      const done = await gpus.waitUntil('active', { onPhase: ({ name }) => phases.push(name) });
      expect(done.state).toBe('active');
      expect(asked).not.toContain(released);
    }
    expect(phases).toEqual(['early', 'late']);
    expect(wishOf()).toEqual({
      sku: 'h200',
      gpus: 1,
      region: 'b',
      max_duration_seconds: 5_400,
      idle: { action: 'release', minutes: 2 },
    });
    expect(asked.at(-1)).toBe(released);
  });

  it('is released by an exception too', async () => {
    const { client, asked } = rehearse('active');
    const run = async () => {
      await using _gpus = await client.launch({ sku: 'h200' });
      throw new Error('mine');
    };
    await expect(run()).rejects.toThrow('mine');
    expect(asked.at(-1)).toBe(released);
  });

  it('says why it will never get there, and when patience is over', async () => {
    const failed = await rehearse('provisioning', 'failed').client.launch({ sku: 'h200' });
    const ended = await failed.waitUntil('active').then(null, (error: unknown) => error);
    expect(ended).toBeInstanceOf(AllocationEnded);
    expect(String(ended)).toContain('bad luck (gpu_unhealthy)');
    const slow = await rehearse('provisioning').client.launch({ sku: 'h200' });
    let now = 0;
    const late = slow.waitUntil('active', { timeoutMs: 5_000, now: () => (now += 1_000) });
    await expect(late).rejects.toBeInstanceOf(AllocationLate);
  });

  it('stops waiting when it is told to', async () => {
    const { client } = rehearse('provisioning');
    const stop = new AbortController();
    const wait = client.waitUntil('a1', 'active', {
      signal: stop.signal,
      onLook: () => stop.abort(new Error('enough')),
    });
    await expect(wait).rejects.toThrow('enough');
  });

  it('takes lengths of time as people write them', () => {
    expect(secondsOf('1h30m')).toBe(5_400);
    expect(() => secondsOf('soon')).toThrow('no length of time');
  });
});
