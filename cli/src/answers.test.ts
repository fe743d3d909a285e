import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes, Failure } from './failure.ts';
import { rehearse, type Script } from './testing.ts';

const page = (...data: readonly object[]) => ({ data, has_more: false, next_cursor: null });
const id = '01a1dea2-0000-7000-8000-000000000001';
const project = '01a1dea2-0000-7000-8000-00000000000a';
const hostile = 'evil\u001b[31m\u009b2J\u202etxt';
const row = (name: string, state = 'active') => ({ id, name, state, sku: 'h200', gpu_count: 1, ended_at: null });
const world: Script = { 'GET /api/v1/allocations': page(row('trainer'), { ...row(hostile), id: 'x' }) };
const env = { GPUAAS_PROJECT: project };

describe('an answer in JSON', () => {
  it('has the fields that were asked for, behind an equals sign or a space', async () => {
    const want = [
      { id, state: 'active' },
      { id: 'x', state: 'active' },
    ];
    for (const flags of [['--json=id,state'], ['--json', 'id,state']]) {
      const { out, code } = await rehearse(['alloc', 'list', ...flags], world, { env });
      expect({ code, rows: JSON.parse(out) as unknown }).toEqual({ code: 0, rows: want });
    }
  });

  it('says so when there is no such field, and which there are', async () => {
    for (const flags of [
      ['--json', 'id,rate'],
      ['--columns', 'rate'],
    ]) {
      const { code, out, err } = await rehearse(['alloc', 'list', ...flags], world, { env });
      expect({ code, out }).toEqual({ code: exitCodes.usage, out: '' });
      expect(err).toContain('There is no field "rate".\nNext: There are: id, name, state');
    }
  });

  it('leaves a word to the command that takes one', async () => {
    const script = { [`GET /api/v1/allocations/${id}`]: row('trainer') };
    expect(JSON.parse((await rehearse(['alloc', 'get', '--json', id], script)).out)).toMatchObject({ name: 'trainer' });
    const { out } = await rehearse(['alloc', 'get', id, '--json', 'name'], script);
    expect(JSON.parse(out)).toEqual({ name: 'trainer' });
  });

  it('goes through jq, whole language and all', async () => {
    const filter = (...args: string[]) => rehearse(['alloc', 'list', ...args], world, { env });
    expect((await filter('--jq', '.[0].id')).out).toBe(`${id}\n`);
    expect((await filter('--json', 'id,state', '-q', '.[] | .id')).out).toBe(`${id}\nx\n`);
    const deep = await filter(
      '-q',
      'map(select(.name | test("^tr"))) | length as $n | reduce range($n) as $i (0; .+1)',
    );
    expect(deep.out).toBe('1\n');
    expect((await filter('-q', '.id', '-o', 'ndjson')).out).toBe(`${id}\nx\n`);
    expect((await filter('-q', 'empty')).out).toBe('');
    expect(await filter('-q', '.[0].id | keys')).toMatchObject({ code: exitCodes.failed, out: '' });
  });

  it('says what jq does not understand before anything is asked', async () => {
    const { code, err, asked } = await rehearse(['alloc', 'list', '--jq', '.[0'], world, { env });
    expect({ code, asked }).toEqual({ code: exitCodes.usage, asked: [] });
    expect(err).toContain('Next: ');
  });

  it('moves no cursor, whoever chose the names', async () => {
    const orders = /[^\P{Cc}\n\r]|\p{Bidi_Control}/u;
    for (const flags of [[], ['-o', 'json'], ['-o', 'yaml'], ['-o', 'csv'], ['-o', 'ndjson'], ['-q', '.[].name']]) {
      const { out } = await rehearse(['alloc', 'list', ...flags], world, { env, isTTY: true });
      expect(out, flags.join(' ')).not.toMatch(orders);
      expect(out, flags.join(' ')).not.toBe('');
    }
    const data = (await rehearse(['alloc', 'list', '-o', 'json'], world, { env })).out;
    expect((JSON.parse(data) as { name: string }[])[1]?.name).toBe(hostile);
  });

  it('shows a refusal without what a terminal obeys', async () => {
    const refused = { refused: 409, body: { code: 'allocation_not_active', message: hostile, correlation_id: 'c-1' } };
    const { err, code } = await rehearse(['alloc', 'get', id], { [`GET /api/v1/allocations/${id}`]: refused });
    expect(code).toBe(exitCodes.conflict);
    expect(err).not.toContain('\u001b');
    expect(err).toContain('Correlation id: c-1');
  });
});

