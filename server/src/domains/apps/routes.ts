import { appCreate, appGet, appList, appUpdate } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import type { AppParts } from './parts.ts';
import { changeApp, findApp, hasProject, holdAndCountApps, insertApp, listApps, showApp } from './store.ts';

const on = handlers<AppParts>();
const absent = () => new Fault('app_not_found', 'There is no such object.');
const target = (id: string) => ({ type: 'app', id });

const create = on(appCreate, ({ db, ids, region, policy }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const { organizationId } = act;
    const most = policy('apps.max_per_organization', { organizationId });
    if ((await holdAndCountApps(tx, organizationId)) >= most) {
      return tx.abandon(new Fault('app_limit_reached', `An organization may publish ${most} apps.`));
    }
    const id = ids.next();
    const { slug, name, summary = '', visibility = 'project' } = body;
    const made = { id, organizationId, projectId: params.project_id, slug, name, summary, visibility };
    if (!(await hasProject(tx, made))) return tx.abandon(new Fault('project_not_found', 'There is no such object.'));
    if (!(await insertApp(tx, made))) {
      return tx.abandon(
        new Fault('app_slug_taken', `Your organization already publishes an app ${slug}: choose another slug.`),
      );
    }
    const row = await findApp(tx, id);
    if (!row) throw new Error('an app was not stored');
    return tx.commit(showApp(region, row), { target: target(id), change: { slug, visibility }, events: 'none' });
  }),
);

const list = on(appList, ({ db, region }, who, { params, query }) =>
  readPage({
    name: 'apps',
    query,
    read: (after, limit) =>
      db.read(who, (tx) =>
        listApps(tx, { organizationId: who.organizationId, projectId: params.project_id }, after, limit),
      ),
    keyOf: ({ id }) => id,
    show: (row) => showApp(region, row),
  }),
);

const get = on(appGet, async ({ db, region }, who, { params }) => {
  const row = await db.read(who, (tx) => findApp(tx, params.app_id));
  return row ? showApp(region, row) : absent();
});

const update = on(appUpdate, ({ db, region }, act, { params, body }) =>
  db.write(act, async (tx) => {
    if ((await changeApp(tx, params.app_id, body)) === 0) return tx.abandon(absent());
    const row = await findApp(tx, params.app_id);
    if (!row) throw new Error('an app that was changed is not there');
    return tx.commit(showApp(region, row), { target: target(row.id), change: { ...body }, events: 'none' });
  }),
);

export const publishedAppRoutes = (parts: AppParts): Mounted[] =>
  [create, list, get, update].map((bind) => bind(parts));
