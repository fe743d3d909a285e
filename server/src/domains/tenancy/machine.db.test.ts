import { edges, projectMachine, type StatesOf, type Transition } from '@gpuaas/contract';
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
import { advanceProject } from './machine.ts';
import { insertOrganization, insertProject } from './store.ts';

/** The same cells as the table's own test, through row locks and past the guard of the database. */
type Move = Transition<StatesOf<typeof projectMachine>>;
const transitions = [...new Set(edges(projectMachine).map(({ transition }) => transition as Move))];
const cells = Object.keys(projectMachine.states).flatMap((state) =>
  transitions.map((transition) => ({
    state,
    transition,
    to: (projectMachine.states as Record<string, Record<string, string>>)[state]?.[transition],
  })),
);
/** The shortest way from the beginning to each state. */
const ways = new Map<string, Move[]>([[projectMachine.initial, []]]);
for (const [state, way] of ways) {
  for (const { from, to, transition } of edges(projectMachine)) {
    if (from === state && !ways.has(to)) ways.set(to, [...way, transition as Move]);
  }
}

let schema: TestSchema;
let port: DatabasePort;
let root: pg.Client;
const organizationId = systemIds.next();
const act = (): Act =>
  makeAct(
    { ...systemViewer('tester', { correlationId: systemIds.next(), organizationId }), reach: 'organization' },
    'project.test',
    systemIds.next(),
  );

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
  await port.database.write(act(), async (tx) => {
    await insertOrganization(tx, {
      id: organizationId,
      type: 'enterprise',
      name: 'Home',
      slug: 'home',
      currency: 'USD',
    });
    return tx.commit(undefined, { target: { type: 'organization', id: organizationId }, events: 'none' });
  });
});
afterAll(async () => {
  await port.close();
  await root.end();
  await schema.close();
});

const advance = (id: string, transition: Move, seen?: number, afterwards?: () => Promise<void>) =>
  port.database.write(act(), async (tx) => {
    const moved = await advanceProject(tx, id, transition, seen);
    await afterwards?.();
    if (moved === undefined) return tx.abandon(new Fault('project_not_found', 'gone'));
    if (moved instanceof Fault) return tx.abandon(moved);
    return tx.commit(moved, { target: { type: 'project', id }, events: 'none' });
  });
async function projectIn(state: string): Promise<string> {
  const id = systemIds.next();
  await port.database.write(act(), async (tx) => {
    await insertProject(tx, { id, organizationId, name: 'A project', slug: `p-${id}` });
    return tx.commit(undefined, { target: { type: 'project', id }, events: 'none' });
  });
  for (const transition of ways.get(state) ?? []) expect(await advance(id, transition)).not.toBeInstanceOf(Fault);
  return id;
}
const stored = async (id: string) => {
  const { rows } = await root.query('select state, version::int from projects where id = $1', [id]);
  return rows[0] as { state: string; version: number };
};

describe('a project', () => {
  it.each(cells)('that is $state goes to $to by $transition', async ({ state, transition, to }) => {
    const id = await projectIn(state);
    const before = await stored(id);
    const outcome = await advance(id, transition);
    if (to === undefined) {
      expect(outcome).toMatchObject({ code: 'illegal_transition', details: { state } });
      expect(await stored(id)).toEqual(before);
      return;
    }
    expect(outcome).toMatchObject({ value: { from: state, to, version: before.version + 1 } });
    expect(await stored(id)).toEqual({ state: to, version: before.version + 1 });
  });

  it('is not moved by somebody who saw an older version', async () => {
    const id = await projectIn('archived');
    const { version } = await stored(id);
    expect(await advance(id, 'restore', version - 1)).toMatchObject({ code: 'version_conflict', details: { version } });
    expect(await advance(id, 'restore', version)).toMatchObject({ value: { to: 'active' } });
  });

  it('is moved by one of two who come at once with the version they saw', async () => {
    const id = await projectIn('active');
    const { version } = await stored(id);
    const outcomes = await Promise.all([advance(id, 'archive', version), advance(id, 'remove', version)]);
    expect(outcomes.filter((outcome) => outcome instanceof Fault)).toHaveLength(1);
    expect(outcomes.find((outcome) => outcome instanceof Fault)).toMatchObject({ code: 'version_conflict' });
    expect((await stored(id)).version).toBe(version + 1);
  });

  it('is moved by one of two who come at once by the same door, without a version', async () => {
    const id = await projectIn('active');
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => advance(id, 'archive')));
    const refused = outcomes.filter((outcome) => outcome instanceof Fault);
    expect(refused).toHaveLength(7);
    for (const fault of refused)
      expect(fault).toMatchObject({ code: 'illegal_transition', details: { state: 'archived' } });
  });

  it('stays locked until the first is done: the second sees what the first left', async () => {
    const id = await projectIn('active');
    const [locked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = advance(id, 'archive', undefined, () => {
      locked.resolve();
      return gate.promise;
    });
    await locked.promise;
    const second = advance(id, 'restore');
    const waiting = async () => {
      const { rows } = await root.query(
        `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return rows[0].n as number;
    };
    try {
      await expect.poll(waiting, { timeout: 30_000 }).toBe(1);
    } finally {
      gate.resolve();
    }
    expect(await Promise.all([first, second])).toMatchObject([
      { value: { to: 'archived' } },
      { value: { to: 'active' } },
    ]);
  });

  it('of another organization is not there', async () => {
    const id = await projectIn('active');
    const stranger = makeAct(
      { ...systemViewer('tester', { correlationId: 'c', organizationId: systemIds.next() }), reach: 'organization' },
      'project.test',
      systemIds.next(),
    );
    const outcome = await port.database.write(stranger, async (tx) => {
      expect(await advanceProject(tx, id, 'archive')).toBeUndefined();
      return tx.abandon(new Fault('project_not_found', 'gone'));
    });
    expect(outcome).toMatchObject({ code: 'project_not_found' });
  });
});
