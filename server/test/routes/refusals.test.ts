import { isWrite, type Route, routes } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { openWorld, type Tenant, type World } from '../../src/testing/world.ts';
import { type Example, exampleOf, sentWith, urlOf } from './examples.ts';

/**
 * Refusals that follow from the contract alone: a second thing of the same name, and a thing that is not there. Each is
 * tried on every route that declares it.
 */
let world: World;
let home: Tenant;
let operator: string;

beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  operator = await world.operator();
});
afterAll(() => world.close());

const send = (route: Route, example: Example) =>
  world.call(route.method, urlOf(route, example), {
    as: route.auth.kind === 'admin' ? operator : home.token,
    ...(isWrite(route) && { key: systemIds.next() }),
    ...sentWith(example),
    headers: route.tenancy.kind === 'header' ? { 'x-project-id': home.projectId } : {},
  });
const each = (list: readonly Route[]) => list.map((route) => [`${route.method} ${route.path}`, route] as const);
const errorsOf = (route: Route): readonly string[] => route.errors ?? [];
const isUuid = (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** A price that names no time begins when it is made, so two of them are two prices. */
const isNamed = (code: string) => /_(?:taken|already_exists)$/.test(code) && code !== 'price_already_exists';
const named = routes.filter((route) => isWrite(route) && route.method === 'POST' && errorsOf(route).some(isNamed));
/** Simulated hosts are a double in these tests, which answers for every id. */
const absent = routes.filter(
  (route) => errorsOf(route).some((code) => code.endsWith('_not_found')) && !route.path.startsWith('/api/v1/sim/'),
);

describe('what has to be the only one of its name', () => {
  it.each(each(named))('is refused the second time: %s', async (_, route) => {
    const example = await exampleOf(route, world, home);
    const [first, second] = [await send(route, example), await send(route, example)];
    expect(first.status, first.text).toBeLessThan(300);
    expect(second.status, second.text).toBe(409);
    expect(errorsOf(route)).toContain(second.body.code);
  });
});

describe('what is not there', () => {
  it.each(each(absent))('is not found: %s', async (_, route) => {
    const own = await exampleOf(route, world, home);
    const tenancyParam = 'param' in route.tenancy ? route.tenancy.param : undefined;
    const params = Object.fromEntries(
      Object.entries(own.params ?? {}).map(([name, value]) => [
        name,
        name !== tenancyParam && isUuid(value) ? systemIds.next() : value,
      ]),
    );
    // Where the path names nothing but the tenant, what is missing is named elsewhere, and tried where that is.
    if (JSON.stringify(params) === JSON.stringify(own.params ?? {})) return;
    const reply = await send(route, { ...own, params });
    expect(reply.status, reply.text).toBe(404);
    expect(errorsOf(route)).toContain(reply.body.code);
  });
});

describe('what an allocation has to be active for', () => {
  const active = routes.filter((route) => errorsOf(route).includes('allocation_not_active'));
  /** It is in the path or the body, or it is the one that the app runs on. */
  const allocationOf = async ({ params, body }: Example): Promise<string> => {
    const named = params?.['allocation_id'] ?? body?.['allocation_id'];
    if (typeof named === 'string') return named;
    const { rows } = await world.root.query('select allocation_id from app_instances where id = $1', [
      params?.['app_instance_id'],
    ]);
    return rows[0].allocation_id;
  };
  it.each(each(active))('is refused once it is being released: %s', async (_, route) => {
    const example = await exampleOf(route, world, home);
    const release = routes.find(({ id }) => id === 'allocation_release') as Route;
    expect((await send(release, { params: { allocation_id: await allocationOf(example) } })).status).toBe(202);
    expect(await send(route, example)).toMatchObject({ status: 409, body: { code: 'allocation_not_active' } });
  });
});
