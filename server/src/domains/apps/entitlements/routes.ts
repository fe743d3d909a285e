import { appEntitlementCreate, appEntitlementDelete, appEntitlementList } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import type { AppParts } from '../parts.ts';
import { findApp } from '../store.ts';
import { deleteEntitlement, findEntitlement, insertEntitlement, listEntitlements, showEntitlement } from './store.ts';

const on = handlers<AppParts>();
const absent = () => new Fault('app_not_found', 'There is no such object.');
const target = (id: string) => ({ type: 'app_entitlement', id });

const create = on(appEntitlementCreate, async ({ db, ids, isThere }, act, { params, body }) => {
  const projectId = body.project_id ?? null;
  // The organization is another tenant's, so its own walls would hide it here.
  if (!(await isThere(body.organization_id, body.project_id))) {
    return new Fault(
      'organization_not_found',
      'There is no such organization, or it has no such project. Ask its people for the ids.',
    );
  }
  return db.write(act, async (tx) => {
    if (!(await findApp(tx, params.app_id))) return tx.abandon(absent());
    const id = ids.next();
    const made = { id, appId: params.app_id, organizationId: body.organization_id, projectId };
    if (!(await insertEntitlement(tx, made))) {
      return tx.abandon(new Fault('app_already_entitled', 'It is entitled to this app already.'));
    }
    const row = await findEntitlement(tx, params.app_id, id);
    if (!row) throw new Error('an entitlement was not stored');
    return tx.commit(showEntitlement(row), {
      target: target(id),
      change: { app_id: params.app_id, entitled: body.organization_id, project_id: projectId },
      events: 'none',
    });
  });
});

const list = on(appEntitlementList, ({ db }, who, { params, query }) =>
  readPage({
    name: 'app-entitlements',
    query,
    read: (after, limit) =>
      db.read(who, (tx) =>
        listEntitlements(tx, { publisherId: who.organizationId, appId: params.app_id }, after, limit),
      ),
    keyOf: ({ id }) => id,
    show: showEntitlement,
  }),
);

const remove = on(appEntitlementDelete, ({ db }, act, { params }) =>
  db.write(act, async (tx) => {
    const row = await findEntitlement(tx, params.app_id, params.app_entitlement_id);
    if (!row) return tx.abandon(new Fault('app_entitlement_not_found', 'There is no such object.'));
    await deleteEntitlement(tx, row.id);
    return tx.commit(showEntitlement(row), {
      target: target(row.id),
      change: { app_id: row.app_id, entitled: row.organization_id, project_id: row.project_id },
      events: 'none',
    });
  }),
);

export const entitlementRoutes = (parts: AppParts): Mounted[] => [create, list, remove].map((bind) => bind(parts));
