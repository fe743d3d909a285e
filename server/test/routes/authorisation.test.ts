import { errors, isWrite, type Persona, personas, routes, verdictOf } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, issuer, openWorld, type Tenant, type World } from '../../src/testing/world.ts';
import { exampleOf, sentWith, urlOf } from './examples.ts';

/** Every operation, every persona: what the contract says must be what the api does. The table is docs/authorisation.md. */
let world: World;
let home: Tenant;
let tokens: Record<Persona, string | undefined>;
/** What each request that was refused asked for, by its correlation id. */
const refusals = new Map<string, string>();

beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  const stranger = await world.found('elsewhere');
  const platform = async (role: string) => {
    await asSystem(world.root, 'insert into users (id, oidc_issuer, oidc_subject) values ($1, $2, $3)', [
      systemIds.next(),
      issuer,
      role,
    ]);
    await asSystem(
      world.root,
      'insert into platform_role_bindings (user_id, role) select id, $1 from users where oidc_subject = $1',
      [role],
    );
    return world.token(role);
  };
  tokens = {
    nobody: undefined,
    stranger: stranger.token,
    viewer: await world.join('viewer', home, 'viewer'),
    member: await world.join('member', home, 'member'),
    admin: await world.join('admin', home, 'admin'),
    owner: home.token,
    finance: await world.join('finance', home, 'finance'),
    platform_support: await platform('platform_support'),
    platform_finance: await platform('platform_finance'),
    platform_ops: await platform('platform_ops'),
    platform_superadmin: await platform('platform_superadmin'),
  };
});
afterAll(() => world.close());

describe.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  it.each(personas)('answers %s as the contract says', async (persona) => {
    const example = await exampleOf(route, world, home, tokens[persona]);
    const correlationId = systemIds.next();
    const token = tokens[persona];
    const reply = await world.call(route.method, urlOf(route, example), {
      ...(token && { as: token }),
      ...(isWrite(route) && { key: systemIds.next() }),
      ...sentWith(example),
      headers: {
        'x-request-id': correlationId,
        ...(route.tenancy.kind === 'header' && { 'x-project-id': home.projectId }),
      },
    });
    const verdict = verdictOf(route, persona);
    if (verdict === 'allowed') return expect(reply.status, reply.text).toBeLessThan(300);
    expect(reply.body.code, reply.text).toBe(verdict);
    expect(reply.status).toBe(errors[verdict].status);
    if (persona !== 'nobody') refusals.set(correlationId, `${route.id} for ${persona}`);
  });
});

describe('a refusal of a person whom the api knows', () => {
  it('is in the audit log, each of them', async () => {
    expect(refusals.size).toBeGreaterThan(routes.length);
    const unwritten = async () => {
      const { rows } = await world.root.query(
        `select correlation_id from audit_logs
         where correlation_id = any ($1) and action = 'authz.deny' and result = 'failure'`,
        [[...refusals.keys()]],
      );
      const written = new Set(rows.map((row) => row.correlation_id));
      return [...refusals].filter(([id]) => !written.has(id)).map(([, refusal]) => refusal);
    };
    await expect.poll(unwritten, { timeout: 30_000 }).toEqual([]);
  }, 60_000);
});
