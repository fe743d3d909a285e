import { createHash, randomBytes } from 'node:crypto';
import type { RecordingVerdict } from '@gpuaas/contract';
import type { TerminalInternalInput } from '@gpuaas/contract/terminal';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { makeTestClock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { dayMs } from '../../../kernel/units.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { makeRecordingRetention } from '../index.ts';
import { copyOne, copyTwo, openTerminalScene, type TerminalScene } from '../testing.ts';
import { decodeChunk } from './chunk.ts';

const clock = makeTestClock(new Date());
const call = { correlationId: 'a test' };
let world: World;
let home: Tenant;
let [ada, admin, viewer, stranger, operator] = ['', '', '', '', ''];
let scene: TerminalScene;
let allocation: string;
beforeAll(async () => {
  world = await openWorld({ clock, policies: { 'terminal.recording': 'output', 'terminal.recording_max_mib': 1 } });
  home = await world.found('home');
  ada = await world.join('ada', home, 'member');
  admin = await world.join('admin', home, 'admin');
  viewer = await world.join('viewer', home, 'viewer');
  stranger = (await world.found('elsewhere')).token;
  operator = await world.operator();
  scene = openTerminalScene(world, home);
});
afterAll(() => world?.close());
beforeEach(async () => {
  allocation = await scene.machineOf('ada');
});

type Chunk = TerminalInternalInput<'record'>;
const chunk = (
  id: string,
  sequence: number,
  from: number,
  bytes: Buffer | string,
  more: Partial<Chunk> = {},
): Chunk => {
  const payload = Buffer.from(bytes);
  return {
    ...{ session_id: id, copy_id: copyOne.copy_id, sequence, from, to: from + payload.length, final: false },
    events: payload.length > 0 ? [[sequence * 10, 'o', payload.length]] : [[0, 'r', '80x24']],
    payload: payload.toString('base64'),
    ...more,
  };
};
const record = (given: Chunk) => world.terminal.record(given, call);
const codeOf = async (given: Chunk) => {
  const answer = await record(given);
  return answer instanceof Fault ? answer.code : answer;
};
/** An open session with these pieces recorded, and its end. */
const recorded = async (pieces: readonly (Buffer | string)[], isFinal = true): Promise<string> => {
  const id = await scene.open(ada, allocation);
  let at = 0;
  for (const [index, piece] of ['', ...pieces].entries()) {
    const final = isFinal && index === pieces.length;
    expect(await record(chunk(id, index + 1, at, piece, { final }))).toEqual({
      recorded: at + Buffer.byteLength(piece),
    });
    at += Buffer.byteLength(piece);
  }
  return id;
};
const pathOf = (id: string, rest = '') => `/api/v1/terminal-recordings/${id}${rest}`;
const get = (as: string, id: string, rest = '') => world.call('GET', pathOf(id, rest), { as });
const openAs = (as: string, id: string) =>
  world.call('POST', pathOf(id, '/views'), { as, key: systemIds.next(), body: { purpose: 'watch' } });
const castOf = async (as: string, id: string, format = 'v2') => {
  const view = (await openAs(as, id)).body.view_id;
  let [cast, at, pages] = ['', '', 0];
  for (;;) {
    const { body } = await get(as, id, `/cast?view=${view}&format=${format}${at === '' ? '' : `&at=${at}`}`);
    cast += body.cast;
    pages += 1;
    if (body.next === null)
      return {
        lines: cast
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
        pages,
      };
    at = body.next;
  }
};
const rowsOf = async (id: string) =>
  (await world.root.query('select * from terminal_recording_chunks where recording_id = $1 order by sequence', [id]))
    .rows;
const verdictOf = async (id: string): Promise<RecordingVerdict> => (await get(admin, id, '/verify')).body;

describe('chunks of a recording', () => {
  it('are stored one after the other, each with the digest of the one before', async () => {
    const bytes = randomBytes(50_000);
    const id = await recorded(['hello ', bytes, 'bye']);
    const rows = await rowsOf(id);
    expect(rows.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(rows[0].previous_sha256).toBe('0'.repeat(64));
    expect(rows.slice(1).map(({ previous_sha256 }) => previous_sha256)).toEqual(
      rows.slice(0, -1).map(({ sha256 }) => sha256),
    );
    const stored: Buffer[] = [];
    for (const { object_key } of rows) {
      const object = await world.objects.get(object_key);
      const parts: Buffer[] = [];
      for await (const part of object?.body ?? []) parts.push(part as Buffer);
      stored.push(decodeChunk(Buffer.concat(parts))?.payload ?? expect.unreachable('no chunk'));
    }
    expect(Buffer.concat(stored).equals(Buffer.concat([Buffer.from('hello '), bytes, Buffer.from('bye')]))).toBe(true);
    const arrived = (await scene.arrive(id, allocation, copyTwo)) as { recorded: number; recording: object };
    expect(arrived).toMatchObject({ recorded: 50_009, recording: { chunks: 4, last_ms: 40, records_input: false } });
  });

  it('are refused when they do not follow, come from another copy or after the end; the same one again is not', async () => {
    const id = await recorded(['one'], false);
    expect(await codeOf(chunk(id, 4, 3, 'x'))).toBe('terminal_recording_conflict');
    expect(await codeOf(chunk(id, 3, 2, 'x'))).toBe('terminal_recording_conflict');
    expect(await codeOf(chunk(id, 2, 0, 'two'))).toBe('terminal_recording_conflict');
    expect(await codeOf(chunk(id, 2, 0, 'one'))).toEqual({ recorded: 3 });
    expect(await codeOf(chunk(id, 3, 3, 'x', { copy_id: copyTwo.copy_id }))).toBe('terminal_recording_conflict');
    expect(await codeOf(chunk(id, 3, 3, 'x', { to: 9 }))).toBe('validation_error');
    await scene.arrive(id, allocation, copyTwo);
    // The node has moved: the old copy does not go on, and the new one does.
    expect(await codeOf(chunk(id, 3, 3, 'x'))).toBe('terminal_recording_conflict');
    expect(await codeOf(chunk(id, 3, 3, 'y', { copy_id: copyTwo.copy_id, final: true }))).toEqual({ recorded: 4 });
    expect(await codeOf(chunk(id, 4, 4, 'z', { copy_id: copyTwo.copy_id }))).toBe('terminal_recording_conflict');
    expect(await verdictOf(id)).toMatchObject({ intact: true, chunks: 3 });
  });

  it('of two copies that store the same number at once, one is stored', async () => {
    const id = await recorded(['one'], false);
    const answers = await Promise.all(
      [0, 1, 2, 3, 4, 5, 6, 7].map((which) => codeOf(chunk(id, 3, 3, `racer ${which}`))),
    );
    expect(answers.filter((answer) => typeof answer === 'object')).toHaveLength(1);
    expect(await verdictOf(id)).toMatchObject({ intact: true, chunks: 3 });
  });

  it('have a limit together, after which the recording is full', async () => {
    const id = await recorded(
      [randomBytes(250_000), randomBytes(250_000), randomBytes(250_000), randomBytes(250_000)],
      false,
    );
    expect(await codeOf(chunk(id, 6, 1_000_000, randomBytes(250_000)))).toBe('terminal_not_recorded');
  });

  it('never change, not even for the owner of the database', async () => {
    const id = await recorded(['one']);
    await expect(
      asSystem(world.root, `update terminal_recording_chunks set sha256 = repeat('a', 64) where recording_id = $1`, [
        id,
      ]),
    ).rejects.toThrow(/only grows/);
    await expect(
      asSystem(world.root, 'delete from terminal_recording_chunks where recording_id = $1', [id]),
    ).rejects.toThrow(/only grows/);
  });
});

describe('a recording', () => {
  it('is asciicast, with characters joined that two chunks cut, on as many pages as it needs', async () => {
    const text = 'grün €uro 🚀 '.repeat(30_000);
    const bytes = Buffer.from(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 4_999) }, (_, index) =>
      bytes.subarray(index * 4_999, (index + 1) * 4_999),
    );
    const id = await recorded(pieces);
    const { lines, pages } = await castOf(admin, id);
    expect(pages).toBeGreaterThan(1);
    expect(lines[0]).toMatchObject({ version: 2, width: 80, height: 24, title: 'shell 1' });
    expect(lines[1]).toEqual([0, 'r', '80x24']);
    const output = lines.slice(1).filter(([, kind]) => kind === 'o');
    expect(output.map(([, , said]) => said).join('')).toBe(text);
    const times = output.map(([at]) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const later = (await castOf(admin, id, 'v3')).lines;
    expect(later[0]).toMatchObject({ version: 3, term: { cols: 80, rows: 24 } });
    expect(later.slice(1).reduce((sum, [after]) => sum + after, 0)).toBeCloseTo(times.at(-1), 6);
  });

  it('shows bytes that are no text as U+FFFD and keeps them', async () => {
    const id = await recorded([Buffer.from([0x41, 0xff, 0xfe, 0xc3])]);
    const { lines } = await castOf(admin, id);
    expect(
      lines
        .slice(2)
        .map(([, , said]) => said)
        .join(''),
    ).toBe('A\ufffd\ufffd\ufffd');
    const digest = createHash('sha256')
      .update(Buffer.from([0x41, 0xff, 0xfe, 0xc3]))
      .digest('hex');
    const [, row] = await rowsOf(id);
    const parts: Buffer[] = [];
    for await (const part of (await world.objects.get(row.object_key))?.body ?? []) parts.push(part as Buffer);
    const payload = decodeChunk(Buffer.concat(parts))?.payload ?? Buffer.alloc(0);
    expect(createHash('sha256').update(payload).digest('hex')).toBe(digest);
  });

  it('is listed by allocation, person and time, for admins and owners', async () => {
    const id = await recorded(['one']);
    const listPath = (more: string) => `/api/v1/organizations/${home.organizationId}/terminal-recordings${more}`;
    const list = async (more: string, as = admin) => world.call('GET', listPath(more), { as });
    const ids = async (more: string) => (await list(more)).body.data.map((one: { id: string }) => one.id);
    expect(await ids(`?allocation=${allocation}`)).toEqual([id]);
    expect(await ids(`?user=${await scene.idOf('ada')}&limit=1`)).toEqual([id]);
    expect(await ids(`?allocation=${allocation}&user=${await scene.idOf('admin')}`)).toEqual([]);
    const soon = new Date(clock.now().getTime() + 60_000).toISOString();
    expect(await ids(`?allocation=${allocation}&from=${soon}`)).toEqual([]);
    expect(await ids(`?allocation=${allocation}&to=${soon}`)).toEqual([id]);
    expect((await list('', ada)).status).toBe(403);
    expect((await list('', stranger)).status).toBe(404);
    expect((await get(admin, id)).body).toMatchObject({
      ...{ id, state: 'recording', kind: 'output', output_bytes: 3, chunks: 2, allocation_id: allocation },
    });
  });

  it('does not exist for other tenants, and members and viewers may not open it', async () => {
    const id = await recorded(['one']);
    const unknown = systemIds.next();
    for (const rest of ['', '/verify', `/cast?view=${'0'.repeat(32)}`]) {
      const [theirs, none] = [await get(stranger, id, rest), await get(stranger, unknown, rest)];
      expect([theirs.status, theirs.body.code, theirs.body.message]).toEqual([
        404,
        'terminal_recording_not_found',
        none.body.message,
      ]);
      expect((await get(ada, id, rest)).status).toBe(403);
    }
    expect((await openAs(viewer, id)).status).toBe(403);
    expect((await openAs(stranger, id)).status).toBe(404);
  });

  it('is read with a view alone, and the audit log has who opened it', async () => {
    const id = await recorded(['one']);
    const view = (await openAs(admin, id)).body.view_id;
    expect((await get(admin, id, `/cast?view=${view}`)).status).toBe(200);
    // A view is of one person.
    expect((await get(home.token, id, `/cast?view=${view}`)).body.code).toBe('recording_view_invalid');
    expect((await get(admin, id, `/cast?view=${'0'.repeat(32)}`)).body.code).toBe('recording_view_invalid');
    const adminPath = `/api/v1/admin/terminal-recordings/${id}/views`;
    const opened = await world.call('POST', adminPath, {
      ...{ as: operator, key: systemIds.next(), body: { purpose: 'download', reason: 'ticket 7' } },
    });
    expect(opened.status).toBe(201);
    const { rows } = await world.root.query(
      `select action, actor_id, organization_id from audit_logs where target_id = $1 and action like '%open%' order by id`,
      [id],
    );
    expect(rows).toEqual(
      [
        ...[{ action: 'terminal_recording.open', actor_id: await scene.idOf('admin') }],
        ...[{ action: 'terminal_recording.open_by_operator', actor_id: expect.any(String) }],
      ].map((row) => ({ ...row, organization_id: home.organizationId })),
    );
  });
});

describe('verifying a recording', () => {
  it('says that it is intact, and the end of the session seals its digest in the audit log', async () => {
    const id = await recorded(['one', 'two']);
    expect(await verdictOf(id)).toEqual({ recording_id: id, intact: true, chunks: 3, broken: null });
    await world.terminal.ended(
      { session_id: id, copy_id: copyOne.copy_id, reason: 'exited', exit_code: 0, sent: 6, written: 0 },
      call,
    );
    const shown = (await get(admin, id)).body;
    expect(shown).toMatchObject({ state: 'complete', end_reason: 'exited' });
    const { rows } = await world.root.query(
      `select change from audit_logs where target_id = $1 and action = 'terminal_session.ended'`,
      [id],
    );
    expect(rows[0].change).toMatchObject({ recording_chunks: 3, recording_sha256: shown.sha256 });
  });

  it.each([1, 2, 3])('names chunk %i when its object was edited, and shows none of it', async (which) => {
    const id = await recorded(['one', 'two']);
    const row = (await rowsOf(id))[which - 1];
    const object = await world.objects.get(row.object_key);
    const parts: Buffer[] = [];
    for await (const part of object?.body ?? []) parts.push(part as Buffer);
    const bytes = Buffer.concat(parts);
    bytes.writeUInt8(bytes[bytes.length - 1] === 0x58 ? 0x59 : 0x58, bytes.length - 1);
    await world.objects.put(row.object_key, bytes);
    expect(await verdictOf(id)).toMatchObject({ intact: false, chunks: which - 1, broken: { sequence: which } });
    const view = (await openAs(admin, id)).body.view_id;
    expect((await get(admin, id, `/cast?view=${view}`)).body).toMatchObject({ code: 'recording_damaged' });
  });

  it('names a chunk that is gone, one that is replaced together with its row, and one that was cut off', async () => {
    const lost = await recorded(['one', 'two']);
    await world.objects.delete((await rowsOf(lost))[1].object_key);
    expect(await verdictOf(lost)).toMatchObject({ intact: false, broken: { sequence: 2 } });
    const unguarded = async (text: string, values: unknown[]) => {
      await world.root.query('begin');
      await world.root.query('set local session_replication_role = replica');
      await world.root.query(text, values);
      await world.root.query('commit');
    };
    const forged = await recorded(['one', 'two']);
    await unguarded(
      `update terminal_recording_chunks set sha256 = repeat('a', 64) where recording_id = $1 and sequence = 2`,
      [forged],
    );
    expect(await verdictOf(forged)).toMatchObject({ intact: false, broken: { sequence: 2 } });
    const cut = await recorded(['one', 'two']);
    await unguarded('delete from terminal_recording_chunks where recording_id = $1 and sequence = 3', [cut]);
    expect(await verdictOf(cut)).toMatchObject({ intact: false, broken: { sequence: 3, problem: 'It is missing.' } });
  });
});

describe('what policy says', () => {
  it('off makes no recording, metadata one without a word, and neither takes chunks', async () => {
    const silent = await openWorld({ clock, beside: world, policies: { 'terminal.recording': 'off' } });
    const noted = await openWorld({ clock, beside: world, policies: { 'terminal.recording': 'metadata' } });
    try {
      for (const [of, recording, status] of [
        [silent, 'off', 404],
        [noted, 'metadata', 200],
      ] as const) {
        const there = openTerminalScene(of, home);
        const id = await there.open(ada, allocation);
        expect((await there.sessions(ada, allocation)).body.data[0]).toMatchObject({ id, recording });
        expect((await get(admin, id)).status).toBe(status);
        const answer = await of.terminal.record(chunk(id, 1, 0, ''), call);
        expect(answer).toMatchObject({ code: 'terminal_recording_not_found' });
      }
    } finally {
      await silent.close();
      await noted.close();
    }
  });

  it('keeps a recording for its retention and not longer; the digests stay', async () => {
    const id = await recorded(['one', 'two']);
    await scene.end(ada, id);
    const retention = makeRecordingRetention({
      ...{ db: world.database.database, begin: actsOf('terminal', systemIds), objects: world.objects, ids: systemIds },
      ...{ clock, log: silentLog, metrics: makeMetrics('test', '0.0.0'), policies: { number: () => 90 } },
    });
    const round = () => retention.round(new AbortController().signal);
    await clock.advance(89 * dayMs);
    admin = await world.token('admin');
    await round();
    expect((await get(admin, id)).body.state).toBe('complete');
    await clock.advance(2 * dayMs);
    admin = await world.token('admin');
    await round();
    expect((await get(admin, id)).body).toMatchObject({ state: 'removed', chunks: 3 });
    expect((await get(admin, id, '/verify')).body.code).toBe('recording_removed');
    expect((await openAs(admin, id)).body.code).toBe('recording_removed');
    expect(await world.objects.list(`recordings/${home.organizationId}/${id}/`, { limit: 10 })).toEqual([]);
    expect(await rowsOf(id)).toHaveLength(3);
  });
});
