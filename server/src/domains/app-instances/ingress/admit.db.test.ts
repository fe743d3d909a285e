import { type AppAdmission, appIngressRoutes } from '@gpuaas/contract/ingress';
import type { InternalInput, InternalRoute } from '@gpuaas/contract/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { putInstance } from '../testing.ts';

type Question = InternalInput<typeof appIngressRoutes.admit>;
let world: World;
let home: Tenant;
beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
});
afterAll(() => world?.close());

/** As the app-proxy asks, with the rows and the cache of the api. */
async function ask<R extends InternalRoute>(route: R, input: InternalInput<R>): Promise<never> {
  const handler = world.appIngress.find((one) => one.route.path === route.path);
  if (!handler) throw new Error(`no handler is mounted at ${route.path}`);
  return (await handler.handle(input as never, { correlationId: systemIds.next() } as never)) as never;
}
const admit = (label: string, credential: Question['credential']): Promise<AppAdmission> =>
  ask(appIngressRoutes.admit, { label, credential, address: '192.0.2.7' });
const decisionOf = async (label: string, credential: Question['credential']) =>
  (await admit(label, credential)).decision;
const nothing = { kind: 'none' } as const;
const bearer = (token: string) => ({ kind: 'bearer', token }) as const;

const state = 's'.repeat(40);
/** Signs a browser in at an app, by the way that browsers go. */
async function sessionAt(label: string, as: string): Promise<Question['credential']> {
  const signedIn = await world.call('POST', '/api/v1/app-sign-ins', {
    ...{ as, key: systemIds.next(), body: { label, state } },
  });
  expect(signedIn.status, signedIn.text).toBe(201);
  const code = new URL(signedIn.body.redirect_url).searchParams.get('code') ?? '';
  const { secret } = (await ask(appIngressRoutes.signIn, { label, code, state })) as { secret: string };
  return { kind: 'session', secret };
}
const labelOf = async (id: string, family: 'browser' | 'api') =>
  (
    await world.root.query('select label from app_routes where app_instance_id = $1 and route_family = $2', [
      ...[id, family],
    ])
  ).rows[0].label as string;
const idOf = async (subject: string) =>
  (await world.root.query('select id from users where oidc_subject = $1', [subject])).rows[0].id as string;
/** An instance that runs, and a member of its project who has a session at it. */
async function opened(name: string) {
  const instance = await putInstance(world, home);
  const token = await world.join(name, home, 'member');
  const session = await sessionAt(instance.label, token);
  expect(await decisionOf(instance.label, session)).toBe('admitted');
  return { ...instance, token, session, userId: await idOf(name) };
}
const change = (text: string, values: unknown[]) => asSystem(world.root, text, values);

