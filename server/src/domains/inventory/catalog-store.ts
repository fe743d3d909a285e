import { sql } from '../../kernel/act.ts';

export const offeredSql = sql('catalog-skus', 'select * from skus where active order by slug collate "C"');
export const pricesSql = sql(
  'catalog-prices',
  `select distinct on (sku, region, currency) id, sku, region, currency, unit_price_minor, effective_from
   from sku_prices where effective_from <= $1
   order by sku, region nulls last, currency, effective_from desc`,
);
export const imagesSql = sql(
  'catalog-images',
  // The first image is the one that a launch without an image takes: the order is that of the launch.
  `select k.sku, i.slug,
     row_number() over (partition by k.sku order by i.driver_strategy desc, i.slug) = 1 as is_default
   from os_images i cross join lateral unnest(i.skus) as k (sku) where i.active order by i.slug`,
);
