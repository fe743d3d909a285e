import { hash } from 'node:crypto';
import { catalogDefaults, defaultImages, defaultSkus } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type WriteTx } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import { insertImage } from './images-store.ts';
import { insertPrice, isPriced } from './prices-routes.ts';
import { insertRegion } from './regions-routes.ts';
import { insertSku } from './skus-store.ts';

export interface Added {
  readonly regions: string[];
  readonly skus: string[];
  readonly prices: number;
  readonly os_images: string[];
}

/**
 * Adds what is missing of the catalog that comes with the product, and changes nothing that is there: an operator's
 * price stays, what was retired stays retired. Images are announced and not active, because nobody has built them yet;
 * simulated hosts accept a digest that stands for the name alone.
 */
export async function seedCatalog(
  tx: WriteTx,
  parts: { readonly ids: Ids; readonly region: string; readonly images: 'announced' | 'simulated' },
): Promise<Added> {
  const { ids, region } = parts;
  const added = { regions: [] as string[], skus: [] as string[], prices: 0, os_images: [] as string[] };
  if (await insertRegion(tx, region, region)) added.regions.push(region);
  for (const { price, ...sku } of defaultSkus) {
    if (await insertSku(tx, sku)) added.skus.push(sku.sku);
    if (await isPriced(tx, sku.sku)) continue;
    await insertPrice(tx, { id: ids.next(), sku: sku.sku, region: undefined, price, effectiveFrom: undefined });
    added.prices += 1;
  }
  for (const image of defaultImages) {
    const row = await insertImage(tx, {
      ...image,
      id: ids.next(),
      skus: [...image.skus],
      digest: `sha256:${hash('sha256', image.slug, 'hex')}`,
      active: parts.images === 'simulated',
    });
    if (row) added.os_images.push(row.slug);
  }
  return added;
}

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly region: string;
  readonly changed: () => void;
}
const load = handlers<Parts>()(catalogDefaults, async ({ db, ids, region, changed }, act, { body }) => {
  const written = await db.write(act, async (tx) => {
    const added = await seedCatalog(tx, { ids, region, images: 'announced' });
    return tx.commit(
      { added },
      { target: { type: 'catalog', id: 'defaults' }, change: { ...added, ...body }, events: 'none' },
    );
  });
  changed();
  return written;
});

export const defaultsRoutes = (parts: Parts): Mounted[] => [load(parts)];
