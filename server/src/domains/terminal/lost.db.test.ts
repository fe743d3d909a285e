import { generateKeyPairSync } from 'node:crypto';
import type { NodeTask } from '@gpuaas/contract/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import { dayMs, secondMs } from '../../kernel/units.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { makeDispatch, makeResults, revokeNode } from '../nodes/index.ts';
import { resultOf, type TestNode } from '../nodes/testing.ts';
import { makeApplyTerminalResult, makeTerminalGuard } from './index.ts';
import { openTerminalScene, type TerminalScene } from './testing.ts';

const clock = makeTestClock(new Date());
const begin = actsOf('nodes', systemIds);
let world: World;
let worker: DatabasePort;
let home: Tenant;
let ada: string;
let scene: TerminalScene;
let allocation: string;
beforeAll(async () => {
  world = await openWorld({ clock });
  const url = world.schema.as('gpuaas_worker');
  worker = await openPostgres({ url, clock, ids: systemIds, log: silentLog, name: 'test', poolSize: 4 });
  home = await world.found('home');
  ada = await world.join('ada', home, 'member');
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
const signedInAt = (seconds: number) => ({ iat: seconds, auth_time: seconds });
const nowSeconds = () => Math.floor(clock.now().getTime() / secondMs);

describe('a person whose sign-ins are ended', () => {
  const waysOut: readonly [string, (token: string, subject: string) => Promise<{ status: number; text: string }>][] = [
    [
      'by an operator',
      async (_, subject) =>
        world.call('POST', `/api/v1/admin/users/${await scene.idOf(subject)}/sessions/revoke-all`, {
          ...{ as: await world.operator(), key: systemIds.next(), body: { reason: 'a stolen laptop' } },
        }),
    ],
    [
      'by themselves, but for one',
      (token) =>
        world.call('POST', '/api/v1/me/sessions/revoke-others', { as: token, key: systemIds.next(), body: {} }),
    ],
  ];
  it.each(waysOut)(
    '%s: loses the shells and the tokens of before, and opens new ones after signing in again',
    async (how, end) => {
      const subject = `leaving ${how}`.replaceAll(/[^a-z]+/g, '-');
      await world.join(subject, home, 'member');
      const token = await world.token(subject, signedInAt(nowSeconds()));
      const machine = await scene.machineOf(subject);
      const [theirs, kept] = [await scene.open(token, machine), await scene.open(ada, allocation)];
      const minted = await scene.mint(token, machine);
      await guard();
      expect(await stateOf(theirs)).toMatchObject({ state: 'open' });

      const ended = await end(token, subject);
      expect(ended.status, ended.text).toBe(200);
      expect(await scene.attach(minted.body.token, machine)).toMatchObject({ code: 'terminal_token_invalid' });
      await guard();
      expect(await stateOf(theirs)).toEqual({ state: 'ended', end_reason: 'rights_lost' });
      expect(await stateOf(minted.body.session_id)).toEqual({ state: 'ended', end_reason: 'rights_lost' });
      expect(await stateOf(kept)).toMatchObject({ state: 'open' });

      await clock.advance(secondMs + secondMs);
      const again = await scene.open(await world.token(subject, signedInAt(nowSeconds())), machine);
      await guard();
      expect(await stateOf(again)).toMatchObject({ state: 'open' });
    },
  );
});

describe('a node that lost its certificate', () => {
  const revoke = (nodeId: string) =>
    world.database.database.write(begin('node.revoke', { correlationId: 'a test' }), async (tx) => {
      await revokeNode(tx, nodeId, 'a test');
      return tx.commit(undefined, { target: { type: 'node', id: nodeId }, events: 'none' });
    });
  const certify = (nodeId: string) =>
    asSystem(
      world.root,
      `insert into node_certificates (serial, node_id, not_before, not_after) values ($1, $2, $3, $4)`,
      [
        systemIds.next().replaceAll('-', ''),
        nodeId,
        clock.now(),
        new Date(clock.now().getTime() + dayMs + dayMs + dayMs),
      ],
    );

  it('loses its terminals when it is revoked, and no other node does', async () => {
    const other = await scene.open(ada, await scene.machineOf('ada'));
    const id = await scene.open(ada, allocation);
    await revoke(await scene.nodeOf(allocation));
    await guard();
    expect(await stateOf(id)).toEqual({ state: 'ended', end_reason: 'node_lost' });
    expect(await stateOf(other)).toMatchObject({ state: 'open' });
  });

  it('loses those that came with a revoked one also when it holds another by now, and not those that wait for it', async () => {
    const nodeId = await scene.nodeOf(allocation);
    const before = await scene.open(ada, allocation);
    await certify(nodeId);
    await guard();
    // A renewal ends nothing.
    expect(await stateOf(before)).toMatchObject({ state: 'open' });
    await revoke(nodeId);
    await clock.advance(secondMs);
    await certify(nodeId);
    const waiting = await scene.mint(ada, allocation);
    await guard();
    expect(await stateOf(before)).toEqual({ state: 'ended', end_reason: 'node_lost' });
    expect(await stateOf(waiting.body.session_id)).toMatchObject({ state: 'opening' });
  });

  it('loses its terminals when its last certificate expires', async () => {
    const id = await scene.open(ada, allocation);
    await asSystem(world.root, 'update node_certificates set not_after = $2 where node_id = $1', [
      await scene.nodeOf(allocation),
      clock.now(),
    ]);
    await guard();
    expect(await stateOf(id)).toEqual({ state: 'ended', end_reason: 'node_lost' });
  });
});

describe('the result of a node that was asked for a shell', () => {
  const db = () => world.database.database;
  const failed = { outcome: 'failed', failure: { code: 'shell_failed', message: 'no PTY is left' } } as const;
  /** A session that is asked for at its node, and the task as the node got it. */
  async function ask(): Promise<{ sessionId: string; node: TestNode; task: NodeTask }> {
    const nodeId = await scene.nodeOf(allocation);
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    await asSystem(world.root, 'update nodes set result_key = $2, version = version + 1 where id = $1', [
      nodeId,
      publicKey.export({ format: 'jwk' }).x,
    ]);
    const { body } = await scene.mint(ada, allocation);
    await scene.attach(body.token, allocation);
    const dispatch = makeDispatch({ db: db(), begin, ids: systemIds, clock, redispatchSeconds: () => 20 });
    const task = (await dispatch.dispatch([{ nodeId }])).get(nodeId);
    if (!task) throw new Error('nothing was handed out');
    return { sessionId: body.session_id, node: { id: nodeId, key: privateKey }, task };
  }
  const settle = (node: TestNode, task: NodeTask, about: Parameters<typeof resultOf>[2]) =>
    makeResults({ db: db(), clock, onRefused: () => {}, applyResult: makeApplyTerminalResult({ clock }) }).settle(
      begin('node_task.result', { correlationId: 'a test' }),
      ...([node.id, task.task_id, resultOf(node, task, about)] as const),
    );
  const eventsOf = async (id: string) =>
    (
      await world.root.query(
        `select envelope -> 'payload' ->> 'reason' as reason from outbox_events where subject = 'terminal.session.ended'
         and envelope -> 'payload' ->> 'session_id' = $1`,
        [id],
      )
    ).rows.map(({ reason }) => reason);

  it('ends the session at once when it failed, and says so once', async () => {
    const { sessionId, node, task } = await ask();
    expect(task).toMatchObject({ task_type: 'terminal.open', params: { session_id: sessionId } });
    const waiting = world.terminal.home({ session_id: sessionId, wait_seconds: 20 }, { correlationId: 'a test' });
    for (const _ of ['first', 'repeated']) expect(await settle(node, task, failed)).toBeUndefined();
    expect(await waiting).toMatchObject({ code: 'terminal_session_ended' });
    expect(await stateOf(sessionId)).toEqual({ state: 'ended', end_reason: 'shell_failed' });
    expect(await eventsOf(sessionId)).toEqual(['shell_failed']);
  });

  it('ends no session that has its shell, and none when the node succeeded', async () => {
    const opened = await ask();
    await scene.arrive(opened.sessionId, allocation);
    expect(await settle(opened.node, opened.task, failed)).toBeUndefined();
    expect(await stateOf(opened.sessionId)).toMatchObject({ state: 'open' });
    const asked = await ask();
    expect(await settle(asked.node, asked.task, { output: {} })).toBeUndefined();
    expect(await stateOf(asked.sessionId)).toMatchObject({ state: 'opening' });
  });

  it('ends nothing when it is about an earlier generation of the lease', async () => {
    const { sessionId, node, task } = await ask();
    await asSystem(
      world.root,
      'update allocations set generation = generation + 1, version = version + 1 where id = $1',
      [allocation],
    );
    expect(await settle(node, task, failed)).toMatchObject({ code: 'stale_generation' });
    expect(await stateOf(sessionId)).toMatchObject({ state: 'opening' });
    expect(await eventsOf(sessionId)).toEqual([]);
  });
});
