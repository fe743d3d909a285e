import { sql } from '../../kernel/act.ts';

/**
 * Prices are only ever added. The one that counts at a moment is the latest that has begun, and one of the region goes
 * before one without: a region that was priced apart stays apart.
 */
export const insertSql = sql(
  'sku-price-insert',
  `insert into sku_prices (id, sku, region, currency, unit_price_minor, effective_from)
   values ($1, $2, $3, $4, $5, coalesce($6, act_time())) on conflict do nothing
   returning id, sku, region, currency, unit_price_minor, effective_from, created_at, 'future' as state`,
);
export const effectiveSql = sql(
  'sku-price-effective',
  `select p.id, p.unit_price_minor, p.currency, p.effective_from, p.region from sku_prices p
   where p.sku = $1 and p.currency = $3 and (p.region = $2 or p.region is null) and p.effective_from <= $4
   order by p.region nulls last, p.effective_from desc limit 1`,
);
export const listSql = sql(
  'sku-price-list',
  `select p.id, p.sku, p.region, p.currency, p.unit_price_minor, p.effective_from, p.created_at,
     case
       when p.effective_from > $4 then 'future'
       when exists (
         select from sku_prices q
         where q.sku = p.sku and q.region is not distinct from p.region and q.currency = p.currency
           and q.effective_from > p.effective_from and q.effective_from <= $4
       ) then 'past'
       else 'current'
     end as state
   from sku_prices p where p.sku = $1 and ($2::uuid is null or p.id < $2) order by p.id desc limit $3`,
);
export const anySql = sql('sku-price-any', 'select id from sku_prices where sku = $1 limit 1');
