import { type CatalogItem, catalogGet, catalogList } from '@gpuaas/contract';
import { makeFresh } from '../../kernel/access/fresh.ts';
import { type Database, handlers, type Mounted, type ReadTx } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { readPage } from '../../kernel/page.ts';
import { readAvailability } from './availability-store.ts';
import { imagesSql, offeredSql, pricesSql } from './catalog-store.ts';
import { catalogFreshMs } from './facts.ts';
import { money } from './prices-routes.ts';
import { absentSku } from './skus-routes.ts';
import { type SkuRow, showSku } from './skus-store.ts';

interface PriceRow {
  readonly id: string;
  readonly sku: string;
  readonly region: string | null;
  readonly currency: string;
  readonly unit_price_minor: bigint;
  readonly effective_from: Date;
}

/** Everything that is offered, as it is now. */
async function readCatalog(tx: ReadTx, now: Date): Promise<CatalogItem[]> {
  const skus = await tx.rows<SkuRow>(offeredSql);
  const prices = await tx.rows<PriceRow>(pricesSql, [now]);
  const images = await tx.rows<{ sku: string; slug: string; is_default: boolean }>(imagesSql);
  const free = await readAvailability(tx);
  return skus.map((row) => {
    const { active: _active, created_at: _born, updated_at: _changed, ...offer } = showSku(row);
    const own = <T extends { readonly sku: string }>(rows: readonly T[]) => rows.filter(({ sku }) => sku === row.slug);
    return {
      ...offer,
      prices: own(prices).map((price) => ({
        price_id: price.id,
        region: price.region,
        unit_price: money(price),
        effective_from: price.effective_from.toISOString(),
      })),
      availability: own(free).map(({ sku: _sku, ...availability }) => availability),
      os_images: own(images).map(({ slug }) => slug),
      default_image: own(images).find(({ is_default }) => is_default)?.slug ?? null,
    };
  });
}

interface Parts {
  readonly db: Database;
  readonly catalog: Catalog;
}
export interface Catalog {
  read(who: Parameters<Database['read']>[0]): Promise<readonly CatalogItem[]>;
  forget(): void;
}

/** Remembers the whole list for a moment: one look serves all who ask in it. */
export function makeCatalog(parts: { readonly db: Database; readonly clock: Clock }): Catalog {
  const fresh = makeFresh<'all', readonly CatalogItem[]>({ clock: parts.clock, ttlMs: catalogFreshMs, max: 1 });
  return {
    read: (who) => fresh.get('all', () => parts.db.read(who, (tx) => readCatalog(tx, parts.clock.now()))),
    forget: () => fresh.forget(),
  };
}

const on = handlers<Parts>();

/** What is of no use in a region is left out there: other regions' prices and what is free elsewhere. */
const seenFrom = (item: CatalogItem, region: string | undefined): CatalogItem =>
  region === undefined
    ? item
    : {
        ...item,
        prices: item.prices.filter((price) => price.region === null || price.region === region),
        availability: item.availability.filter((free) => free.region === region),
      };

const list = on(catalogList, ({ catalog }, who, { query }) =>
  readPage({
    name: 'catalog',
    query,
    key: 'slug',
    read: async (after, limit) =>
      (await catalog.read(who)).filter(({ sku }) => after === undefined || sku > after).slice(0, limit),
    keyOf: ({ sku }) => sku,
    show: (item) => seenFrom(item, query.region),
  }),
);

const get = on(catalogGet, async ({ catalog }, who, { params }) => {
  const item = (await catalog.read(who)).find(({ sku }) => sku === params.sku);
  return item ?? absentSku();
});

export const catalogRoutes = (parts: Parts): Mounted[] => [list, get].map((bind) => bind(parts));
