import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { makeTerminalGuard } from './index.ts';
import { copyOne, copyTwo, openTerminalScene, type TerminalScene } from './testing.ts';

const clock = makeTestClock(new Date());
const call = { correlationId: 'a test' };
let world: World;
let worker: DatabasePort;
let home: Tenant;
let ada: string;
let admin: string;
let scene: TerminalScene;
let allocation: string;
beforeAll(async () => {
  world = await openWorld({ clock });
  const url = world.schema.as('gpuaas_worker');
  worker = await openPostgres({ url, clock, ids: systemIds, log: silentLog, name: 'test', poolSize: 4 });
  home = await world.found('home');
  ada = await world.join('ada', home, 'member');
  admin = await world.join('admin', home, 'admin');
  scene = openTerminalScene(world, home);
});
afterAll(async () => {
  await worker?.close();
  await world?.close();
});
beforeEach(async () => {
  allocation = await scene.machineOf('ada');
});

const guard = () =>
  makeTerminalGuard({
    ...{ db: worker.database, begin: actsOf('terminal-guard', systemIds), ids: systemIds, clock, log: silentLog },
    metrics: makeMetrics('test', '0.0.0'),
  }).round(new AbortController().signal);
const stateOf = async (id: string) =>
  (await world.root.query('select state, end_reason from terminal_sessions where id = $1', [id])).rows[0];
const report = (id: string, said: object = {}) =>
  world.terminal.watch(
    {
      ...{ ...copyOne, wait_seconds: 0 },
      sessions: [{ ...{ id, writer: true, watchers: 0, sent: 10, written: 2 }, ...said }],
    },
    call,
  );
const endedEvents = async (id: string) =>
  (
    await world.root.query(
      `select envelope -> 'payload' as payload from outbox_events where subject = 'terminal.session.ended'
       and envelope -> 'payload' ->> 'session_id' = $1`,
      [id],
    )
  ).rows.map(({ payload }) => payload);

describe('a second client of a session', () => {
  it('is asked when another one types: taking over, watching and a new shell are possible', async () => {
    const id = await scene.open(ada, allocation);
    await report(id);
    const join = await scene.mint(ada, allocation, { mode: 'join', session_id: id });
    expect(join.body).toMatchObject({ status: 409, code: 'terminal_session_in_use' });
    const take = await scene.mint(ada, allocation, { mode: 'take_over', session_id: id });
    expect(take.body).toMatchObject({ session_id: id, role: 'writer' });
    expect(await scene.attach(take.body.token, allocation)).toMatchObject({
      ...{ role: 'writer', takes_over: true, home: copyOne, session: { id } },
    });
    const watch = await scene.mint(ada, allocation, { mode: 'watch', session_id: id });
    const watching = await scene.attach(watch.body.token, allocation);
    expect(watching).toMatchObject({ role: 'watcher', takes_over: false });
    // Who watches a session of their own needs no notice.
    expect(watching).not.toHaveProperty('watched_by');
  });

  it('joins once nobody types, and asks the node for no second shell', async () => {
    const id = await scene.open(ada, allocation);
    await report(id, { writer: false });
    const join = await scene.mint(ada, allocation, { mode: 'join', session_id: id });
    expect(await scene.attach(join.body.token, allocation)).toMatchObject({ role: 'writer', home: copyOne });
    const { rows } = await world.root.query(
      `select count(*)::int as n from node_tasks where allocation_id = $1 and task_type = 'terminal.open'`,
      [allocation],
    );
    expect(rows[0].n).toBe(1);
  });

  it('has the node asked again when the copy of its home is silent', async () => {
    const id = await scene.open(ada, allocation);
    await report(id);
    await clock.advance(61_000);
    const join = await scene.mint(ada, allocation, { mode: 'join', session_id: id });
    expect(await scene.attach(join.body.token, allocation)).toMatchObject({ home: null });
  });

  it('never takes over from another person, whatever the role; administrators watch, and the notice is due', async () => {
    const id = await scene.open(ada, allocation);
    for (const mode of ['join', 'take_over']) {
      const refused = await scene.mint(admin, allocation, { mode, session_id: id });
      expect(refused.body).toMatchObject({ status: 403, code: 'ownership_required' });
    }
    const watch = await scene.mint(admin, allocation, { mode: 'watch', session_id: id });
    expect(await scene.attach(watch.body.token, allocation)).toMatchObject({ role: 'watcher', watched_by: 'admin' });
    // The requester of an allocation does not watch what an administrator does there.
    const theirs = await scene.open(admin, allocation);
    const peek = await scene.mint(ada, allocation, { mode: 'watch', session_id: theirs });
    expect(peek.body.code).toBe('ownership_required');
  });

  it('finds no session of another allocation, and none without an id', async () => {
    const id = await scene.open(ada, allocation);
    const other = await scene.machineOf('ada');
    expect((await scene.mint(ada, other, { mode: 'join', session_id: id })).body.code).toBe(
      'terminal_session_not_found',
    );
    expect((await scene.mint(ada, allocation, { mode: 'join' })).body.code).toBe('validation_error');
  });
});

