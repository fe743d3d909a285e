import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import type { Tenant, World } from '../../testing/world.ts';
import { gatewayOfWorlds, openWorld } from '../../testing/world.ts';
import { openTerminalScene, type TerminalScene } from './testing.ts';

const clock = makeTestClock(new Date());
let world: World;
let home: Tenant;
let ada: string;
let scene: TerminalScene;
beforeAll(async () => {
  world = await openWorld({ clock });
  home = await world.found('home');
  ada = await world.join('ada', home, 'member');
  scene = openTerminalScene(world, home);
});
afterAll(() => world?.close());
let allocation: string;
beforeEach(async () => {
  allocation = await scene.machineOf('ada');
});

const replays = async () => {
  const line = (await world.metrics.scrape())
    .split('\n')
    .find((each) => each.startsWith('gpuaas_terminal_token_replays_total'));
  return Number(line?.split(' ').at(-1) ?? 0);
};

describe('a terminal token', () => {
  it('is 256 bits in hex, for five minutes, in no cache of browsers, and works once', async () => {
    const minted = await scene.mint(ada, allocation);
    expect(minted.status, minted.text).toBe(201);
    expect(minted.headers['cache-control']).toBe('no-store');
    const { token, url, role, expires_at, session_id } = minted.body;
    expect(token).toMatch(/^[a-f0-9]{64}$/);
    expect(url).toBe(`${gatewayOfWorlds.url}/ws/terminal/${allocation}`);
    expect(role).toBe('writer');
    expect(Date.parse(expires_at) - clock.now().getTime()).toBe(300_000);

    const before = await replays();
    const attached = await scene.attach(token, allocation);
    expect(attached).toMatchObject({ role: 'writer', takes_over: false, home: null, session: { id: session_id } });
    expect(await scene.attach(token, allocation)).toMatchObject({ code: 'terminal_token_invalid' });
    expect(await replays()).toBe(before + 1);
  });

  it('asks the node for a shell, as the login of the allocation, in the transaction that takes it', async () => {
    const { body } = await scene.mint(ada, allocation, { columns: 132, rows: 43, name: 'train 1' });
    await scene.attach(body.token, allocation);
    const [task] = (
      await world.root.query(
        `select node_id, envelope from node_tasks where allocation_id = $1 and task_type = 'terminal.open'`,
        [allocation],
      )
    ).rows;
    expect(task.node_id).toBe(await scene.nodeOf(allocation));
    expect(task.envelope.params).toMatchObject({
      ...{ allocation_id: allocation, session_id: body.session_id, name: 'train 1', columns: 132, rows: 43 },
      ...{ login: { username: 'tester' }, gateway_url: gatewayOfWorlds.nodeUrl, grace_seconds: 300, recording: 'off' },
    });
    expect(JSON.stringify(task.envelope)).not.toContain(body.token);
  });

  it('is void in the 301st second', async () => {
    const { body } = await scene.mint(ada, allocation);
    await clock.advance(300_000);
    expect(await scene.attach(body.token, allocation)).toMatchObject({ code: 'terminal_token_invalid' });
    const { body: next } = await scene.mint(ada, allocation);
    await clock.advance(299_000);
    expect(await scene.attach(next.token, allocation)).toMatchObject({ role: 'writer' });
  });

  it('is void for another allocation, and used up by the attempt', async () => {
    const other = await scene.machineOf('ada');
    const { body } = await scene.mint(ada, allocation);
    expect(await scene.attach(body.token, other)).toMatchObject({ code: 'terminal_token_invalid' });
    expect(await scene.attach(body.token, allocation)).toMatchObject({ code: 'terminal_token_invalid' });
  });

  it.each([
    '',
    'A'.repeat(64),
    'a'.repeat(63),
    'a'.repeat(65),
    `${'a'.repeat(63)}g`,
    '../../etc',
    `${'a'.repeat(64)}\n`,
  ])('is refused when it is malformed: %j', async (token) => {
    expect(await scene.attach(token, allocation)).toMatchObject({ code: 'terminal_token_invalid' });
  });

  it('is refused when nobody minted it, without being counted as a replay', async () => {
    const before = await replays();
    const unknown = randomBytes(32).toString('hex');
    expect(await scene.attach(unknown, allocation)).toMatchObject({ code: 'terminal_token_invalid' });
    expect(await replays()).toBe(before);
  });

  it('is in no row of the database, neither whole nor in part', async () => {
    const { body } = await scene.mint(ada, allocation);
    await scene.attach(body.token, allocation);
    for (const table of [
      'audit_logs',
      'audit_particulars',
      'idempotency_records',
      'outbox_events',
      'terminal_sessions',
      'node_tasks',
    ]) {
      const { rows } = await world.root.query(
        `select count(*)::int as n from ${table} t where strpos(row_to_json(t)::text, $1) > 0`,
        [body.token.slice(0, 32)],
      );
      expect(rows[0].n, table).toBe(0);
    }
    const { rows } = await world.root.query(`select action from audit_logs where target_id = $1 order by id`, [
      body.session_id,
    ]);
    expect(rows.map(({ action }) => action)).toEqual(['terminal_token.mint', 'terminal_session.attach']);
  });

  it('is not given out again for the same idempotency key', async () => {
    const key = systemIds.next();
    const first = await scene.mint(ada, allocation, {}, key);
    const again = await scene.mint(ada, allocation, {}, key);
    expect(first.body.token).toMatch(/^[a-f0-9]{64}$/);
    expect(again.text).not.toContain(first.body.token);
  });

  it('is worth nothing once its owner has lost the right between mint and use', async () => {
    const leaving = await world.join(`leaving-${allocation}`, home, 'member');
    const machine = await scene.machineOf(`leaving-${allocation}`);
    const { body } = await scene.mint(leaving, machine);
    await scene.removeMember(`leaving-${allocation}`);
    expect(await scene.attach(body.token, machine)).toMatchObject({ code: 'insufficient_permissions' });
  });
});

