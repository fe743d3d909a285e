import { defaultProjectGet, defaultProjectSet, meGet, meUpdate, permissionsOf, type Route } from '@gpuaas/contract';
import { type Database, handlers } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { resourceName } from '../../kernel/resource-name.ts';
import type { Policies } from '../policy/index.ts';
import { maxShown } from './facts.ts';
import { findDefaultProject, findMyself, listMine, setDefaultProject, setDisplayName } from './me-store.ts';

const on = handlers<{
  readonly db: Database;
  readonly region: string;
  readonly policies: Policies;
  /** The routes of this installation: some exist only beside a simulated fleet. */
  readonly offered: readonly Route[];
}>();

export const get = on(meGet, async ({ db, region, policies, offered }, who) => {
  const [person, organizations, defaultProject] = await db.read(who, async (tx) => [
    await findMyself(tx, who.actorId),
    await listMine(tx, who.actorId, maxShown),
    await findDefaultProject(tx, who.actorId),
  ]);
  if (!person) return new Fault('user_not_found', 'There is no such object.');
  const { uid, gid, username, display_name, platform_roles } = person;
  return {
    id: who.actorId,
    display_name,
    platform_roles,
    organizations: organizations.map(({ id, name, slug, role }) => ({
      id,
      resource_name: resourceName(region, { organizationId: id }, 'tenancy/organization', id),
      name,
      slug,
      role,
    })),
    default_project_id: defaultProject,
    permissions: permissionsOf(offered, {
      platformRoles: platform_roles,
      tenantRoles: organizations.map(({ role }) => role),
      narrowed: who.credential?.scopes,
    }),
    personal_token_max_days: policies.number('auth.personal_token_max_days', who),
    gpu_time_speed: policies.number('node.simulated_gpu_time_speed'),
    posix: { uid, gid, username },
  };
});

export const update = on(meUpdate, ({ db }, act, { body: { display_name } }) =>
  db.write(act, async (tx) => {
    await setDisplayName(tx, act.actorId, display_name);
    return tx.commit(
      { display_name },
      { target: { type: 'user', id: act.actorId }, change: { display_name }, events: 'none' },
    );
  }),
);

export const getDefault = on(defaultProjectGet, async ({ db }, who) => ({
  project_id: await db.read(who, (tx) => findDefaultProject(tx, who.actorId)),
}));

export const setDefault = on(defaultProjectSet, ({ db }, act, { body }) =>
  db.write(act, async (tx) => {
    const row = await setDefaultProject(tx, act.actorId, body.project_id);
    if (!row) return tx.abandon(new Fault('project_not_found', 'There is no such object.'));
    return tx.commit(
      { project_id: row.project_id },
      { target: { type: 'user', id: act.actorId }, change: { project_id: row.project_id }, events: 'none' },
    );
  }),
);
