import { duplexPair } from 'node:stream';
import { type LineCall, makeLineReader } from '@gpuaas/contract/node';
import { describe, expect, it, vi } from 'vitest';
import { holdLine } from './line.ts';

/** The agent's end of a line, and somebody at the other end who answers what a test says. */
function openPair(deadAfterMs?: number) {
  const [ours, theirs] = duplexPair();
  const calls: LineCall[] = [];
  const read = makeLineReader((line) => calls.push(JSON.parse(line) as LineCall));
  theirs.on('data', read);
  const onEnd = vi.fn();
  const line = holdLine(ours, onEnd, deadAfterMs);
  const say = (value: unknown) => theirs.write(`${JSON.stringify(value)}\n`);
  const heard = (count: number) => expect.poll(() => calls.length, { timeout: 10_000 }).toBe(count);
  return { line, calls, say, heard, onEnd, ours, theirs };
}
const never = () => new AbortController().signal;
const get = (path: string) => ({ method: 'GET', path }) as const;

describe('a line to the control plane', () => {
  it('takes answers in any order, each for the call that it belongs to', async () => {
    const { line, calls, say, heard } = openPair();
    const first = line.call({ ...get('/wait'), headers: { known: '' } }, never());
    const second = line.call({ method: 'POST', path: '/heartbeat', body: { a: 1 } }, never());
    await heard(2);
    expect(calls).toMatchObject([
      { method: 'GET', path: '/wait', headers: { known: '' } },
      { method: 'POST', path: '/heartbeat', body: { a: 1 } },
    ]);
    say({ id: calls[1]?.id, status: 503, retry_after: 2, body: { code: 'service_unavailable' } });
    expect(await second).toEqual({ status: 503, body: { code: 'service_unavailable' }, retryAfterMs: 2_000 });
    say({ id: calls[0]?.id, status: 204 });
    expect(await first).toEqual({ status: 204, body: undefined, retryAfterMs: undefined });
  });

  it('breaks for all who wait when the other end hangs up, and says so once', async () => {
    const { line, heard, theirs, onEnd } = openPair();
    const calls = [line.call(get('/a'), never()), line.call(get('/b'), never())];
    await heard(2);
    theirs.end();
    for (const call of calls) await expect(call).rejects.toThrow('broke');
    expect(onEnd).toHaveBeenCalledOnce();
    await expect(line.call(get('/c'), never())).rejects.toThrow('broke');
  });

  it('outlives a call that is given up, and its late answer is nobody’s', async () => {
    const { line, calls, say, heard, ours } = openPair();
    const slow = new AbortController();
    const given = line.call(get('/slow'), slow.signal);
    await heard(1);
    slow.abort(new Error('too late'));
    await expect(given).rejects.toThrow('too late');
    expect(ours.destroyed).toBe(false);
    const next = line.call(get('/next'), never());
    await heard(2);
    say({ id: calls[0]?.id, status: 500 });
    say({ id: calls[1]?.id, status: 204 });
    expect(await next).toMatchObject({ status: 204 });
  });

  it('is dead for everybody when a call is given up after a long silence', async () => {
    const { line, heard } = openPair(0);
    const silent = new AbortController();
    const lost = line.call(get('/silent'), silent.signal);
    const after = line.call(get('/after'), never());
    await heard(2);
    silent.abort(new Error('no answer'));
    await expect(lost).rejects.toThrow('no answer');
    await expect(after).rejects.toThrow('broke');
  });

  it('hangs up on whoever says something that is no answer', async () => {
    for (const nonsense of ['{', 'null', '{"id":1}', '{"id":1,"status":99}']) {
      const { line, heard, theirs } = openPair();
      const call = line.call(get('/a'), never());
      await heard(1);
      theirs.write(`${nonsense}\n`);
      await expect(call).rejects.toThrow();
    }
  });
});