describe('the node of a session', () => {
  it('opens it by arriving, and who waits for its home is answered at once', async () => {
    const { body } = await scene.mint(ada, allocation);
    await scene.attach(body.token, allocation);
    const waiting = world.terminal.home({ session_id: body.session_id, wait_seconds: 20 }, call);
    expect(await scene.arrive(body.session_id, allocation)).toMatchObject({
      recorded: 0,
      session: { id: body.session_id },
    });
    expect(await waiting).toEqual({ home: copyOne });
    expect(await stateOf(body.session_id)).toMatchObject({ state: 'open' });
  });

  it('moves to another copy, and a lost home is not answered again', async () => {
    const id = await scene.open(ada, allocation);
    const waiting = world.terminal.home({ session_id: id, wait_seconds: 20, except_copy_id: copyOne.copy_id }, call);
    await scene.arrive(id, allocation, copyTwo);
    expect(await waiting).toEqual({ home: copyTwo });
  });

  it('is refused as another node, with a revoked certificate, and after the end', async () => {
    const id = await scene.open(ada, allocation);
    const stranger = await scene.nodeOf(await scene.machineOf('ada'));
    const arrival = { ...{ session_id: id, from: 0, to: 0 }, ...copyOne };
    expect(
      await world.terminal.arrive(
        { ...arrival, node_id: stranger, certificate_serial: await scene.certificateOf(stranger) },
        call,
      ),
    ).toMatchObject({ code: 'terminal_session_not_found' });
    const own = await scene.nodeOf(allocation);
    await asSystem(
      world.root,
      `update node_certificates set revoked_at = now(), revoke_reason = 'x' where node_id = $1`,
      [own],
    );
    expect(
      await world.terminal.arrive(
        { ...arrival, node_id: own, certificate_serial: await scene.certificateOf(own) },
        call,
      ),
    ).toMatchObject({ code: 'token_invalid' });
    await scene.end(ada, id);
    expect(await scene.arrive(id, allocation)).toMatchObject({ code: 'terminal_session_ended' });
  });
});

