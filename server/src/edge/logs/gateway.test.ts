import { createServer, type IncomingMessage, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { InternalInput, InternalOutput } from '@gpuaas/contract/internal';
import { nodeLogsStore } from '@gpuaas/contract/internal';
import { droppedLinesHeader, logPushPath, type NodeLogPush } from '@gpuaas/contract/node';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { Outage } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import { openLoki } from '../../ports/loki.ts';
import type { InternalAnswer } from '../internal/client.ts';
import { makeTestAuthority, type TestAuthority, type TestIdentity } from '../terminal/testing.ts';
import { type LogGatewayLimits, openLogGateway, usualLogGatewayLimits } from './gateway.ts';

type Kept = InternalInput<typeof nodeLogsStore>;
type Answer = InternalAnswer<InternalOutput<typeof nodeLogsStore>>;

let authority: TestAuthority;
beforeAll(async () => {
  authority = await makeTestAuthority();
});
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function open(options: { readonly limits?: Partial<LogGatewayLimits>; readonly lokiUrl?: string } = {}) {
  const { cert, key, ca } = await authority.process('node-log-gateway');
  const held = { tls: { cert, key, ca }, notBefore: new Date(0), notAfter: new Date(Date.now() + 3_600_000) };
  const kept: Kept[] = [];
  const metrics = makeMetrics('test', '0');
  let answer: (said: Kept) => Answer = ({ lines }) => ({ ok: true, value: { stored: lines.length, refused: 0 } });
  const gateway = await openLogGateway(
    { host: '127.0.0.1', port: 0, limits: { ...usualLogGatewayLimits, ...options.limits } },
    {
      identity: { current: () => held, onRenewed: () => undefined, replace: async () => 'in memory' },
      client: {
        async ask(route, body) {
          expect(route).toBe(nodeLogsStore);
          const said = answer(body as Kept);
          kept.push(body as Kept);
          return said as never;
        },
      },
      loki: options.lokiUrl === undefined ? undefined : openLoki({ url: options.lokiUrl, token: 'for-loki' }),
      ...{ clock: systemClock, ids: systemIds, log: silentLog, metrics },
    },
  );
  endings.push(() => gateway.close());
  const push = (as: TestIdentity, body: object, headers: Record<string, string> = {}, path: string = logPushPath) =>
    new Promise<{ status: number; retryAfter: string | undefined }>((resolve, reject) => {
      const text = JSON.stringify(body);
      const asked = request(
        { host: '127.0.0.1', port: gateway.port, path, method: 'POST', ...as, agent: false },
        (response) => {
          response.resume();
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] }),
          );
        },
      );
      asked.on('error', reject);
      for (const [name, value] of Object.entries({ 'content-type': 'application/json', ...headers })) {
        asked.setHeader(name, value);
      }
      asked.end(text);
    });
  const counted = async ([name, outcome]: readonly [string, string]) => {
    const all = (await metrics.scrape()).split('\n');
    const line = all.find((each) => each.startsWith(`${name}{`) && each.includes(`outcome="${outcome}"`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const answerWith = (next: typeof answer): void => {
    answer = next;
  };
  return { gateway, kept, push, counted, answerWith };
}
const nanoseconds = () => `${Date.now()}000000`;
const agentLines = (...lines: string[]): NodeLogPush => ({
  streams: [{ stream: { stream: 'agent', level: 'info' }, values: lines.map((line) => [nanoseconds(), line]) }],
});
const lines = (outcome: string) => ['gpuaas_node_log_lines_total', outcome] as const;
const pushes = (outcome: string) => ['gpuaas_node_log_pushes_total', outcome] as const;

describe('a push of a node', () => {
  it('is handed to the api with the id of its certificate, without secrets, and counted', async () => {
    const at = await open();
    const nodeId = systemIds.next();
    const allocation = systemIds.next();
    const node = await authority.node(nodeId);
    const secret = `Bearer ${'opaque-token-0123456789'}`;
    const body: NodeLogPush = {
      streams: [
        {
          stream: { stream: 'agent', level: 'warn' },
          values: [[nanoseconds(), `it sent ${secret}`, { correlation_id: 'req-1', allocation_id: allocation }]],
        },
        {
          stream: { stream: 'console', level: 'info', allocation_id: allocation },
          values: [[nanoseconds(), '[    0.0] boot']],
        },
      ],
    };
    expect(await at.push(node, body, { [droppedLinesHeader]: '7' })).toMatchObject({ status: 204 });
    const [said] = at.kept;
    expect(said).toMatchObject({ node_id: nodeId, certificate_serial: expect.stringMatching(/^[0-9a-f]+$/) });
    expect(said?.lines).toMatchObject([
      { stream: 'agent', level: 'warn', correlation_id: 'req-1', allocation_id: allocation },
      { stream: 'console', line: '[    0.0] boot', allocation_id: allocation },
    ]);
    expect(JSON.stringify(at.kept)).not.toContain('opaque-token');
    expect([await at.counted(lines('accepted')), await at.counted(lines('dropped'))]).toEqual([2, 7]);
  });

  it('comes over mutual TLS as a node: no certificate, a stranger’s and a process’s are refused', async () => {
    const at = await open();
    const stranger = await (await makeTestAuthority()).node(systemIds.next());
    const ours = { ca: authority.roots } as TestIdentity;
    await expect(at.push(ours, agentLines('x'))).rejects.toThrow();
    await expect(at.push({ ...stranger, ca: authority.roots }, agentLines('x'))).rejects.toThrow();
    const process = await authority.process('terminal-gateway');
    expect(await at.push(process, agentLines('x'))).toMatchObject({ status: 401 });
    expect(at.kept).toEqual([]);
    expect(await at.counted(pushes('certificate'))).toBe(1);
  });

  it('is refused whole when its form, its labels, its size or its path are not as declared', async () => {
    const at = await open();
    const node = await authority.node(systemIds.next());
    const labelled = { streams: [{ stream: { stream: 'agent', level: 'info', tenant: 'x' }, values: [['1', 'x']] }] };
    const unowned = { streams: [{ stream: { stream: 'console', level: 'info' }, values: [[nanoseconds(), 'x']] }] };
    const untimed = { streams: [{ stream: { stream: 'agent', level: 'info' }, values: [['now', 'x']] }] };
    for (const body of [{}, labelled, unowned, untimed]) {
      expect(await at.push(node, body)).toMatchObject({ status: 400 });
    }
    const large = agentLines(...Array.from({ length: 400 }, () => 'x'.repeat(4_000)));
    expect(await at.push(node, large)).toMatchObject({ status: 413 });
    expect(await at.push(node, agentLines('x'), {}, '/')).toMatchObject({ status: 404 });
    expect(at.kept).toEqual([]);
    expect([await at.counted(pushes('malformed')), await at.counted(pushes('too_large'))]).toEqual([4, 1]);
  });

  it('beyond the budget of its node waits, and other nodes do not', async () => {
    const at = await open({ limits: { lines: 3 } });
    const [loud, quiet] = [await authority.node(systemIds.next()), await authority.node(systemIds.next())];
    expect(await at.push(loud, agentLines('1', '2', '3'))).toMatchObject({ status: 204 });
    const refused = await at.push(loud, agentLines('4'));
    expect(refused.status).toBe(429);
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(await at.push(quiet, agentLines('1'))).toMatchObject({ status: 204 });
    expect(await at.counted(pushes('budget'))).toBe(1);
  });

  it('costs its bytes also when it is malformed, and is not read beyond them', async () => {
    const malformed = { streams: 'x'.repeat(1_000) };
    const at = await open({ limits: { bytes: 2_500 } });
    const [broken, quiet] = [await authority.node(systemIds.next()), await authority.node(systemIds.next())];
    expect(await at.push(broken, malformed)).toMatchObject({ status: 400 });
    expect(await at.push(broken, malformed)).toMatchObject({ status: 400 });
    const refused = await at.push(broken, malformed);
    expect(refused.status).toBe(429);
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(await at.push(quiet, agentLines('1'))).toMatchObject({ status: 204 });
    expect([await at.counted(pushes('malformed')), await at.counted(pushes('budget'))]).toEqual([2, 1]);
  });

  it('is not taken while the api keeps nothing, and what the api refuses is counted', async () => {
    const at = await open();
    const node = await authority.node(systemIds.next());
    at.answerWith(() => {
      throw new Outage('the api does not answer');
    });
    expect(await at.push(node, agentLines('x'))).toMatchObject({ status: 503, retryAfter: '5' });
    await expect.poll(() => at.gateway.troubleMs).toBeGreaterThan(0);
    at.answerWith(() => ({ ok: true, value: { stored: 1, refused: 1 } }));
    expect(await at.push(node, agentLines('x', 'y'))).toMatchObject({ status: 204 });
    expect(at.gateway.troubleMs).toBe(0);
    expect(await at.counted(lines('rejected'))).toBe(1);
    at.answerWith(() => ({ ok: false, status: 401, code: 'node_certificate_invalid', message: 'revoked' }));
    expect(await at.push(node, agentLines('x'))).toMatchObject({ status: 401 });
  });
});

/**
 * What Loki itself refuses in a push: another path, method or type, names of labels that are none, a stream without labels, times that are not
 * whole nanoseconds in digits or go backwards in a stream, and metadata that is not text. No Loki runs here, so its double is strict.
 */
function whyLokiRefuses(request: IncomingMessage, text: string): string | undefined {
  if (request.method !== 'POST' || request.url !== '/loki/api/v1/push') return 'another path';
  if (request.headers['content-type'] !== 'application/json') return 'another type';
  const { streams, ...more } = JSON.parse(text) as { streams: { stream: object; values: unknown[][] }[] };
  if (!Array.isArray(streams) || streams.length === 0 || Object.keys(more).length > 0) return 'no streams';
  const isText = (of: object, names: RegExp) =>
    Object.entries(of).every(([name, value]) => names.test(name) && typeof value === 'string');
  for (const { stream, values } of streams) {
    if (Object.keys(stream).length === 0 || !isText(stream, /^[a-zA-Z_][a-zA-Z0-9_]*$/)) return 'labels';
    let last = 0n;
    for (const [at, line, metadata, ...rest] of values) {
      if (typeof at !== 'string' || !/^\d{19}$/.test(at) || BigInt(at) < last) return 'times';
      last = BigInt(at);
      if (typeof line !== 'string' || rest.length > 0) return 'lines';
      if (metadata !== undefined && !isText(metadata as object, /^[a-zA-Z_][a-zA-Z0-9_]*$/)) return 'metadata';
    }
  }
  return undefined;
}

describe('a Loki', () => {
  it('gets what was kept, after an outage too, with few labels and the rest as metadata', async () => {
    let isDown = true;
    let asked = 0;
    const taken: { readonly headers: object; readonly body: NodeLogPush }[] = [];
    const loki: Server = createServer((incoming, response) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
      incoming.on('end', () => {
        asked += 1;
        const why = whyLokiRefuses(incoming, text);
        if (!isDown && !why) taken.push({ headers: incoming.headers, body: JSON.parse(text) });
        const good = why === undefined ? 204 : 400;
        response.writeHead(isDown ? 503 : good).end(why);
      });
    });
    await new Promise<void>((resolve) => loki.listen(0, '127.0.0.1', resolve));
    endings.push(() => new Promise((resolve) => loki.close(resolve)));
    const at = await open({ lokiUrl: `http://127.0.0.1:${(loki.address() as AddressInfo).port}` });
    const nodeId = systemIds.next();
    const correlated: NodeLogPush = {
      streams: [
        {
          stream: { stream: 'agent', level: 'info' },
          values: [[nanoseconds(), 'a line', { correlation_id: 'req-9' }]],
        },
      ],
    };
    expect(await at.push(await authority.node(nodeId), correlated)).toMatchObject({ status: 204 });
    await expect.poll(() => asked, { timeout: 20_000 }).toBeGreaterThan(0);
    isDown = false;
    await expect.poll(() => taken.length, { timeout: 20_000 }).toBe(1);
    expect(taken[0]?.headers).toMatchObject({ authorization: 'Bearer for-loki' });
    expect(taken[0]?.body.streams).toMatchObject([
      {
        stream: { job: 'gpuaas-nodes', node_id: nodeId, stream: 'agent', level: 'info' },
        values: [[expect.any(String), 'a line', { correlation_id: 'req-9' }]],
      },
    ]);
    await expect.poll(() => at.counted(['gpuaas_node_log_forwarded_lines_total', 'sent'])).toBe(1);
  });
});
