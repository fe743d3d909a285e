import { type Money, type SkuPrice, skuPriceAdd, skuPriceList } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx, type WriteTx } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import { anySql, effectiveSql, insertSql, listSql } from './prices-store.ts';
import { isRegion } from './regions-routes.ts';
import { absentSku } from './skus-routes.ts';
import { findSku } from './skus-store.ts';

interface PriceRow {
  readonly id: string;
  readonly sku: string;
  readonly region: string | null;
  readonly currency: string;
  readonly unit_price_minor: bigint;
  readonly effective_from: Date;
  readonly created_at: Date;
  readonly state: SkuPrice['state'];
}
export const money = (row: { readonly unit_price_minor: bigint; readonly currency: string }): Money => ({
  amount_minor: row.unit_price_minor.toString(),
  currency: row.currency,
});

const show = (row: PriceRow): SkuPrice => ({
  id: row.id,
  sku: row.sku,
  region: row.region,
  unit_price: money(row),
  effective_from: row.effective_from.toISOString(),
  state: row.state,
  created_at: row.created_at.toISOString(),
});

/** What one unit costs at a moment. */
export interface EffectivePrice {
  readonly priceId: string;
  readonly unitPriceMinor: bigint;
  readonly currency: string;
  readonly effectiveFrom: Date;
}
export async function findPrice(
  tx: ReadTx,
  of: { readonly sku: string; readonly region: string; readonly currency: string; readonly at: Date },
): Promise<EffectivePrice | undefined> {
  const [row] = await tx.rows<Pick<PriceRow, 'id' | 'unit_price_minor' | 'currency' | 'effective_from'>>(effectiveSql, [
    of.sku,
    of.region,
    of.currency,
    of.at,
  ]);
  return (
    row && {
      priceId: row.id,
      unitPriceMinor: row.unit_price_minor,
      currency: row.currency,
      effectiveFrom: row.effective_from,
    }
  );
}

/** Undefined when there is a price for this very moment. It begins now unless it says when. */
export const insertPrice = async (
  tx: WriteTx,
  price: {
    readonly id: string;
    readonly sku: string;
    readonly region: string | undefined;
    readonly price: Money;
    readonly effectiveFrom: Date | undefined;
  },
): Promise<PriceRow | undefined> =>
  (
    await tx.rows<PriceRow>(insertSql, [
      price.id,
      price.sku,
      price.region ?? null,
      price.price.currency,
      price.price.amount_minor,
      price.effectiveFrom ?? null,
    ])
  )[0];

export const isPriced = async (tx: ReadTx, sku: string): Promise<boolean> => (await tx.rows(anySql, [sku])).length > 0;

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly changed: () => void;
}
const on = handlers<Parts>();

const list = on(skuPriceList, async ({ db, clock }, who, { params, query }) => {
  if (!(await db.read(who, (tx) => findSku(tx, params.sku)))) return absentSku();
  return readPage({
    name: 'sku-prices',
    query,
    read: (before, limit) =>
      db.read(who, (tx) => tx.rows<PriceRow>(listSql, [params.sku, before ?? null, limit, clock.now()])),
    keyOf: (row) => row.id,
    show,
  });
});

const add = on(skuPriceAdd, async ({ db, ids, clock, changed }, act, { params, body }) => {
  const effectiveFrom = body.effective_from === undefined ? undefined : new Date(body.effective_from);
  if (effectiveFrom && effectiveFrom < clock.now()) {
    return new Fault(
      'price_backdated',
      'What was used has its price already: name a moment to come, or none for now on.',
    );
  }
  const written = await db.write(act, async (tx) => {
    if (!(await findSku(tx, params.sku))) return tx.abandon(absentSku());
    if (body.region !== undefined && !(await isRegion(tx, body.region))) {
      return tx.abandon(new Fault('region_not_found', `There is no region ${body.region}.`));
    }
    const row = await insertPrice(tx, {
      id: ids.next(),
      sku: params.sku,
      region: body.region,
      price: body.unit_price,
      effectiveFrom,
    });
    if (!row) {
      return tx.abandon(
        new Fault('price_already_exists', 'There is a price for this moment already: choose another moment.'),
      );
    }
    return tx.commit(show({ ...row, state: effectiveFrom ? 'future' : 'current' }), {
      target: { type: 'sku_price', id: row.id },
      change: { sku: params.sku, ...body },
      events: 'none',
    });
  });
  changed();
  return written;
});

export const priceRoutes = (parts: Parts): Mounted[] => [list, add].map((bind) => bind(parts));
