import {
  machineIdentityCreate,
  machineIdentityList,
  serviceAccountCreate,
  serviceAccountDisable,
  serviceAccountEnable,
  serviceAccountGet,
  serviceAccountList,
  serviceAccountRemove,
} from '@gpuaas/contract';
import {
  type Act,
  type Database,
  handlers,
  type InOrganization,
  type Mounted,
  type Viewer,
  type WriteTx,
} from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import { advanceAccount } from './machine.ts';
import { grantScopes } from './scope-grant.ts';
import { findAccount, insertAccount, listAccounts, type NewAccount, projectsExist, showAccount } from './store.ts';

export interface AccountParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly region: string;
  /** Makes every process, this one first, forget what it remembers of accounts and keys. */
  readonly changed: () => void;
}
const on = handlers<AccountParts>();
const listName = 'service-accounts';
export const absent = () => new Fault('service_account_not_found', 'There is no such object.');

async function make(tx: WriteTx, region: string, account: NewAccount) {
  if (!(await projectsExist(tx, account.organizationId, account.projectIds))) {
    return tx.abandon(new Fault('project_not_found', 'There is no such object.'));
  }
  if (!(await insertAccount(tx, account))) {
    return tx.abandon(
      new Fault('service_account_slug_taken', `The slug ${account.slug} is taken here: choose another one.`),
    );
  }
  const row = await findAccount(tx, account.id);
  if (!row) throw new Error('a service account was not stored');
  return tx.commit(showAccount(region, row), {
    target: { type: 'service_account', id: row.id },
    change: { name: row.name, slug: row.slug, scope: row.scope, scopes: row.scopes, project_ids: row.project_ids },
    events: 'none',
  });
}

const born = (
  act: Act & InOrganization,
  ids: Ids,
  asked: Pick<NewAccount, 'name' | 'slug' | 'may'> & { readonly description?: string },
  scope: NewAccount['scope'],
  projectIds: NewAccount['projectIds'],
): NewAccount => ({
  name: asked.name,
  slug: asked.slug,
  may: asked.may,
  description: asked.description,
  id: ids.next(),
  organizationId: act.organizationId,
  scope,
  projectIds,
  createdBy: act.actorId,
});

const create = on(serviceAccountCreate, async ({ db, ids, region }, act, { params, body }) => {
  const may = grantScopes(act, body.scopes);
  if (may instanceof Fault) return may;
  return db.write(act, (tx) => make(tx, region, born(act, ids, { ...body, may }, 'project', [params.project_id])));
});

const createShared = on(machineIdentityCreate, async ({ db, ids, region }, act, { body: { project_ids, ...body } }) => {
  const may = grantScopes(act, body.scopes);
  if (may instanceof Fault) return may;
  return db.write(act, (tx) => make(tx, region, born(act, ids, { ...body, may }, 'organization', project_ids)));
});

function page(
  { db, region }: AccountParts,
  who: Viewer & InOrganization,
  projectId: string | undefined,
  query: { readonly limit?: number; readonly cursor?: string },
) {
  return readPage({
    name: listName,
    query,
    read: (after, limit) => db.read(who, (tx) => listAccounts(tx, who.organizationId, { projectId, after, limit })),
    keyOf: (row) => row.id,
    show: (row) => showAccount(region, row),
  });
}

const list = on(serviceAccountList, (parts, who, { params, query }) => page(parts, who, params.project_id, query));
const listAll = on(machineIdentityList, (parts, who, { query }) => page(parts, who, undefined, query));

const get = on(serviceAccountGet, async ({ db, region }, who, { params }) => {
  const row = await db.read(who, (tx) => findAccount(tx, params.service_account_id));
  return row ? showAccount(region, row) : absent();
});

async function move(
  { db, region, changed }: AccountParts,
  act: Act,
  id: string,
  transition: 'disable' | 'enable' | 'remove',
  version?: number,
) {
  const written = await db.write(act, async (tx) => {
    const moved = await advanceAccount(tx, id, transition, version);
    if (moved instanceof Fault) return tx.abandon(moved);
    const row = moved && (await findAccount(tx, id));
    if (!row) return tx.abandon(absent());
    return tx.commit(showAccount(region, row), {
      target: { type: 'service_account', id },
      change: { state: [moved.from, moved.to] },
      events: 'none',
    });
  });
  changed();
  return written;
}

const disable = on(serviceAccountDisable, (parts, act, { params, body }) =>
  move(parts, act, params.service_account_id, 'disable', body.version),
);
const enable = on(serviceAccountEnable, async (parts, act, { params, body }) => {
  const account = await parts.db.read(act, (tx) => findAccount(tx, params.service_account_id));
  // Enabling an account gives its keys back everything that it may do.
  const may = account && grantScopes(act, account.scopes);
  if (may instanceof Fault) return may;
  return move(parts, act, params.service_account_id, 'enable', body.version);
});
const remove = on(serviceAccountRemove, async (parts, act, { params }) => {
  const moved = await move(parts, act, params.service_account_id, 'remove');
  // Nobody said which version they saw, so none can be in the way.
  if (moved instanceof Fault && moved.code === 'version_conflict') throw moved;
  return moved as Exclude<typeof moved, Fault<'illegal_transition' | 'version_conflict'>>;
});

export const accountRoutes = (parts: AccountParts): Mounted[] =>
  [create, createShared, list, listAll, get, disable, enable, remove].map((bind) => bind(parts));