describe('a request to an app', () => {
  it('is admitted to its own app alone, where its container is', async () => {
    const one = await opened('at-one');
    const other = await putInstance(world, home);
    expect(await admit(one.label, one.session)).toMatchObject({
      ...{ organization_id: home.organizationId, instance_id: one.id, allocation_id: one.allocationId },
      ...{ workload_id: one.workloadId, actor_id: one.userId, port: 8_080 },
    });
    for (const label of [other.label, await labelOf(other.id, 'api'), await labelOf(one.id, 'api')]) {
      expect(await decisionOf(label, one.session), label).toBe('sign_in');
    }
  });

  it('learns nothing about names without a credential, and nothing about absent ones with another', async () => {
    const { label, session } = await opened('at-nothing');
    expect(await admit('web-of-nobody', nothing)).toEqual({
      ...(await admit(label, nothing)),
      sign_in_url: expect.stringContaining('label=web-of-nobody'),
    });
    expect(await decisionOf('web-of-nobody', session)).toBe('refused');
  });

  it.each([
    ['is disabled', 'update users set disabled_at = now() where id = $1'],
    ['has left the organization', 'update tenant_memberships set deleted_at = now() where user_id = $1'],
    ['may only look by now', `update tenant_memberships set role = 'viewer' where user_id = $1`],
  ])('of a person who %s is refused, whatever the session says', async (what, text) => {
    const { label, session, userId } = await opened(`who ${what}`.replaceAll(' ', '-'));
    await change(text, [userId]);
    expect(await decisionOf(label, session)).toBe('refused');
  });

  it('of a person whose sign-ins were ended has to sign in again', async () => {
    const { label, session, userId } = await opened('signed-out');
    await change(
      `insert into sign_in_floors (user_id, not_before, reason, updated_at) values ($1, now() + interval '1 second', 'a test', now())`,
      [userId],
    );
    expect(await decisionOf(label, session)).toBe('sign_in');
  });

  it.each([
    [
      'released',
      'refused',
      `update app_instances set state = 'released', ended_at = now(), version = version + 1 where id = $1`,
    ],
    ['stopping', 'not_running', `update app_instances set state = 'stopping', version = version + 1 where id = $1`],
    ['failed', 'not_running', `update app_instances set state = 'failed', version = version + 1 where id = $1`],
    [
      'on an allocation that is being released',
      'not_running',
      `update allocations set state = 'releasing', version = version + 1 where id = (select allocation_id from app_instances where id = $1)`,
    ],
    ['moved away from this address', 'refused', 'update app_routes set retired_at = now() where app_instance_id = $1'],
  ])('does not reach an instance that is %s', async (what, decision, text) => {
    const { id, label, session } = await opened(`to ${what}`.replaceAll(' ', '-'));
    await change(text, [id]);
    expect(await decisionOf(label, session)).toBe(decision);
  });

  it('does not reach a version that was revoked with the effect to stop, also before its container has ended', async () => {
    const { label, session, versionId } = await opened('to-revoked');
    const revoked = await world.call('POST', `/api/v1/admin/app-versions/${versionId}/revoke`, {
      ...{ as: await world.operator(), key: systemIds.next(), body: { reason: 'it calls home', effect: 'stop' } },
    });
    expect(revoked.status, revoked.text).toBe(200);
    expect(await decisionOf(label, session)).toBe('not_running');
  });

  it('of a program is admitted by a token of a person or service account who may use the project', async () => {
    const { id, token, session } = await opened('programs');
    const label = await labelOf(id, 'api');
    expect(await admit(label, bearer(token))).toMatchObject({ decision: 'admitted', port: 8_081 });
    expect(await decisionOf(label, bearer((await world.found('strangers')).token))).toBe('refused');
    expect(await decisionOf(label, bearer(await world.join('looker', home, 'viewer')))).toBe('refused');
    for (const credential of [bearer('no-token'), nothing, session]) {
      expect(await decisionOf(label, credential)).toBe('sign_in');
    }
    // A token is no session: browsers send it nowhere by themselves, and what they are shown belongs to a sign-in.
    expect(await decisionOf((await putInstance(world, home)).label, bearer(token))).toBe('sign_in');
  });

  it('gets one session for a code, with the state and at the name that it was made for', async () => {
    const instance = await putInstance(world, home);
    const other = await putInstance(world, home);
    const mint = async () => {
      const minted = await world.call('POST', '/api/v1/app-sign-ins', {
        ...{ as: home.token, key: systemIds.next(), body: { label: instance.label, state } },
      });
      return new URL(minted.body.redirect_url).searchParams.get('code') ?? '';
    };
    const take = (code: string, more: object = {}) =>
      ask(appIngressRoutes.signIn, { label: instance.label, code, state, ...more }) as Promise<object>;
    expect(await take(await mint(), { label: other.label })).toMatchObject({ code: 'app_route_not_found' });
    expect(await take(await mint(), { state: 't'.repeat(40) })).toMatchObject({ code: 'app_route_not_found' });
    const code = await mint();
    const taken = await Promise.all([take(code), take(code), take(code)]);
    expect(taken.filter((each) => 'secret' in each)).toHaveLength(1);
  });
});
