import {
  countsAddresses,
  isWrite,
  type Lane,
  laneOf,
  lanes,
  type Route,
  routes,
  verdictOf,
  type WriteRoute,
} from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { type Ask, openWorld, type Reply, type Tenant, type World } from '../../src/testing/world.ts';
import { type Example, exampleOf, pathOf, sentWith, urlOf, withoutExample, withoutRoute } from './examples.ts';

/**
 * What holds for every operation is tried on every operation. Nothing here names one: a new route is in from the moment
 * it stands in the contract, and has to come with an example.
 */
let world: World;
let home: Tenant;
let foreign: Tenant;
let operator: string;

beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  foreign = await world.found('foreign');
  operator = await world.operator();
});
afterAll(() => world.close());

const tokenFor = (route: Route) => (route.auth.kind === 'admin' ? operator : home.token);
const headersFor = (route: Route, tenant: Tenant): Record<string, string> =>
  route.tenancy.kind === 'header' ? { 'x-project-id': tenant.projectId } : {};

async function send(route: Route, example: Example, ask: Ask = {}): Promise<Reply> {
  return world.call(route.method, urlOf(route, example), {
    as: tokenFor(route),
    ...(isWrite(route) && { key: systemIds.next() }),
    ...sentWith(example),
    ...ask,
    headers: { ...headersFor(route, home), ...ask.headers },
  });
}
const example = (route: Route) => exampleOf(route, world, home, tokenFor(route));
const writes = routes.filter(isWrite);
const keyed = writes.filter((route) => route.idempotency === 'key');
const guarded = routes.filter((route) => route.auth.kind !== 'public');
const owned = routes.filter(({ tenancy }) => ['path', 'owner-of', 'header'].includes(tenancy.kind));
/** The contract says what a viewer may do; whatever changes something and is not on that list is closed to them. */
const notForViewers = owned.filter(isWrite).filter((route) => verdictOf(route, 'viewer') !== 'allowed');
const named = (route: Route) => `${route.method} ${route.path}`;
const each = <R extends Route>(list: readonly R[]) => list.map((route) => [named(route), route] as const);

describe('the set of examples', () => {
  it('covers every route, and nothing else', () => {
    expect({ withoutExample, withoutRoute }).toEqual({ withoutExample: [], withoutRoute: [] });
  });
});

