import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { appsUrlOfWorlds, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { putInstance } from '../testing.ts';

let world: World;
let home: Tenant;
let instance: Awaited<ReturnType<typeof putInstance>>;
beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  instance = await putInstance(world, home);
});
afterAll(() => world.close());

const state = 's'.repeat(40);
const signIn = (as: string, label: string = instance.label) =>
  world.call('POST', '/api/v1/app-sign-ins', {
    ...{ as, key: systemIds.next(), body: { label, state, to: '/there' }, headers: { 'x-request-id': 'the-same' } },
  });

describe('a code to sign in at an app', () => {
  it.each(['member', 'admin'])('is for the people of the project who may use it: %s', async (role) => {
    const reply = await signIn(await world.join(role, home, role));
    expect(reply.status, reply.text).toBe(201);
    const url = new URL(reply.body.redirect_url);
    expect(url.origin).toBe(appsUrlOfWorlds.replace('//', `//${instance.label}.`));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ state, to: '/there' });
  });

  it('is refused to everybody else as if there were no such app', async () => {
    const absent = await signIn(home.token, 'web-of-nobody');
    expect(absent).toMatchObject({ status: 404, body: { code: 'app_route_not_found' } });
    const others = {
      stranger: (await world.found('elsewhere')).token,
      viewer: await world.join('viewer', home, 'viewer'),
      finance: await world.join('finance', home, 'finance'),
      operator: await world.operator(),
    };
    for (const [name, token] of Object.entries(others)) {
      expect((await signIn(token)).text, name).toBe(absent.text);
    }
    // The address of programs takes tokens, and no browser signs in there.
    const programs = (
      await world.root.query(`select label from app_routes where app_instance_id = $1 and route_family = 'api'`, [
        instance.id,
      ])
    ).rows[0].label;
    expect((await signIn(home.token, programs)).text).toBe(absent.text);
  });
});