describe('--watch', () => {
  const until = (times: number) => {
    let left = times;
    return async () => {
      left -= 1;
      if (left <= 0) throw new Failure(exitCodes.interrupted, 'stopped');
    };
  };
  const changing: Script = {
    'GET /api/v1/allocations': [page(row('a', 'requested')), page(row('a', 'requested')), page(row('a', 'active'))],
  };

  it('prints an answer again when it has changed, and only then', async () => {
    const { out, code } = await rehearse(['alloc', 'list', '--watch'], changing, { env, sleep: until(4) });
    expect(code).toBe(exitCodes.interrupted);
    expect(out.match(/requested/g)).toHaveLength(1);
    expect(out.match(/active/g)).toHaveLength(1);
  });

  it('prints the rows that changed as ndjson', async () => {
    const { out } = await rehearse(['alloc', 'list', '--watch', '-o', 'ndjson'], changing, { env, sleep: until(4) });
    const states = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { state: string }).state);
    expect(states).toEqual(['requested', 'active']);
  });

  it('writes over itself on a terminal', async () => {
    const { out } = await rehearse(['alloc', 'list', '--watch'], changing, { env, isTTY: true, sleep: until(4) });
    expect(out.split('\u001b[H')).toHaveLength(3);
  });

  it('is refused where something would be done', async () => {
    const { code, asked } = await rehearse(['release', id, '-y', '--watch'], world);
    expect({ code, asked }).toEqual({ code: exitCodes.usage, asked: [] });
  });
});

describe('a project file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-file-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const write = (text: string) => writeFile(join(folder, '.gpuaas.toml'), text);
  const setting = async (name: string, more: { args?: string[]; env?: Record<string, string> } = {}) => {
    const { out } = await rehearse(
      ['config', 'get', name, ...(more.args ?? [])],
      {},
      { cwd: join(folder, 'a/b'), ...more },
    );
    return out.trim();
  };

  it('comes after flags and the environment', async () => {
    await write('project = "vision"\nregion = "eu-1"\noutput = "table"\n');
    expect(await setting('project')).toBe('vision');
    expect(await setting('region')).toBe('eu-1');
    expect(await setting('project', { env: { GPUAAS_PROJECT: 'speech' } })).toBe('speech');
    expect(await setting('project', { env: { GPUAAS_PROJECT: 'speech' }, args: ['-p', 'maths'] })).toBe('maths');
    expect(await setting('project_file')).toBe(join(folder, '.gpuaas.toml'));
  });

  it('gives flags to the commands that take them', async () => {
    await write('[defaults."alloc list"]\nsku = "h200"\nlimit = 1\n');
    const { out, asked } = await rehearse(['alloc', 'list', '-o', 'name'], world, { env, cwd: folder });
    expect(asked[0]?.request).toContain('sku=h200');
    expect(out).toBe(`${id}\n`);
    const typed = await rehearse(['alloc', 'list', '--sku', 'l40s'], world, { env, cwd: folder });
    expect(typed.asked[0]?.request).toContain('sku=l40s');
  });

  it('chooses among what the person has, and nothing more', async () => {
    for (const text of [
      'base_url = "https://evil.example"',
      'token = "x"',
      '[defaults.launch]\nyes = "true"',
      '[defaults."alloc list"]\nall = "true"',
      'project = 7',
      'project = ',
    ]) {
      await write(text);
      const command = text.includes('launch') ? ['launch', 'h200x1'] : ['alloc', 'list'];
      const { code, err, asked } = await rehearse(command, world, { env, cwd: folder });
      expect({ text, code, asked }).toEqual({ text, code: exitCodes.usage, asked: [] });
      expect(err).toContain('.gpuaas.toml');
    }
  });
});

