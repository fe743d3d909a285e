import { catalogAppList, catalogVersionList } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import type { AppParts } from '../parts.ts';
import { findCatalogApp, listCatalogApps, listCatalogVersions, showCatalogApp, showCatalogVersion } from './store.ts';

const on = handlers<AppParts>();

const list = on(catalogAppList, ({ db }, who, { query }) =>
  readPage({
    name: 'catalog-apps',
    query,
    read: (after, limit) => db.read(who, (tx) => listCatalogApps(tx, who, after, limit)),
    keyOf: ({ id }) => id,
    show: (row) => showCatalogApp(row, who),
  }),
);

const versions = on(catalogVersionList, async ({ db }, who, { params, query }) => {
  const app = await db.read(who, (tx) => findCatalogApp(tx, who, params.app_id));
  if (!app) return new Fault('app_not_found', 'There is no such object.');
  return readPage({
    name: 'catalog-app-versions',
    query,
    read: (after, limit) => db.read(who, (tx) => listCatalogVersions(tx, who, app.id, after, limit)),
    keyOf: ({ id }) => id,
    show: (row) => showCatalogVersion(row, who),
  });
});

export const catalogRoutes = (parts: AppParts): Mounted[] => [list, versions].map((bind) => bind(parts));
