import { edges, nodeMachine } from '@gpuaas/contract';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Act, makeAct, systemViewer } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { asSystem } from '../../testing/world.ts';
import { advanceNode, type NodeTransition } from './machine.ts';

/** The same cells as the table's own test, through row locks and past the guard of the database. */
const transitions = [...new Set(edges(nodeMachine).map(({ transition }) => transition as NodeTransition))];
const cells = Object.keys(nodeMachine.states).flatMap((state) =>
  transitions.map((transition) => ({
    state,
    transition,
    to: (nodeMachine.states as Record<string, Record<string, string>>)[state]?.[transition],
  })),
);
/** The shortest way from the beginning to each state. */
const ways = new Map<string, NodeTransition[]>([[nodeMachine.initial, []]]);
for (const [state, way] of ways) {
  for (const { from, to, transition } of edges(nodeMachine)) {
    if (from === state && !ways.has(to)) ways.set(to, [...way, transition as NodeTransition]);
  }
}

let schema: TestSchema;
let port: DatabasePort;
let root: pg.Client;
const act = (): Act =>
  makeAct(systemViewer('tester', { correlationId: systemIds.next() }), 'node.test', systemIds.next());

beforeAll(async () => {
  schema = await openTestSchema();
  root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  port = await openPostgres({
    url: schema.as('gpuaas_api'),
    clock: systemClock,
    ids: systemIds,
    log: silentLog,
    name: 'test',
    poolSize: 8,
  });
  await asSystem(root, `insert into regions (slug, name) values ('here', 'Here')`, []);
  await asSystem(
    root,
    `insert into skus (slug, vendor, display_name, gpu_model, gpu_memory_mib, capacity_shape, gpus_total,
       allowed_gpu_counts, billing_unit)
     values ('box', 'V', 'A box', 'M', 1024, 'gpu_slice', 8, '{1}', 'gpu_hour')`,
    [],
  );
});
afterAll(async () => {
  await port.close();
  await root.end();
  await schema.close();
});

const advance = (id: string, transition: NodeTransition, why?: Parameters<typeof advanceNode>[3]) =>
  port.database.write(act(), async (tx) => {
    const moved = await advanceNode(tx, id, transition, why);
    if (moved instanceof Fault) return tx.abandon(moved);
    if (!moved) return tx.abandon(new Fault('node_not_found', 'gone'));
    return tx.commit(moved, { target: { type: 'node', id }, events: 'none' });
  });
const nodeIn = async (state: string): Promise<string> => {
  const id = systemIds.next();
  await asSystem(root, `insert into nodes (id, name, region, sku, gpus_total) values ($1, $2, 'here', 'box', 8)`, [
    id,
    `n-${id}`,
  ]);
  for (const transition of ways.get(state) ?? []) await advance(id, transition);
  return id;
};
const stored = async (id: string) =>
  (await root.query('select state, version::int as version, state_reason from nodes where id = $1', [id])).rows[0];

describe('a node', () => {
  it.each(cells)('that is $state goes to $to by $transition', async ({ state, transition, to }) => {
    const id = await nodeIn(state);
    const before = await stored(id);
    expect(before.state).toBe(state);
    const outcome = await advance(id, transition);
    if (to === undefined) {
      expect(outcome).toMatchObject({ code: 'illegal_transition', details: { state } });
      expect(await stored(id)).toEqual(before);
      return;
    }
    expect(outcome).toMatchObject({ value: { from: state, to, version: before.version + 1 } });
    expect(await stored(id)).toMatchObject({ state: to, version: before.version + 1 });
  });

  it('keeps the reason with the state that it explains, and no longer', async () => {
    const id = await nodeIn('active');
    await advance(id, 'quarantine', { reason: 'Xid 79 on slot 3' });
    expect(await stored(id)).toMatchObject({ state: 'quarantined', state_reason: 'Xid 79 on slot 3' });
    await advance(id, 'clear');
    expect(await stored(id)).toMatchObject({ state: 'active', state_reason: null });
  });

  it('is not moved by somebody who saw an older version', async () => {
    const id = await nodeIn('active');
    const { version } = await stored(id);
    expect(await advance(id, 'drain', { seenVersion: version - 1 })).toMatchObject({
      code: 'version_conflict',
      details: { version },
    });
  });

  it('is moved by one of many who come at once', async () => {
    const id = await nodeIn('active');
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => advance(id, 'drain')));
    expect(outcomes.filter((outcome) => outcome instanceof Fault)).toHaveLength(7);
    expect(await stored(id)).toMatchObject({ state: 'draining' });
  });
});
