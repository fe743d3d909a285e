import { sql } from '../../../kernel/act.ts';

export const keepSql = sql(
  'node-topology',
  `update nodes n set topology = $2, topology_at = act_time(), version = version + 1, updated_at = act_time(),
     schedulable = n.schedulable and now.reason is null,
     cordon_reason = case when n.schedulable and now.reason is not null then now.reason else n.cordon_reason end
   from (select case
           when coalesce(($2::jsonb -> 'simulated')::boolean, false) and b.simulated is not true then $3
           when k.capacity_shape = 'gpu_slice' and $2::jsonb ? 'capabilities'
             and not $2::jsonb @> '{"capabilities": [{"ability": "slices", "able": true}]}' then $4
         end as reason
         from nodes b join skus k on k.slug = b.sku where b.id = $1) as now
   where n.id = $1`,
);
