import { isWrite, type Route, routes } from '@gpuaas/contract';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sliceSku, stockFleet, testRegion } from '../../../server/src/domains/allocations/testing.ts';
import { sql, systemViewer } from '../../../server/src/kernel/act.ts';
import { openWorld, type Tenant, type World } from '../../../server/src/testing/world.ts';
import { exampleOf, sentWith, urlOf } from '../../../server/test/routes/examples.ts';
import { readList } from '../ratchet.ts';
import { measure, type Sent } from './plan-cost.ts';
import { addYears } from './years.ts';

/**
 * What a read costs must not grow with history. Every GET route is asked once on a history of a year; each statement that it sent
 * is measured there and again after ten years that were as busy. `npm run prove` does it with busier years. A statement about a
 * month reads more where more happens in a month, and that is no fault of the statement: so years are added, and not rows.
 */
const longer = 10;
/** Of each year: enough that half a page of the longest export is in the short history. */
const allocations = Number(process.env['GPUAAS_HISTORY_ALLOCATIONS'] ?? 300);
/** A thousand allocations of ten years are half a million rows: seconds on a quiet machine, and many of them on a busy one. */
const limitMs = 600_000 + allocations * 90;
/** Rows that a statement may read more: pages, and the difference between two plans. */
const slack = 400;

/** Statements whose work is the whole of a history: route and statement. */
const whole = readList('reads-whole-history', 2);

vi.setConfig({ testTimeout: limitMs, hookTimeout: limitMs });
let world: World;
let home: Tenant;
let operator: string;
let api: Client;
const sent = new Map<string, Sent>();

beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  operator = await world.operator();
  api = new Client({ connectionString: world.schema.as('gpuaas_api') });
  await api.connect();
  await addHistory({ years: 1, endedYearsAgo: 0 });
});
afterAll(async () => {
  await api.end();
  await world.close();
});

async function addHistory(when: { readonly years: number; readonly endedYearsAgo: number }): Promise<void> {
  const node = await (await stockFleet(world.root)).addNode();
  const of = { nodeId: node.id, sku: sliceSku, region: testRegion, allocationsPerYear: allocations, ...when };
  await addYears(world.root, { ...of, organizationId: home.organizationId, projectId: home.projectId });
  await world.root.query('analyze');
}

/** Asks a route for its example, and remembers which statements that took. */
async function ask(route: Route): Promise<void> {
  const example = await exampleOf(route, world, home);
  const { database } = world.database;
  const { read } = database;
  const spy = vi.spyOn(database, 'read').mockImplementation((who, work) =>
    read(who, (tx) =>
      work({
        rows: (statement, values = []) => {
          const name = `${route.id} ${statement.name}`;
          if (!sent.has(name)) sent.set(name, { route: route.id, who, statement, values });
          return tx.rows(statement, values);
        },
      }),
    ),
  );
  try {
    await world.call(route.method, urlOf(route, example), {
      as: route.auth.kind === 'admin' ? operator : home.token,
      ...sentWith(example),
      headers: route.tenancy.kind === 'header' ? { 'x-project-id': home.projectId } : {},
    });
  } finally {
    spy.mockRestore();
  }
}
const measureAll = async (): Promise<Map<string, number>> => {
  const rows = new Map<string, number>();
  for (const [name, each] of sent) rows.set(name, await measure(api, each));
  return rows;
};

describe('what a read costs', () => {
  it('shows in the rows of a plan, also those that a filter threw away', async () => {
    const who = { ...systemViewer('test', { correlationId: 'c' }) };
    const statement = sql('canary', `select id from allocation_timeline where detail ->> 'x' = 'y'`);
    expect(await measure(api, { route: 'none', who, statement, values: [] })).toBeGreaterThanOrEqual(allocations);
  });

  it('does not grow with history', async () => {
    for (const route of routes.filter((each) => !isWrite(each))) await ask(route);
    expect(sent.size).toBeGreaterThan(50);
    const short = await measureAll();
    await addHistory({ years: longer - 1, endedYearsAgo: 1 });
    const long = await measureAll();
    const grown = [...long].flatMap(([name, rows]) => {
      const before = short.get(name) ?? 0;
      return rows > before * 2 + slack
        ? [`${name} read ${before} rows of a short history and ${rows} of a long one`]
        : [];
    });
    // A line that grows no more must not stay on the list.
    const names = new Set(grown.map((line) => line.split(' ').slice(0, 2).join(' ')));
    expect([...whole.keys()].filter((name) => !names.has(name))).toEqual([]);
    expect(grown.filter((line) => !whole.has(line.split(' ').slice(0, 2).join(' ')))).toEqual([]);
  });
});
