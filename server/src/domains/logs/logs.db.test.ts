import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { putAllocation } from '../allocations/testing.ts';
import { openTerminalScene } from '../terminal/testing.ts';
import { makeLogLines, makeLogUpkeep } from './index.ts';

let world: World;
let worker: DatabasePort;
let home: Tenant;
let other: Tenant;
let operator: string;
let port: number;
beforeAll(async () => {
  world = await openWorld();
  worker = await openPostgres({
    ...{ url: world.schema.as('gpuaas_worker'), clock: systemClock, ids: systemIds, log: silentLog, name: 'test' },
    poolSize: 2,
  });
  [home, other] = [await world.found('home'), await world.found('other')];
  operator = await world.operator();
  port = (await world.listen()).port;
});
afterAll(async () => {
  await worker?.close();
  await world?.close();
});

interface Said {
  readonly stream?: 'agent' | 'console';
  readonly level?: 'debug' | 'info' | 'warn' | 'error';
  readonly secondsAgo?: number;
  readonly allocation_id?: string;
  readonly correlation_id?: string;
}
const now = Date.now();
const say = (line: string, { secondsAgo = 0, ...more }: Said = {}) => ({
  ...{ at: new Date(now - secondsAgo * 1_000).toISOString(), stream: 'agent' as const, level: 'info' as const, line },
  ...more,
});

