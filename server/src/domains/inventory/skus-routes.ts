import {
  adminSkuCreate,
  adminSkuGet,
  adminSkuList,
  adminSkuRetire,
  adminSkuUpdate,
  type ResourceProfile,
} from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { skuProblems } from './sku-rules.ts';
import { findSku, insertSku, listSkus, lockSku, type NewSku, type SkuRow, showSku, updateSku } from './skus-store.ts';

interface Parts {
  readonly db: Database;
  readonly changed: () => void;
}
const on = handlers<Parts>();
const noSlices: ResourceProfile = { fabric: 'none', slice_vm_profiles: [] };
export const absentSku = () => new Fault('sku_not_found', 'There is no such object.');
const ascending = (counts: readonly number[]): number[] => [...counts].sort((a, b) => a - b);

function refuse(problems: readonly string[]): Fault<'sku_invalid'> | undefined {
  return problems.length === 0 ? undefined : new Fault('sku_invalid', problems.join(' '), { problems });
}

const list = on(adminSkuList, ({ db }, who, { query }) =>
  readPage({
    name: 'skus',
    query,
    key: 'slug',
    read: (after, limit) => db.read(who, (tx) => listSkus(tx, after, limit)),
    keyOf: (row) => row.slug,
    show: showSku,
  }),
);

const get = on(adminSkuGet, async ({ db }, who, { params }) => {
  const row = await db.read(who, (tx) => findSku(tx, params.sku));
  return row ? showSku(row) : absentSku();
});

const create = on(adminSkuCreate, async ({ db, changed }, act, { body }) => {
  const sku: NewSku = {
    ...body,
    allowed_gpu_counts: ascending(body.allowed_gpu_counts ?? [body.gpus_total]),
    billing_unit: body.billing_unit ?? 'gpu_hour',
    resource_profile: body.resource_profile ?? noSlices,
  };
  const fault = refuse(skuProblems(sku));
  if (fault) return fault;
  const written = await db.write(act, async (tx) => {
    const row = await insertSku(tx, sku);
    if (!row) {
      return tx.abandon(
        new Fault('sku_already_exists', `${sku.sku} is there already. A name that was sold once is not used again.`),
      );
    }
    return tx.commit(showSku(row), { target: { type: 'sku', id: row.slug }, change: sku, events: 'none' });
  });
  changed();
  return written;
});

/** Changes what is offered from now on. What `body` leaves out stays. */
async function change({ db, changed }: Parts, act: Act, slug: string, body: Partial<SkuRow>, reason?: string) {
  const written = await db.write(act, async (tx) => {
    const row = await lockSku(tx, slug);
    if (!row) return tx.abandon(absentSku());
    const next: SkuRow = {
      ...row,
      ...body,
      allowed_gpu_counts: ascending(body.allowed_gpu_counts ?? row.allowed_gpu_counts),
    };
    const fault = refuse(skuProblems(next));
    if (fault) return tx.abandon(fault);
    return tx.commit(showSku(await updateSku(tx, next)), {
      target: { type: 'sku', id: slug },
      change: { ...body, ...(reason !== undefined && { reason }) },
      events: 'none',
    });
  });
  changed();
  return written;
}

const update = on(adminSkuUpdate, (parts, act, { params, body }) => change(parts, act, params.sku, body));

const retire = on(adminSkuRetire, async (parts, act, { params, body }) => {
  const retired = await change(parts, act, params.sku, { active: false }, body.reason);
  // It was sound when it was stored, and is not made less so by being taken off the list.
  if (retired instanceof Fault && retired.code === 'sku_invalid') throw retired;
  return retired as Exclude<typeof retired, Fault<'sku_invalid'>>;
});

export const skuRoutes = (parts: Parts): Mounted[] => [list, get, create, update, retire].map((bind) => bind(parts));