describe('every route', () => {
  it.each(each(routes))('%s answers its example as promised', async (_, route) => {
    const reply = await send(route, await example(route));
    expect(reply.status, reply.text).toBe(isWrite(route) ? (route.status ?? 200) : 200);
    expect(reply.headers['x-request-id']).toBeTruthy();
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers['x-content-type-options']).toBe('nosniff');
    expect(reply.headers['ratelimit']).toMatch(new RegExp(`^"${laneOf(route)}";r=\\d+;t=\\d+$`));
  });

  it.each(each(guarded))('%s answers 401 without a token', async (_, route) => {
    const reply = await world.call(route.method, pathOf(route, (await example(route)).params), { key: 'k', body: {} });
    expect(reply.status).toBe(401);
    expect(reply.body).toMatchObject({ code: 'token_missing', correlation_id: reply.headers['x-request-id'] });
  });

  it.each(each(guarded))('%s answers 401 to a token that a stranger signed', async (_, route) => {
    const forged = await world.sign(
      { kid: 'k1' },
      { iss: 'https://issuer.test', aud: 'gpuaas', sub: home.subject, exp: 4e9 },
      'stranger',
    );
    expect(await send(route, await example(route), { as: forged })).toMatchObject({
      status: 401,
      body: { code: 'token_invalid' },
    });
  });

  it.each(each(owned))('%s answers a foreign object exactly as an absent one', async (_, route) => {
    const own = await example(route);
    const requestId = { 'x-request-id': 'the-same-for-both' };
    const param = route.tenancy.kind === 'path' || route.tenancy.kind === 'owner-of' ? route.tenancy.param : undefined;
    const about = (id: string) =>
      param
        ? send(route, { ...own, params: { ...own.params, [param]: id } }, { headers: requestId })
        : send(route, own, { headers: { ...requestId, 'x-project-id': id } });
    const theirs =
      (param && (await exampleOf(route, world, foreign)).params?.[param]) ??
      (param === 'organization_id' ? foreign.organizationId : foreign.projectId);
    const [foreignReply, absentReply] = [await about(theirs), await about(systemIds.next())];
    expect(foreignReply.status).toBe(404);
    expect(foreignReply.text).toBe(absentReply.text);
    const comparable = ({ headers: { date: _date, ratelimit: _left, ...rest } }: Reply) => rest;
    expect(comparable(foreignReply)).toEqual(comparable(absentReply));
  });

  it.each(each(routes.filter(({ auth }) => auth.kind === 'admin')))('%s is closed to tenants', async (_, route) => {
    const reply = await send(route, await example(route), { as: home.token });
    expect(reply).toMatchObject({ status: 403, body: { code: 'admin_required' } });
  });

  it.each(each(notForViewers))('%s is closed to viewers of the organization', async (_, route) => {
    const viewer = await world.join(`viewer-${route.id}`, home, 'viewer');
    const reply = await send(route, await example(route), { as: viewer });
    expect(reply).toMatchObject({ status: 403, body: { code: 'insufficient_permissions' } });
  });

  it.each(each(routes))('%s refuses a field that it does not know, by name', async (_, route) => {
    const own = await example(route);
    const reply = isWrite(route)
      ? await send(route, own.file ? withSurprise(own) : { ...own, body: { ...own.body, surprise: 1 } })
      : await world.call('GET', `${pathOf(route, own.params)}?surprise=1`, {
          as: tokenFor(route),
          headers: headersFor(route, home),
        });
    expect(reply).toMatchObject({ status: 400, body: { code: 'validation_error' } });
    expect(JSON.stringify(reply.body.details)).toContain('surprise');
  });
});

