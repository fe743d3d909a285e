import type { NodeImage, OsImage, PublicImage } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const insertSql = sql(
  'os-image-insert',
  `insert into os_images (id, slug, display_name, digest, driver_strategy, size_bytes, skus, active)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning *, 0 as cached_on`,
);
const lockSql = sql('os-image-lock', 'select *, 0 as cached_on from os_images where slug = $1 for update');
const updateSql = sql(
  'os-image-update',
  `update os_images i set display_name = $2, digest = $3, driver_strategy = $4, size_bytes = $5, skus = $6, active = $7,
     updated_at = act_time()
   where slug = $1
   returning i.*, (
     select count(*) from node_image_cache c where c.image_id = i.id and c.digest = i.digest
   )::int as cached_on`,
);
const listSql = sql(
  'os-image-list',
  `select i.*, (
     select count(*) from node_image_cache c where c.image_id = i.id and c.digest = i.digest
   )::int as cached_on
   from os_images i
   where (i.active or not $1) and ($2::text is null or $2 = any (i.skus)) and ($3::text is null or i.slug > $3)
   order by i.slug limit $4`,
);
const lackingSql = sql(
  'os-image-lacking',
  `select n.id, n.name from nodes n join skus k on k.slug = n.sku and k.capacity_shape = 'gpu_slice'
   where n.sku = any ($2) and n.schedulable and n.state in ('active', 'offline') and not exists (
     select from node_image_cache c where c.node_id = n.id and c.image_id = $1 and c.digest = $3
   )
   order by n.id`,
);
const cacheListSql = sql(
  'node-image-list',
  `select i.slug, c.digest, c.digest = i.digest as current, c.verified_at
   from node_image_cache c join os_images i on i.id = c.image_id where c.node_id = $1 order by i.slug`,
);
const cacheSetSql = sql(
  'node-image-set',
  `insert into node_image_cache (node_id, image_id, digest, verified_at)
   select n.id, i.id, $3, act_time() from nodes n, os_images i where n.id = $1 and i.slug = $2 and n.state <> 'deleted'
   on conflict (node_id, image_id) do update set digest = excluded.digest, verified_at = excluded.verified_at
   returning digest, verified_at`,
);
const cacheForgetSql = sql(
  'node-image-forget',
  `delete from node_image_cache c using os_images i where c.node_id = $1 and i.slug = $2 and i.id = c.image_id
   returning i.slug, c.digest, c.digest = i.digest as current, c.verified_at`,
);
const nodeThereSql = sql('node-image-node', `select id from nodes where id = $1 and state <> 'deleted'`);

export interface ImageRow {
  readonly id: string;
  readonly slug: string;
  readonly display_name: string;
  readonly digest: string;
  readonly driver_strategy: OsImage['driver_strategy'];
  readonly size_bytes: bigint;
  readonly skus: string[];
  readonly active: boolean;
  readonly cached_on: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}
interface CacheRow extends Omit<NodeImage, 'verified_at'> {
  readonly verified_at: Date;
}
export type NewImage = Omit<ImageRow, 'cached_on' | 'created_at' | 'updated_at' | 'size_bytes'> & {
  readonly size_bytes: number;
};

export const showPublicImage = (row: ImageRow): PublicImage => ({
  slug: row.slug,
  display_name: row.display_name,
  digest: row.digest,
  driver_strategy: row.driver_strategy,
  skus: row.skus,
});
export const showImage = (row: ImageRow): OsImage => ({
  id: row.id,
  ...showPublicImage(row),
  size_bytes: Number(row.size_bytes),
  active: row.active,
  cached_on: row.cached_on,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
export const showCached = (row: CacheRow): NodeImage => ({ ...row, verified_at: row.verified_at.toISOString() });

/** Undefined when the name is taken. */
export const insertImage = async (tx: WriteTx, image: NewImage): Promise<ImageRow | undefined> =>
  (
    await tx.rows<ImageRow>(insertSql, [
      image.id,
      image.slug,
      image.display_name,
      image.digest,
      image.driver_strategy,
      image.size_bytes,
      image.skus,
      image.active,
    ])
  )[0];
export const lockImage = async (tx: WriteTx, slug: string): Promise<ImageRow | undefined> =>
  (await tx.rows<ImageRow>(lockSql, [slug]))[0];
export async function updateImage(tx: WriteTx, row: ImageRow): Promise<ImageRow> {
  const { slug, display_name, digest, driver_strategy, size_bytes, skus, active } = row;
  const [stored] = await tx.rows<ImageRow>(updateSql, [
    slug,
    display_name,
    digest,
    driver_strategy,
    size_bytes,
    skus,
    active,
  ]);
  if (!stored) throw new Error('a locked row is gone');
  return stored;
}
export const listImages = (
  tx: ReadTx,
  which: {
    readonly activeOnly: boolean;
    readonly sku: string | undefined;
    readonly after: string | undefined;
    readonly limit: number;
  },
) => tx.rows<ImageRow>(listSql, [which.activeOnly, which.sku ?? null, which.after ?? null, which.limit]);
/** Hosts that take slices of these kinds and do not have exactly this image. */
export const hostsLacking = (tx: ReadTx, image: Pick<ImageRow, 'id' | 'skus' | 'digest'>) =>
  tx.rows<{ id: string; name: string }>(lackingSql, [image.id, image.skus, image.digest]);

export const listCached = (tx: ReadTx, nodeId: string) => tx.rows<CacheRow>(cacheListSql, [nodeId]);
/** Undefined when there is no such node or image. */
export const noteCached = async (tx: WriteTx, nodeId: string, slug: string, digest: string) =>
  (await tx.rows<{ digest: string; verified_at: Date }>(cacheSetSql, [nodeId, slug, digest]))[0];
export const forgetCached = async (tx: WriteTx, nodeId: string, slug: string) =>
  (await tx.rows<CacheRow>(cacheForgetSql, [nodeId, slug]))[0];
export const isNode = async (tx: ReadTx, id: string): Promise<boolean> =>
  (await tx.rows(nodeThereSql, [id])).length > 0;
