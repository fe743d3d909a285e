import { sql } from '../../kernel/act.ts';

export const listSql = sql(
  'region-list',
  `select slug, name, active, created_at from regions
   where (active or not $1) and ($2::text is null or slug > $2) order by slug limit $3`,
);
export const insertSql = sql(
  'region-insert',
  `insert into regions (slug, name) values ($1, $2) on conflict do nothing
   returning slug, name, active, created_at`,
);
export const updateSql = sql(
  'region-update',
  `update regions set name = coalesce($2, name), active = coalesce($3, active) where slug = $1
   returning slug, name, active, created_at`,
);
export const existsSql = sql('region-exists', 'select active from regions where slug = $1');