describe('every write', () => {
  it.each(each(writes))('%s leaves one audit row with its action and correlation id', async (_, route) => {
    const correlationId = systemIds.next();
    const reply = await send(route, await example(route), { headers: { 'x-request-id': correlationId } });
    expect(reply.status, reply.text).toBeLessThan(300);
    const { rows } = await world.root.query(
      'select action, result, target_id, actor_id from audit_logs where correlation_id = $1',
      [correlationId],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ action: (route as WriteRoute).audit, result: 'success' });
    expect(rows[0].target_id).toBeTruthy();
  });

  it.each(each(keyed))('%s answers a repeated key with the stored reply and does nothing', async (_, route) => {
    const own = await example(route);
    const key = systemIds.next();
    const first = await send(route, own, { key });
    const before = await rowsOf(world);
    const second = await send(route, own, { key });
    expect(second.status).toBe(first.status);
    expect(second.text).toBe(asKept(route, first));
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(await rowsOf(world)).toEqual(before);
  });

  it.each(each(keyed))('%s has one effect when 32 requests carry one key', async (_, route) => {
    const own = await example(route);
    const key = systemIds.next();
    const before = await rowsOf(world);
    const replies = await Promise.all(Array.from({ length: 32 }, () => send(route, own, { key })));
    const fresh = replies.filter((reply) => reply.status < 300 && !reply.headers['idempotency-replayed']);
    expect(fresh).toHaveLength(1);
    for (const reply of replies) {
      if (reply.status === 409) {
        expect(reply.body.code).toBe('idempotency_in_progress');
        expect(reply.headers['retry-after']).toBe('1');
      } else if (reply !== fresh[0]) expect(reply.text).toBe(asKept(route, fresh[0] as Reply));
    }
    expect((await rowsOf(world)).audit - before.audit).toBe(1);
  });

  it.each(each(keyed))('%s refuses a key that was used for another request', async (_, route) => {
    const key = systemIds.next();
    const [one, two] = [await example(route), await example(route)];
    await send(route, one, { key });
    const other =
      JSON.stringify(two) !== JSON.stringify(one) ? two : { ...one, body: { ...one.body, ...different(one) } };
    expect(await send(route, other, { key })).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  it.each(each(keyed))('%s asks for a key', async (_, route) => {
    const own = await example(route);
    const reply = await world.call(route.method, pathOf(route, own.params), {
      as: tokenFor(route),
      body: own.body ?? {},
      headers: headersFor(route, home),
    });
    expect(reply).toMatchObject({ status: 400, body: { code: 'idempotency_key_missing' } });
  });

  it.each(each(keyed))('%s takes the key under its other name, and refuses two that disagree', async (_, route) => {
    const own = await example(route);
    const path = urlOf(route, own);
    const ask = { as: tokenFor(route), ...sentWith(own) };
    const torn = await world.call(route.method, path, {
      ...ask,
      key: 'one',
      headers: { ...headersFor(route, home), 'x-idempotency-key': 'two' },
    });
    expect(torn).toMatchObject({ status: 400, body: { code: 'idempotency_key_invalid' } });
    const agreed = await world.call(route.method, path, {
      ...ask,
      headers: { ...headersFor(route, home), 'x-idempotency-key': systemIds.next() },
    });
    expect(agreed.status, agreed.text).toBeLessThan(300);
  });
});

describe('every lane', () => {
  it.each(Object.keys(lanes))(
    'answers 429 in lane %s when its budget is spent, and says when to come back',
    async (lane) => {
      const inLane = routes.filter((route) => laneOf(route) === lane);
      // The callers of all routes have one address here: a lane that counts addresses has a world for each route.
      const groups = countsAddresses(lane as Lane) ? inLane.map((route) => [route]) : [inLane];
      for (const group of groups) await spend(lane as Lane, group);
    },
  );

  async function spend(lane: Lane, group: readonly Route[]): Promise<void> {
    const narrow = await openWorld({
      policies: {
        [lanes[lane].policy]: 3,
        ...(lane !== 'default' && { 'rate_limit.api_requests_per_minute': 1_000 }),
      },
    });
    try {
      const token = await narrow.operator();
      for (const route of group) {
        const statuses: Reply[] = [];
        const who = await narrow.operator(`caller-${route.id}`);
        // A stream that nobody narrows waits for what comes; here it ends with what is there.
        const path = route.method === 'GET' && route.stream ? `${pathOf(route)}?follow=false` : pathOf(route);
        for (let n = 0; n < 4; n += 1) {
          statuses.push(await narrow.call(route.method, path, { as: route.auth.kind === 'public' ? token : who }));
        }
        const last = statuses.at(-1);
        expect(last?.status, named(route)).toBe(429);
        expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0);
        expect(last?.body).toMatchObject({ code: 'rate_limit_exceeded', details: { lane, limit: 3 } });
        if (route.auth.kind === 'public') continue;
        expect(statuses[2]?.status, 'the budget itself can be spent').not.toBe(429);
      }
    } finally {
      await narrow.close();
    }
  }
});

/** What a replay says: the reply itself, but for what is shown once. */
const asKept = (route: Route, { text, body }: Reply): string =>
  route.shownOnce
    ? JSON.stringify({ ...body, ...Object.fromEntries(route.shownOnce.map((field) => [field, '[shown once]'])) })
    : text;

/** A route that receives a file has its fields in the query. */
const withSurprise = (own: Example): Example => ({ ...own, query: `${own.query}&surprise=1` });

/** A body that differs in one allowed way. */
const different = (own: Example): Record<string, unknown> =>
  own.body && 'name' in own.body
    ? { name: 'A different name' }
    : own.body && 'reason' in own.body
      ? { reason: 'another reason' }
      : { version: 99 };

async function rowsOf({
  root,
}: World): Promise<{ audit: number; outbox: number; projects: number; organizations: number }> {
  const { rows } = await root.query(
    `select (select count(*) from audit_logs)::int as audit, (select count(*) from outbox_events)::int as outbox,
       (select count(*) from projects)::int as projects, (select count(*) from organizations)::int as organizations`,
  );
  return rows[0];
}
