import { sql } from '../../../kernel/act.ts';

export const lineSql = sql(
  'queue-line-of-host',
  `select r.sku, r.region, coalesce(k.resource_profile ->> 'fabric', 'none') <> 'none' as fabric
   from queue_reservations r join skus k on k.slug = r.sku where r.node_id = $1`,
);
export const slotsSql = sql(
  'allocation-slots-of-lease',
  'select id from slots where allocation_id = $1 and generation = $2 and node_id = $3',
);
