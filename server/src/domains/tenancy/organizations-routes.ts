import {
  organizationCreate,
  organizationCreated,
  organizationDelete,
  organizationDeleted,
  organizationGet,
  organizationList,
  organizationUpdate,
  type TenantRole,
} from '@gpuaas/contract';
import { type Database, handlers, type Viewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import type { Policies } from '../policy/index.ts';
import { joinMember } from './members-store.ts';
import {
  countOwned,
  deleteOrganization,
  findOrganization,
  hasProjects,
  holdOrganization,
  insertOrganization,
  listMyOrganizations,
  renameOrganization,
  showOrganization,
} from './store.ts';

const on = handlers<{
  readonly db: Database;
  readonly region: string;
  readonly policies: Policies;
  readonly changed: () => void;
}>();
const roleOf = (who: Viewer) => who.actorRole as TenantRole;
const absent = () => new Fault('organization_not_found', 'There is no such object.');

export const create = on(organizationCreate, async ({ db, region, policies }, act, { body }) =>
  db.write(act, async (tx) => {
    const most = policies.number('tenancy.max_owned_organizations', act);
    if ((await countOwned(tx)) >= most) {
      return tx.abandon(
        new Fault('organization_limit_reached', `You own ${most} organizations, and more are not allowed.`, {
          limit: most,
        }),
      );
    }
    const id = act.organizationId;
    const { name, slug, type = 'enterprise', currency = 'USD' } = body;
    const row = await insertOrganization(tx, { id, type, name, slug, currency });
    if (!row) return tx.abandon(new Fault('organization_slug_taken', `The slug ${slug} is taken: choose another one.`));
    await joinMember(tx, act.actorId, id, 'owner');
    return tx.commit(showOrganization(region, 'owner', row), {
      target: { type: 'organization', id },
      change: { name, slug, type, currency },
      events: [organizationCreated.of(id, { organization_id: id, name, slug })],
    });
  }),
);

export const list = on(organizationList, ({ db, region }, who, { query }) =>
  readPage({
    name: 'organizations',
    query,
    read: (after, limit) => db.read(who, (tx) => listMyOrganizations(tx, who.actorId, after, limit)),
    keyOf: (row) => row.id,
    show: (row) => showOrganization(region, row.role, row),
  }),
);

export const get = on(organizationGet, async ({ db, region }, who, { params }) => {
  const row = await db.read(who, (tx) => findOrganization(tx, params.organization_id));
  return row ? showOrganization(region, roleOf(who), row) : absent();
});

export const update = on(organizationUpdate, async ({ db, region }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const id = params.organization_id;
    const row = await renameOrganization(tx, id, body.name, body.version);
    if (!row) {
      const current = await findOrganization(tx, id);
      return tx.abandon(
        current
          ? new Fault('version_conflict', 'It was changed in the meantime: read it again.', {
              version: Number(current.version),
            })
          : absent(),
      );
    }
    return tx.commit(showOrganization(region, roleOf(act), row), {
      target: { type: 'organization', id },
      change: { name: body.name },
      events: 'none',
    });
  }),
);

export const remove = on(organizationDelete, async ({ db, region, changed }, act, { params }) => {
  const id = params.organization_id;
  const written = await db.write(act, async (tx) => {
    if (!(await holdOrganization(tx, id))) return tx.abandon(absent());
    if (await hasProjects(tx, id)) {
      return tx.abandon(new Fault('organization_not_empty', 'Remove all projects of the organization first.'));
    }
    const row = await deleteOrganization(tx, id);
    if (!row) return tx.abandon(absent());
    return tx.commit(showOrganization(region, roleOf(act), row), {
      target: { type: 'organization', id },
      change: { slug: row.slug },
      events: [organizationDeleted.of(id, { organization_id: id })],
    });
  });
  if (!(written instanceof Fault)) changed();
  return written;
});