describe('the end of a session', () => {
  it('wakes its gateway at once, is shown with a reason, and happens once', async () => {
    const id = await scene.open(ada, allocation);
    await report(id, live(id));
    const watching = world.terminal.watch({ ...copyOne, wait_seconds: 20, sessions: [live(id)] }, call);
    const ended = await scene.end(ada, id);
    expect(ended.body).toMatchObject({ state: 'ended', end_reason: 'closed_by_user' });
    expect(await watching).toMatchObject({ end: [{ session_id: id, reason: 'closed_by_user' }] });
    expect((await scene.end(ada, id)).body.code).toBe('terminal_session_ended');
    expect((await scene.mint(ada, allocation, { mode: 'join', session_id: id })).body.code).toBe(
      'terminal_session_ended',
    );
    expect(await endedEvents(id)).toMatchObject([{ reason: 'closed_by_user', opened: true, sent_bytes: 7 }]);
  });

  it('is for its owner, admins and operators, not for colleagues', async () => {
    const colleague = await world.join('colleague', home, 'member');
    const operator = await world.operator();
    const [first, second] = [await scene.open(ada, allocation), await scene.open(ada, allocation)];
    expect((await scene.end(colleague, first)).body.code).toBe('ownership_required');
    expect((await scene.end(admin, first)).body.end_reason).toBe('closed_by_admin');
    const path = '/api/v1/admin/terminal-sessions';
    const listed = await world.call('GET', `${path}?live=true&allocation=${allocation}`, { as: operator });
    expect(listed.body.data).toMatchObject([{ id: second, gateway_copy: copyOne.copy_id, state: 'open' }]);
    const ended = await world.call('POST', `${path}/${second}/end`, {
      ...{ as: operator, key: systemIds.next(), body: { reason: 'a runaway script' } },
    });
    expect(ended.body).toMatchObject({ state: 'ended', end_reason: 'closed_by_operator' });
  });

  it('is reported by the gateway with what was carried', async () => {
    const id = await scene.open(ada, allocation);
    const said = {
      session_id: id,
      copy_id: copyOne.copy_id,
      reason: 'exited',
      exit_code: 3,
      sent: 4_096,
      written: 12,
    } as const;
    expect(await world.terminal.ended(said, call)).toEqual({});
    expect(await world.terminal.ended(said, call)).toEqual({});
    const { body } = await scene.sessions(ada, allocation);
    expect(body.data).toMatchObject([{ id, end_reason: 'exited', sent_bytes: 4_096, received_bytes: 12 }]);
    expect(await endedEvents(id)).toHaveLength(1);
  });

  it('is heard from the copy that has its node, and from no other', async () => {
    const id = await scene.open(ada, allocation);
    const said = { session_id: id, reason: 'exited', exit_code: 0, sent: 1, written: 1 } as const;
    expect(await world.terminal.ended({ ...said, copy_id: copyTwo.copy_id }, call)).toMatchObject({
      code: 'terminal_session_not_found',
    });
    expect(await stateOf(id)).toMatchObject({ state: 'open' });
    await world.terminal.watch({ ...copyTwo, wait_seconds: 0, sessions: [{ ...live(id), watchers: 9 }] }, call);
    expect((await scene.sessions(ada, allocation)).body.data).toMatchObject([{ id, has_writer: false, watchers: 0 }]);
    await scene.arrive(id, allocation, copyTwo);
    expect(await world.terminal.ended({ ...said, copy_id: copyOne.copy_id }, call)).toMatchObject({
      code: 'terminal_session_not_found',
    });
    expect(await world.terminal.ended({ ...said, copy_id: copyTwo.copy_id }, call)).toEqual({});
    expect(await stateOf(id)).toMatchObject({ state: 'ended' });
  });

  it('comes when the rights of its owner are lost, and no other session is touched', async () => {
    await world.join('lowered', home, 'member');
    const lowered = await world.token('lowered');
    const machine = await scene.machineOf('lowered');
    const [theirs, kept] = [await scene.open(lowered, machine), await scene.open(ada, allocation)];
    await guard();
    expect(await stateOf(theirs)).toMatchObject({ state: 'open' });
    const path = `/api/v1/organizations/${home.organizationId}/members/${await scene.idOf('lowered')}`;
    const changed = await world.call('PATCH', path, {
      ...{ as: home.token, key: systemIds.next(), body: { role: 'viewer' } },
    });
    expect(changed.status, changed.text).toBe(200);
    await guard();
    expect(await stateOf(theirs)).toEqual({ state: 'ended', end_reason: 'rights_lost' });
    expect(await stateOf(kept)).toMatchObject({ state: 'open' });
  });

  it('comes when its owner is removed, or disabled', async () => {
    for (const [subject, how] of [
      ['removed', () => scene.removeMember('removed')],
      [
        'disabled',
        () => asSystem(world.root, `update users set disabled_at = now() where oidc_subject = 'disabled'`, []),
      ],
    ] as const) {
      const token = await world.join(subject, home, 'member');
      const id = await scene.open(token, await scene.machineOf(subject));
      await how();
      await guard();
      expect(await stateOf(id), subject).toEqual({ state: 'ended', end_reason: 'rights_lost' });
    }
  });

  it('comes when the allocation is released', async () => {
    const id = await scene.open(ada, allocation);
    await asSystem(world.root, `update allocations set state = 'releasing', version = version + 1 where id = $1`, [
      allocation,
    ]);
    await guard();
    expect(await stateOf(id)).toEqual({ state: 'ended', end_reason: 'allocation_ended' });
  });
});

describe('what gateways report', () => {
  it('is shown in lists, and a copy that is silent for a minute is gone', async () => {
    const id = await scene.open(ada, allocation);
    await report(id, { watchers: 2 });
    expect((await scene.sessions(ada, allocation)).body.data).toMatchObject([{ id, has_writer: true, watchers: 2 }]);
    const other = { ...copyTwo, wait_seconds: 0, sessions: [] };
    expect((await world.terminal.watch(other, call)) as object).toMatchObject({ gone_copies: [] });
    await clock.advance(40_000);
    await world.terminal.watch(other, call);
    await clock.advance(40_000);
    expect((await world.terminal.watch(other, call)) as object).toMatchObject({ gone_copies: [copyOne.copy_id] });
    expect((await scene.sessions(ada, allocation)).body.data).toMatchObject([{ id, has_writer: false }]);
  });
});

const live = (id: string) => ({ id, writer: true, watchers: 0, sent: 7, written: 1 });