describe('minting', () => {
  it('is for who created the allocation, and for admins and owners', async () => {
    const colleague = await world.join('colleague', home, 'member');
    const viewer = await world.join('viewer', home, 'viewer');
    const admin = await world.join('admin', home, 'admin');
    const elsewhere = await world.found(`elsewhere-${allocation.slice(-6)}`);
    expect((await scene.mint(ada, allocation)).status).toBe(201);
    expect((await scene.mint(admin, allocation)).status).toBe(201);
    expect((await scene.mint(home.token, allocation)).status).toBe(201);
    expect((await scene.mint(colleague, allocation)).body).toMatchObject({ status: 403, code: 'ownership_required' });
    expect((await scene.mint(viewer, allocation)).body.code).toBe('insufficient_permissions');
    expect((await scene.mint(elsewhere.token, allocation)).body).toMatchObject({
      status: 404,
      code: 'allocation_not_found',
    });
  });

  it('is refused while the allocation is not active, and the actions of the allocation say so beforehand', async () => {
    const waiting = await scene.machineOf('ada', 'provisioning');
    expect((await scene.mint(ada, waiting)).body).toMatchObject({ status: 409, code: 'allocation_not_active' });
    expect(await scene.action(ada, waiting)).toEqual({
      ...{ action: 'open_terminal', allowed: false },
      why_not: 'It is provisioning: only an active allocation can.',
    });
    expect(await scene.action(ada, allocation)).toEqual({ action: 'open_terminal', allowed: true, why_not: null });
  });

  it('stops at the limit of sessions for an allocation, and lists what is open', async () => {
    for (let opened = 0; opened < 8; opened += 1) expect((await scene.mint(ada, allocation)).status).toBe(201);
    const ninth = await scene.mint(ada, allocation);
    expect(ninth.body).toMatchObject({ status: 409, code: 'terminal_session_limit', details: { limit: 8 } });
    expect(ninth.body.details.sessions.map(({ name }: { name: string }) => name).sort()).toEqual(
      Array.from({ length: 8 }, (_, index) => `shell ${index + 1}`),
    );
  });

  it('does not exceed the limit when nine clients ask at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 9 }, () => scene.mint(home.token, allocation)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(8);
  });
});
