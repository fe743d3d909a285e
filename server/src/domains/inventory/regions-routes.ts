import { adminRegionCreate, adminRegionList, adminRegionUpdate, type Region, regionList } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { existsSql, insertSql, listSql, updateSql } from './regions-store.ts';

interface RegionRow extends Omit<Region, 'created_at'> {
  readonly created_at: Date;
}
const show = (row: RegionRow): Region => ({ ...row, created_at: row.created_at.toISOString() });

/** Undefined when the name is taken. */
export const insertRegion = async (tx: WriteTx, slug: string, name: string): Promise<RegionRow | undefined> =>
  (await tx.rows<RegionRow>(insertSql, [slug, name]))[0];

export const isRegion = async (tx: ReadTx, slug: string): Promise<boolean> =>
  (await tx.rows(existsSql, [slug])).length > 0;

interface Parts {
  readonly db: Database;
  readonly changed: () => void;
}
const on = handlers<Parts>();

const page = (db: Database, who: Parameters<Database['read']>[0], activeOnly: boolean, query: object) =>
  readPage({
    name: 'regions',
    query,
    key: 'slug',
    read: (after, limit) => db.read(who, (tx) => tx.rows<RegionRow>(listSql, [activeOnly, after ?? null, limit])),
    keyOf: (row) => row.slug,
    show,
  });

const list = on(regionList, ({ db }, who, { query }) => page(db, who, true, query));

const listAll = on(adminRegionList, ({ db }, who, { query }) => page(db, who, false, query));

const create = on(adminRegionCreate, ({ db }, act, { body }) =>
  db.write(act, async (tx) => {
    const row = await insertRegion(tx, body.slug, body.name);
    if (!row) {
      return tx.abandon(new Fault('region_already_exists', `There is a region ${body.slug} already: change that one.`));
    }
    return tx.commit(show(row), { target: { type: 'region', id: row.slug }, change: body, events: 'none' });
  }),
);

const update = on(adminRegionUpdate, async ({ db, changed }, act, { params, body }) => {
  const written = await db.write(act, async (tx) => {
    const [row] = await tx.rows<RegionRow>(updateSql, [params.region, body.name ?? null, body.active ?? null]);
    if (!row) return tx.abandon(new Fault('region_not_found', 'There is no such object.'));
    return tx.commit(show(row), { target: { type: 'region', id: row.slug }, change: body, events: 'none' });
  });
  changed();
  return written;
});

export const regionRoutes = (parts: Parts): Mounted[] => [list, listAll, create, update].map((bind) => bind(parts));
