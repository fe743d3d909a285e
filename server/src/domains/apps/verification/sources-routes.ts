import { adminAppSourceCreate, adminAppSourceDelete, adminAppSourceList } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import type { AppParts } from '../parts.ts';
import { deleteSource, findSource, insertSource, listSources, showSource } from './sources-store.ts';

const on = handlers<AppParts>();
const target = (id: string) => ({ type: 'app_source', id });

const list = on(adminAppSourceList, ({ db }, who, { query }) =>
  readPage({
    name: 'app-sources',
    query,
    read: (after, limit) => db.read(who, (tx) => listSources(tx, after, limit)),
    keyOf: ({ id }) => id,
    show: showSource,
  }),
);

const create = on(adminAppSourceCreate, ({ db, ids }, act, { body: { registry, repository = '' } }) =>
  db.write(act, async (tx) => {
    const id = ids.next();
    if (!(await insertSource(tx, { id, registry, repository }))) {
      return tx.abandon(new Fault('app_source_exists', 'Images may come from there already.'));
    }
    const row = await findSource(tx, id);
    if (!row) throw new Error('a source was not stored');
    return tx.commit(showSource(row), { target: target(id), change: { registry, repository }, events: 'none' });
  }),
);

const remove = on(adminAppSourceDelete, ({ db }, act, { params }) =>
  db.write(act, async (tx) => {
    const row = await findSource(tx, params.app_source_id);
    if (!row) return tx.abandon(new Fault('app_source_not_found', 'There is no such object.'));
    await deleteSource(tx, row.id);
    const { registry, repository } = row;
    return tx.commit(showSource(row), { target: target(row.id), change: { registry, repository }, events: 'none' });
  }),
);

export const sourceRoutes = (parts: AppParts): Mounted[] => [list, create, remove].map((bind) => bind(parts));
