import { sql } from '../../../kernel/act.ts';

export const noteSql = sql(
  'node-images-note',
  `insert into node_image_cache as c (node_id, image_id, digest, verified_at)
   select n.id, i.id, i.digest, act_time()
   from unnest($1::uuid[], $2::text[]) as said (node_id, digest)
     join nodes n on n.id = said.node_id and n.state <> 'deleted' join os_images i on i.digest = said.digest
   order by n.id, i.id
   on conflict (node_id, image_id) do update set digest = excluded.digest, verified_at = excluded.verified_at
   where c.digest <> excluded.digest`,
);
export const forgetSql = sql(
  'node-images-gone',
  `delete from node_image_cache c using unnest($1::uuid[], $2::text[]) as gone (node_id, digest)
   where c.node_id = gone.node_id and c.digest = gone.digest`,
);
