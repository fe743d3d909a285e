import { sql } from '../../../kernel/act.ts';

/** The row of an earlier attempt is found again; a name that another node has answers nothing. */
export const announceSql = sql(
  'node-announce-host',
  `with made as (
     insert into nodes (id, name, region, sku, gpus_total, onboarding_mode, labels)
     select $1, $2, $3, k.slug, k.gpus_total, 'maas', '{}'::jsonb from skus k where k.slug = $4
     on conflict do nothing returning id
   )
   select id from made union all select n.id from nodes n where n.id = $1`,
);
