import type { Database, Mounted } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { catalogRoutes, makeCatalog } from './catalog-routes.ts';
import { defaultsRoutes } from './defaults-routes.ts';
import { imageRoutes } from './images-routes.ts';
import { priceRoutes } from './prices-routes.ts';
import { regionRoutes } from './regions-routes.ts';
import { skuRoutes } from './skus-routes.ts';

/** Inventory: what is sold, what it costs, and how much of it is free. */
export interface Inventory {
  readonly routes: readonly Mounted[];
  /** Forgets what is remembered of the catalog: something of it has just changed. */
  readonly changed: () => void;
}

export function makeInventory(parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  /** The region of this installation; the catalog that comes with the product begins there. */
  readonly region: string;
}): Inventory {
  const catalog = makeCatalog(parts);
  const changed = () => catalog.forget();
  return {
    changed,
    routes: [
      ...catalogRoutes({ db: parts.db, catalog }),
      ...regionRoutes({ ...parts, changed }),
      ...skuRoutes({ ...parts, changed }),
      ...priceRoutes({ ...parts, changed }),
      ...imageRoutes({ ...parts, changed }),
      ...defaultsRoutes({ ...parts, changed }),
    ],
  };
}

export { seedCatalog } from './defaults-routes.ts';
export { type EffectivePrice, findPrice } from './prices-routes.ts';
export { isRegion } from './regions-routes.ts';
export { findSku, type SkuRow } from './skus-store.ts';