describe('what a person sees of the wire', () => {
  it('is each request with its answer, and no token', async () => {
    const { err } = await rehearse(['alloc', 'list', '--debug'], world, { env });
    expect(err).toMatch(/^GET \/api\/v1\/allocations\?limit=200 200 \d+ ms\n$/);
  });
});

describe('logs', () => {
  const line = (n: number, text: string) => ({ id: String(n), at: `2026-11-15T12:00:0${n}.000Z`, line: text });
  const answer = { next_cursor: null, has_more: false, allocation_id: id, simulated: true, kept_since: 'x' };

  it('are shown oldest first, and nothing in them moves the cursor', async () => {
    const data = [line(2, 'second \u001b[2J'), line(1, 'first')];
    const script: Script = { [`GET /api/v1/allocations/${id}/logs`]: { ...answer, data, unavailable: null } };
    const { out, code } = await rehearse(['logs', id], script);
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, 2)).toEqual([
      '2026-11-15 12:00:01Z  first',
      expect.stringMatching(/^2026-11-15 12:00:02Z {2}second /),
    ]);
    expect(out).not.toContain('\u001b');
  });

  it('that are not there say why', async () => {
    const unavailable = 'This is a whole host.';
    const script: Script = { [`GET /api/v1/allocations/${id}/logs`]: { ...answer, data: [], unavailable } };
    const { out, err } = await rehearse(['logs', id], script);
    expect([out, err]).toEqual(['', `${unavailable}\n`]);
  });

  it('of one allocation are asked for by operators with its id, and a time may be a length', async () => {
    const refused = await rehearse(['ops', 'logs', '--allocation', 'trainer'], {});
    expect([refused.code, refused.asked]).toEqual([exitCodes.usage, []]);
    const script: Script = { 'GET /api/v1/admin/node-logs': { data: [], next_cursor: null, has_more: false } };
    const { asked } = await rehearse(['ops', 'logs', '--allocation', id, '--since', '30m', '--level', 'warn'], script);
    expect(asked[0]?.request).toMatch(new RegExp(`allocation_id=${id}.*level=warn.*since=20`));
  });
});

describe('events', () => {
  const frame = (n: number, type: string) =>
    `id: 1-2-${n}\nevent: ${type}\ndata: ${JSON.stringify({ event_type: type, occurred_at: '2026-11-15T12:00:00.000Z', correlation_id: 'c-1', payload: { n } })}\n\n`;
  const stream = `retry: 1\nid: 1-2-0\nevent: ready\ndata: {}\n\n${frame(1, 'provisioning.requested')}${frame(2, 'provisioning.active')}`;
  const script: Script = {
    [`GET /api/v1/allocations/${id}`]: { ...row('trainer'), project_id: project },
    'GET /api/v1/events/stream': stream,
    'GET /api/v1/admin/events/stream': stream,
  };

  it.each([
    ['of an allocation are those that were', ['alloc', 'events', id]],
    ['of a project are those that were, where nobody wants to wait', ['events', 'tail', '--no-follow', '-p', project]],
    ['of everybody too', ['ops', 'events', 'tail', '--no-follow']],
  ])('%s', async (_, args) => {
    const { out, asked, code } = await rehearse(args, script);
    expect(code).toBe(0);
    expect(out.split('\n').filter(Boolean)).toHaveLength(2);
    expect(asked.at(-1)?.request).toContain('after=0-0-0');
    expect(out).toContain('2026-11-15 12:00:00Z  provisioning.active  n=2');
  });
});
