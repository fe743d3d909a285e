import type { NodeTask } from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { refusalsAuditedEveryMs } from '../facts.ts';
import { answerOf, makeAnswers, makeDispatch, makeResults, makeTasks, type TaskAnswer } from '../index.ts';
import { isObeyed, type NodesWorld, openNodesWorld, resultOf, type TestNode } from '../testing.ts';
import { tasksChannel } from './tasks.ts';

/** What an edit left, if it is still JSON. */
function parsed(text: string): ReturnType<typeof resultOf> | undefined {
  try {
    return JSON.parse(text) as ReturnType<typeof resultOf>;
  } catch {
    return undefined;
  }
}

const healthy = { output: { checks: {}, healthy: true } };

describe('tasks of nodes', () => {
  let world: NodesWorld;
  const told = new Map<string, TaskAnswer>();
  const refusals: string[] = [];
  beforeAll(async () => {
    world = await openNodesWorld();
  });
  afterAll(() => world.close());

  const answers = (fails = false) =>
    makeAnswers({
      db: world.database.database,
      begin: world.begin,
      sagas: {
        answer: async (token, value) => {
          if (fails) throw new Error('the engine is away');
          if (!told.has(token)) told.set(token, value as TaskAnswer);
          return 'accepted';
        },
      },
      ids: systemIds,
      clock: world.clock,
      log: silentLog,
    });
  const results = () =>
    makeResults({ db: world.database.database, clock: world.clock, onRefused: (code) => refusals.push(code) });
  const dispatch = () =>
    makeDispatch({
      db: world.database.database,
      begin: world.begin,
      ids: systemIds,
      clock: world.clock,
      redispatchSeconds: () => 20,
    });
  async function queue(node: TestNode, more: { sagaToken?: string; ttlSeconds?: number } = {}): Promise<string> {
    const tasks = makeTasks({ ids: systemIds, clock: world.clock, signer: world.signers });
    const act = world.begin('test.queue', { correlationId: 'c' });
    const written = await world.database.database.write(act, async (tx) => {
      const id = await tasks.queueTask(tx, {
        nodeId: node.id,
        type: 'diag.health_probe',
        params: {},
        generation: 1,
        ttlSeconds: 60,
        correlationId: 'c',
        ...more,
      });
      return tx.commit(id, { target: { type: 'node_task', id }, events: 'none' });
    });
    return written.value;
  }
  async function handOut(node: TestNode): Promise<NodeTask> {
    const task = (await dispatch().dispatch([{ nodeId: node.id }])).get(node.id);
    if (!task) throw new Error('nothing was handed out');
    return task;
  }
  const post = (node: TestNode, task: NodeTask, result: ReturnType<typeof resultOf>) =>
    results().settle(world.actOf(node.id, 'node_task.result'), node.id, task.task_id, result);
  const codeOf = (answer: unknown) => (answer instanceof Fault ? answer.code : answer);
  const stateOf = async (id: string) =>
    (await world.root.query('select state from node_tasks where id = $1', [id])).rows[0]?.state as string;

  it('are signed when they are queued, and the node is told after the commit', async () => {
    const node = await world.node();
    const heard = Promise.withResolvers<string>();
    const listening = await world.database.listen(tasksChannel, (payload) => {
      if (payload.split(',').includes(node.id)) heard.resolve(payload);
    });
    const id = await queue(node);
    await heard.promise;
    await listening.close();
    const task = await handOut(node);
    expect(task).toMatchObject({ task_id: id, node_id: node.id, task_type: 'diag.health_probe', generation: 1 });
    expect(isObeyed(task, world.signers.accepted())).toBe(true);
    expect(isObeyed({ ...task, generation: 2 }, world.signers.accepted())).toBe(false);
  });

  it('that are not as their type declares are never queued', async () => {
    const tasks = makeTasks({ ids: systemIds, clock: world.clock, signer: world.signers });
    const node = await world.node();
    const write = world.database.database.write(world.begin('test.queue', { correlationId: 'c' }), async (tx) => {
      const params = { version: '1.0; rm -rf /', digest: 'sha256:x' };
      const order = { nodeId: node.id, type: 'node.self_update', generation: 1, ttlSeconds: 60 } as const;
      const id = await tasks.queueTask(tx, { ...order, params, correlationId: 'c' });
      return tx.commit(id, { target: { type: 'node_task', id }, events: 'none' });
    });
    await expect(write).rejects.toThrow('not as declared');
  });

  it('go to their own node alone, one at a time, the oldest first, each to one taker', async () => {
    const [one, two] = [await world.node(), await world.node()];
    const [first, second] = [await queue(one), await queue(one)];
    expect(await dispatch().pending([{ nodeId: one.id }, { nodeId: two.id }])).toEqual([one.id]);
    const takers = await Promise.all([
      dispatch().dispatch([{ nodeId: one.id }, { nodeId: two.id }]),
      dispatch().dispatch([{ nodeId: one.id }, { nodeId: two.id }]),
    ]);
    const handed = takers.flatMap((map) => [...map.values()].map(({ task_id }) => task_id));
    expect(handed.sort()).toEqual([first, second].sort());
    expect(takers.some((map) => map.has(two.id))).toBe(false);
    expect((await dispatch().dispatch([{ nodeId: one.id }, { nodeId: two.id }])).size).toBe(0);
  });

  it('are handed out again at once to a node that says what it has, and does not have them', async () => {
    const node = await world.node();
    const kept = await queue(node).then(() => handOut(node));
    const lost = [await queue(node).then(() => handOut(node)), await queue(node).then(() => handOut(node))];
    const knows = [kept.task_id];
    const again: (NodeTask | undefined)[] = [];
    for (const task of lost) {
      expect(await dispatch().pending([{ nodeId: node.id, knows }])).toEqual([node.id]);
      again.push((await dispatch().dispatch([{ nodeId: node.id, knows }])).get(node.id));
      knows.push(task.task_id);
    }
    expect(again).toEqual(lost);
    expect(await dispatch().pending([{ nodeId: node.id, knows }])).toEqual([]);
    expect((await dispatch().dispatch([{ nodeId: node.id, knows }])).size).toBe(0);
  });

  it('are found without a word of any node, once they wait, or waited long enough', async () => {
    const node = await world.node();
    await queue(node);
    expect(await dispatch().pendingAnywhere()).toContain(node.id);
    await handOut(node);
    expect(await dispatch().pendingAnywhere()).not.toContain(node.id);
    await world.clock.advance(21_000);
    expect(await dispatch().pendingAnywhere()).toContain(node.id);
  });

  it('are handed out again, as the same task, when the node does not say that it runs them', async () => {
    const node = await world.node();
    const task = { ...(await queue(node).then(() => handOut(node))) };
    expect((await dispatch().dispatch([{ nodeId: node.id }])).size).toBe(0);
    await world.clock.advance(21_000);
    expect(await handOut(node)).toEqual(task);
    await world.root.query(
      `insert into node_reports (node_id, reported_at, boot_id, agent_version, clock_skew_ms, conditions, leases, running_tasks)
       values ($1, now(), $1, '1', 0, '[]', '[]', $2)`,
      [node.id, JSON.stringify([task.task_id])],
    );
    await world.clock.advance(21_000);
    expect((await dispatch().dispatch([{ nodeId: node.id }])).size).toBe(0);
  });

  it('end with the result that their node signed, and the saga is told once', async () => {
    const node = await world.node();
    const sagaToken = systemIds.next();
    await queue(node, { sagaToken });
    const task = await handOut(node);
    const result = resultOf(node, task, healthy);
    expect(await post(node, task, result)).toBeUndefined();
    await answers().sweeper.round();
    expect(told.get(sagaToken)).toEqual({
      task_id: task.task_id,
      outcome: 'succeeded',
      output: healthy.output,
      signed_result: result,
    });
    expect(await post(node, task, result)).toBeUndefined();
    expect(await stateOf(task.task_id)).toBe('succeeded');
    const other = resultOf(node, task, { outcome: 'failed', failure: { code: 'x', message: 'y' } });
    expect(codeOf(await post(node, task, other))).toBe('node_task_settled');
    expect(await stateOf(task.task_id)).toBe('succeeded');
  });

  it('refuse what is forged, foreign, stale or malformed, and leave an audit row about it', async () => {
    const [node, stranger] = [await world.node(), await world.node()];
    await queue(node);
    const task = await handOut(node);
    const good = resultOf(node, task, healthy);
    const forgeries = [
      { ...good, outcome: 'failed' as const },
      { ...good, output: { checks: {}, healthy: false } },
      { ...good, signature: `${'A'.repeat(85)}Q` },
      resultOf({ ...stranger, id: node.id }, task, healthy),
      resultOf(node, task, { ...healthy, task_type: 'node.drain' }),
      resultOf(node, task, { ...healthy, task_id: systemIds.next() }),
      resultOf(node, task, { output: { unexpected: true } }),
      resultOf(node, task, {}),
    ];
    for (const forged of forgeries) expect(codeOf(await post(node, task, forged))).toBe('node_result_invalid');
    expect(codeOf(await post(node, task, resultOf(node, task, { ...healthy, generation: 2 })))).toBe(
      'stale_generation',
    );
    expect(codeOf(await post(stranger, task, resultOf(stranger, task, healthy)))).toBe('node_task_not_found');
    expect(await stateOf(task.task_id)).toBe('dispatched');
    const { rows } = await world.root.query(
      `select change ->> 'refused' as code from audit_logs where target_id = $1 and result = 'failure' and actor_kind = 'node'`,
      [task.task_id],
    );
    expect(rows.map(({ code }) => code as string).sort()).toEqual(
      [...forgeries.map(() => 'node_result_invalid'), 'stale_generation', 'node_task_not_found'].sort(),
    );
    expect(await post(node, task, good)).toBeUndefined();
  });

  it('refuse the same kind again and again with one audit row an hour, and count each', async () => {
    const node = await world.node();
    await queue(node);
    const task = await handOut(node);
    const forged = { ...resultOf(node, task, healthy), outcome: 'failed' as const };
    const one = results();
    const before = refusals.length;
    const send = (what: typeof forged) =>
      one.settle(world.actOf(node.id, 'node_task.result'), node.id, task.task_id, what);
    const audited = async () =>
      (
        await world.root.query(
          `select change ->> 'refused' as code from audit_logs where target_id = $1 and result = 'failure' order by id`,
          [task.task_id],
        )
      ).rows.map(({ code }) => code);
    for (let time = 0; time < 3; time += 1) expect(codeOf(await send(forged))).toBe('node_result_invalid');
    expect(await audited()).toEqual(['node_result_invalid']);
    // Another kind is news.
    expect(codeOf(await send(resultOf(node, task, { ...healthy, generation: 2 }) as typeof forged))).toBe(
      'stale_generation',
    );
    expect(await audited()).toEqual(['node_result_invalid', 'stale_generation']);
    await world.clock.advance(refusalsAuditedEveryMs);
    await send(forged);
    expect(await audited()).toHaveLength(3);
    expect(refusals.slice(before)).toHaveLength(5);
  });

  it('a result with any one character changed is not the node’s word', async () => {
    const node = await world.node();
    await queue(node);
    const task = await handOut(node);
    const good = resultOf(node, task, healthy);
    const text = JSON.stringify(good);
    let tried = 0;
    for (let at = 0; at < text.length; at += 1) {
      const edited = parsed(`${text.slice(0, at)}${text[at] === '7' ? '8' : '7'}${text.slice(at + 1)}`);
      if (edited === undefined) continue;
      tried += 1;
      expect({ at, code: codeOf(await post(node, task, edited)) }).toEqual({ at, code: 'node_result_invalid' });
    }
    expect(tried).toBeGreaterThan(100);
    expect(await stateOf(task.task_id)).toBe('dispatched');
  }, 60_000);

  it('a text without a canonical form, however deep, is only a bad result', async () => {
    const node = await world.node();
    await queue(node);
    const task = await handOut(node);
    let deep: unknown = 'x';
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    const good = resultOf(node, task, healthy);
    for (const output of [{ deep }, { half: '\ud800' }]) {
      expect(codeOf(await post(node, task, { ...good, output }))).toBe('node_result_invalid');
    }
  });

  it('expire when their time is up, the saga hears it, and a late result changes nothing', async () => {
    const node = await world.node();
    const sagaToken = systemIds.next();
    await queue(node, { sagaToken, ttlSeconds: 30 });
    const task = await handOut(node);
    await world.clock.advance(31_000);
    await answers().sweeper.round();
    expect(told.get(sagaToken)).toEqual({ task_id: task.task_id, outcome: 'expired', signed_result: null });
    expect(codeOf(await post(node, task, resultOf(node, task, healthy)))).toBe('node_task_settled');
    expect(await stateOf(task.task_id)).toBe('expired');
  });

  it('whose saga could not be told are told by a later look', async () => {
    const node = await world.node();
    const sagaToken = systemIds.next();
    await queue(node, { sagaToken });
    const task = await handOut(node);
    expect(await post(node, task, resultOf(node, task, healthy))).toBeUndefined();
    await expect(answers(true).sweeper.round()).rejects.toThrow('away');
    expect(told.has(sagaToken)).toBe(false);
    await answers().sweeper.round();
    expect(told.get(sagaToken)).toMatchObject({ outcome: 'succeeded' });
    const { rows } = await world.root.query('select saga_answered_at from node_tasks where id = $1', [task.task_id]);
    expect(rows[0].saga_answered_at).not.toBeNull();
  });

  it('that were cancelled answer as failed', () => {
    expect(answerOf({ id: 'x', state: 'cancelled', result: null })).toMatchObject({
      outcome: 'failed',
      failure: { code: 'cancelled' },
    });
  });
});
