import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { makeAnswerMeter } from './meter.ts';
import { type AppRig, answering, cookie, label, openAppRig } from './testing.ts';

const meters = [
  { name: 'calls', field: null },
  { name: 'input', field: 'usage.prompt_tokens' },
];
const meterOf = (type: string, chunks: readonly string[], headers: Record<string, string> = {}) => {
  const meter = makeAnswerMeter({ statusCode: 200, headers: { 'content-type': type, ...headers } }, meters);
  for (const chunk of chunks) meter.take(Buffer.from(chunk));
  return meter.end();
};

describe('the meter of an answer', () => {
  it('finds a number in JSON, wherever the answer was cut, and counts the answer', () => {
    expect(meterOf('application/json', ['{"usage":{"prom', 'pt_tokens":12}}'])).toEqual({ calls: 1, input: 12 });
  });

  it('takes the last number of a stream of events', () => {
    const stream = ['data: {"usage":null}\n\nda', 'ta: {"usage":{"prompt_tokens":3}}\n\n', 'data: [DONE]\n\n'];
    expect(meterOf('text/event-stream; charset=utf-8', stream)).toEqual({ calls: 1, input: 3 });
  });

  it.each([
    ['what is no whole number', 'application/json', ['{"usage":{"prompt_tokens":-1}}'], {}],
    ['a number too large to be exact', 'application/json', ['{"usage":{"prompt_tokens":1e300}}'], {}],
    ['what is no JSON', 'application/json', ['{"usage"'], {}],
    ['what was packed', 'application/json', ['{"usage":{"prompt_tokens":3}}'], { 'content-encoding': 'gzip' }],
    [
      'an answer that is too large',
      'application/json',
      ['{"a":"', 'x'.repeat(1_100_000), '","usage":{"prompt_tokens":3}}'],
      {},
    ],
    ['other kinds of answers', 'text/html', ['{"usage":{"prompt_tokens":3}}'], {}],
  ])('counts nothing in %s', (_, type, chunks, headers) => {
    expect(meterOf(type, chunks, headers)).toEqual({ calls: 1 });
  });
});

let rig: AppRig;
const total = (name: 'requests' | 'failures' | 'bytes_in' | 'bytes_out') =>
  Math.max(0, ...rig.reported.map((use) => use[name]));

describe('what goes through the proxy', () => {
  afterEach(() => rig.close());

  it('is counted by route: requests, their bytes both ways, and what failed', async () => {
    rig = await openAppRig({ reportMs: 50 });
    await rig.call('/');
    const own = `http://${label}.apps.localhost`;
    await rig.call('/echo', { method: 'POST', body: 'x'.repeat(5_000), headers: { origin: own } });
    await expect.poll(() => total('requests')).toBe(2);
    expect(total('bytes_in')).toBe(5_000);
    expect(total('bytes_out')).toBeGreaterThan(100);
    expect(total('failures')).toBe(0);
    await rig.stopContainer();
    await rig.call('/');
    await expect.poll(() => total('failures')).toBe(1);
    expect(rig.reported.at(-1)).toMatchObject({
      ...{ route_id: rig.admitted.route.route_id, instance_id: rig.admitted.instance_id },
    });
  });

  it('of a WebSocket is reported while it is open', async () => {
    rig = await openAppRig({ reportMs: 50 });
    const socket = new WebSocket(`ws://127.0.0.1:${rig.proxy.port}/ws`, {
      headers: { host: `${label}.apps.localhost`, ...cookie, origin: `http://${label}.apps.localhost` },
    });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.send('x'.repeat(1_000));
    await expect.poll(() => total('bytes_in')).toBeGreaterThan(1_000);
    expect(total('bytes_out')).toBeGreaterThan(1_000);
    socket.terminate();
  });

  it('has the units of the manifest, and the app is asked for an answer that can be read', async () => {
    const body = '{"usage":{"prompt_tokens":7}}';
    const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    rig = await openAppRig(
      { reportMs: 50 },
      answering(() => answer),
    );
    rig.admitted = { ...rig.admitted, meters };
    await rig.call('/v1/chat/completions');
    await rig.call('/v1/chat/completions');
    await expect.poll(() => rig.reported.at(-1)?.units).toEqual({ calls: 2, input: 14 });
  });

  it('is handed in when the copy ends', async () => {
    rig = await openAppRig({ reportMs: 3_600_000 });
    await rig.call('/');
    await rig.proxy.close();
    expect(total('requests')).toBe(1);
  });
});