/** A slice of a tenant, and its node with a certificate. */
async function rented(tenant: Tenant) {
  const id = await putAllocation(world.root, tenant, 'active');
  await asSystem(
    world.root,
    `update allocations set capacity_shape = 'gpu_slice', version = version + 1 where id = $1`,
    [id],
  );
  const scene = openTerminalScene(world, tenant);
  const node = await scene.nodeOf(id);
  const serial = await scene.certificateOf(node);
  const push = (...lines: ReturnType<typeof say>[]) =>
    world.storeLogs({ node_id: node, certificate_serial: serial, lines }, { correlationId: 'a test' });
  return { id, node, serial, push };
}
interface LinePage {
  readonly data: { readonly id: string; readonly line: string; readonly correlation_id: string | null }[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
  readonly unavailable?: string | null;
}
const list = async (query: string): Promise<LinePage> =>
  (await world.call('GET', `/api/v1/admin/node-logs?${query}`, { as: operator })).body;
const consoleOf = (id: string, tenant: Tenant, query = '') =>
  world.call('GET', `/api/v1/allocations/${id}/logs${query}`, { as: tenant.token });
const linesIn = ({ data }: LinePage) => data.map(({ line }) => line);

describe('lines of nodes', () => {
  it('are found by node, allocation, correlation id, level, text and time, newest first and page by page', async () => {
    const { id, node, push } = await rented(home);
    const task = { allocation_id: id, correlation_id: 'req-find-me' };
    expect(
      await push(
        say('the agent began', { secondsAgo: 50 }),
        say('a task began', { secondsAgo: 40, ...task }),
        say('the Driver does not answer', { secondsAgo: 30, level: 'error', ...task }),
        say('[    0.000000] Linux version', { secondsAgo: 20, stream: 'console', allocation_id: id }),
        say('a task ended', { secondsAgo: 10 }),
      ),
    ).toEqual({ stored: 5, refused: 0 });
    expect(linesIn(await list(`correlation_id=req-find-me`))).toEqual(['the Driver does not answer', 'a task began']);
    expect(linesIn(await list(`allocation_id=${id}&stream=agent`))).toHaveLength(2);
    expect(linesIn(await list(`node_id=${node}&level=warn`))).toEqual(['the Driver does not answer']);
    expect(linesIn(await list(`node_id=${node}&contains=driver`))).toEqual(['the Driver does not answer']);
    const since = new Date(now - 25_000).toISOString();
    expect(linesIn(await list(`node_id=${node}&since=${since}`))).toHaveLength(2);
    expect(linesIn(await list(`node_id=${node}&until=${since}`))).toHaveLength(3);
    const first = await list(`node_id=${node}&limit=3`);
    const second = await list(`node_id=${node}&limit=3&cursor=${first.next_cursor}`);
    expect([...linesIn(first), ...linesIn(second)]).toEqual([
      'a task ended',
      '[    0.000000] Linux version',
      'the Driver does not answer',
      'a task began',
      'the agent began',
    ]);
    expect([first.has_more, second.has_more]).toEqual([true, false]);
  });

  it('of a range that ends before it begins are refused', async () => {
    const { id } = await rented(home);
    const range = 'since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z';
    const asked = [
      await world.call('GET', `/api/v1/admin/node-logs?${range}`, { as: operator }),
      await consoleOf(id, home, `?${range}`),
    ];
    for (const { status, body } of asked) expect([status, body.code]).toEqual([422, 'log_range_invalid']);
  });

  it('are taken only from a node whose certificate is still good', async () => {
    const { node, serial, push } = await rented(home);
    await asSystem(world.root, 'update node_certificates set revoked_at = now() where serial = $1', [serial]);
    expect(await push(say('from a stolen key'))).toBeInstanceOf(Fault);
    expect(linesIn(await list(`node_id=${node}`))).toEqual([]);
  });

  it('are refused when they are too old or in the future', async () => {
    const { push } = await rented(home);
    const said = await push(say('old', { secondsAgo: 100 * 3_600 }), say('ahead', { secondsAgo: -600 }), say('now'));
    expect(said).toEqual({ stored: 1, refused: 2 });
  });

  it('are removed when their time is over, each stream at its own', async () => {
    const { id, node, push } = await rented(home);
    const console = { stream: 'console', allocation_id: id } as const;
    await push(
      say('an old word', { secondsAgo: 7_200 }),
      say('an old console', { secondsAgo: 7_200, ...console }),
      say('a new word'),
    );
    const hours: Readonly<Record<string, number>> = {
      'logs.node_retention_hours': 1,
      'logs.console_retention_hours': 4,
    };
    const upkeep = makeLogUpkeep({
      lines: makeLogLines(worker.unaudited),
      policies: { number: (key) => hours[key] ?? 0 },
      clock: systemClock,
    });
    expect(await upkeep.round(new AbortController().signal)).toBe('idle');
    expect(linesIn(await list(`node_id=${node}`))).toEqual(['a new word', 'an old console']);
  });
});

describe('the console of a machine', () => {
  it('is for those who rent it: others get the answer of what does not exist, and words of the agent are not in it', async () => {
    const { id, push } = await rented(home);
    await push(
      say('boot', { secondsAgo: 2, stream: 'console', allocation_id: id }),
      say('about the machine', { secondsAgo: 1, allocation_id: id }),
    );
    const mine = await consoleOf(id, home);
    expect(linesIn(mine.body)).toEqual(['boot']);
    expect(mine.body).toMatchObject({ allocation_id: id, unavailable: null });
    expect((await consoleOf(id, other)).status).toBe(404);
    expect((await consoleOf(id, other)).body.code).toBe('allocation_not_found');
  });

  it('takes no line from a node that does not run the machine', async () => {
    const [mine, theirs] = [await rented(home), await rented(other)];
    expect(await theirs.push(say('forged', { stream: 'console', allocation_id: mine.id }))).toEqual({
      stored: 0,
      refused: 1,
    });
    const { body } = await consoleOf(mine.id, home);
    expect(linesIn(body)).toEqual([]);
    expect(body.unavailable).toContain('has written nothing');
  });

  it('of a whole host is not recorded, and says so', async () => {
    const id = await putAllocation(world.root, home, 'active');
    await asSystem(
      world.root,
      `update allocations set capacity_shape = 'baremetal', version = version + 1 where id = $1`,
      [id],
    );
    expect((await consoleOf(id, home)).body.unavailable).toContain('journalctl');
  });
});

describe('following', () => {
  /** Reads a stream until so many lines have come. */
  async function follow(path: string, as: string, count: number, onReady: () => Promise<unknown>): Promise<string[]> {
    const leaving = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${as}` },
      signal: leaving.signal,
    });
    expect(answer.status).toBe(200);
    const lines: string[] = [];
    let text = '';
    let isReady = false;
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (!isReady && text.includes('event: ready')) {
        isReady = true;
        await onReady();
      }
      lines.splice(0, lines.length, ...[...text.matchAll(/^event: line\ndata: (.*)$/gm)].map(([, data = '']) => data));
      if (lines.length >= count) break;
    }
    leaving.abort();
    return lines.map((data) => (JSON.parse(data) as { line: string }).line);
  }

  it('shows lines as they arrive, only those that were asked for, and goes on behind the last id', async () => {
    const { id, node, push } = await rented(home);
    const stranger = await rented(other);
    await push(say('before'));
    const path = `/api/v1/admin/node-logs/stream?node_id=${node}`;
    const seen = await follow(path, operator, 2, async () => {
      await stranger.push(say('of another node'));
      await push(say('first'), say('[1.0] second', { stream: 'console', allocation_id: id }));
    });
    expect(seen).toEqual(['first', '[1.0] second']);
    const before = (await list(`node_id=${node}&contains=before`)).data[0]?.id;
    expect(await follow(`${path}&after=${before}`, operator, 2, async () => undefined)).toEqual(seen);
  });

  it('shows a tenant the console of its own machine and nothing else', async () => {
    const [mine, theirs] = [await rented(home), await rented(other)];
    const path = `/api/v1/allocations/${mine.id}/logs/stream`;
    const boot = (of: { readonly id: string }, line: string) => say(line, { stream: 'console', allocation_id: of.id });
    const seen = await follow(path, home.token, 1, async () => {
      await theirs.push(boot(theirs, 'theirs'));
      await mine.push(say('the agent'), boot(mine, 'mine'));
    });
    expect(seen).toEqual(['mine']);
    const { status } = await world.call('GET', path, { as: other.token });
    expect(status).toBe(404);
  });
});
