import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { putAllocation } from '../../src/domains/allocations/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, issuer, type Tenant, type World } from '../../src/testing/world.ts';
import type { MakeExample } from './examples.ts';

/** Somebody whom nobody else in a test depends on. */
async function somebody(world: World): Promise<string> {
  const id = systemIds.next();
  await asSystem(world.root, 'insert into users (id, oidc_issuer, oidc_subject) values ($1, $2, $3)', [
    id,
    issuer,
    `somebody-${randomBytes(6).toString('hex')}`,
  ]);
  return id;
}
/** Makes an allocation somebody's own. */
export async function createdBy(world: World, allocationId: string, personId: string): Promise<string> {
  await asSystem(world.root, 'update allocations set requested_by = $2, version = version + 1 where id = $1', [
    allocationId,
    personId,
  ]);
  return allocationId;
}
/** The person of a token, known from now on. */
export const personOf = async (world: World, token: string): Promise<string> => {
  const { sub } = decodeJwt(token);
  await asSystem(
    world.root,
    'insert into users (id, oidc_issuer, oidc_subject) values ($1, $2, $3) on conflict do nothing',
    [systemIds.next(), issuer, sub],
  );
  return (await world.root.query('select id from users where oidc_subject = $1', [sub])).rows[0].id;
};
/** Owners may use the machine of anybody; other callers get one of their own. */
export const machine = async (world: World, tenant: Tenant, caller: string) => {
  const id = await putAllocation(world.root, tenant, 'active');
  return caller === tenant.token ? id : createdBy(world, id, await personOf(world, caller));
};
const body = { reason: 'an example' };
const aboutSomebody: MakeExample = async (world) => ({ params: { user_id: await somebody(world) }, body });

const beginFactor = async (world: World, as: string): Promise<string> => {
  const made = await world.call('POST', '/api/v1/me/factors', { as, key: systemIds.next(), body: { name: 'Phone' } });
  return made.body.id as string;
};

export const peopleExamples: Readonly<Record<string, MakeExample>> = {
  user_list: async () => ({}),
  user_get: async (world) => ({ params: { user_id: await somebody(world) } }),
  user_disable: aboutSomebody,
  user_enable: aboutSomebody,
  user_delete: aboutSomebody,
  factor_list: async () => ({}),
  factor_begin: async () => ({ body: { name: 'Phone' } }),
  factor_confirm: async (world, _, caller) => ({
    params: { factor_id: await beginFactor(world, caller) },
    body: { code: '123456' },
  }),
  passkey_begin: async () => ({ body: { name: 'Laptop' } }),
  passkey_confirm: async (world, _, caller) => ({
    params: { factor_id: await beginFactor(world, caller) },
    body: { credential: {} },
  }),
  factor_remove: async (world, _, caller) => ({ params: { factor_id: await beginFactor(world, caller) } }),
  recovery_codes_renew: async () => ({ body: { reason: `an example ${systemIds.next()}` } }),
  user_factors_reset: aboutSomebody,
  platform_role_list: async () => ({}),
  platform_role_grant: async (world) => ({
    params: { user_id: await somebody(world), role: 'platform_support' },
    body,
  }),
  platform_role_revoke: async (world) => {
    const user = await somebody(world);
    await asSystem(world.root, `insert into platform_role_bindings (user_id, role) values ($1, 'platform_support')`, [
      user,
    ]);
    return { params: { user_id: user, role: 'platform_support' }, body };
  },
};
