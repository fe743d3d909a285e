import type { Sku } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const insertSql = sql(
  'sku-insert',
  `insert into skus (slug, vendor, display_name, gpu_model, gpu_memory_mib, capacity_shape, gpus_total,
     allowed_gpu_counts, billing_unit, resource_profile)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing returning *`,
);
const getSql = sql('sku-get', 'select * from skus where slug = $1');
const lockSql = sql('sku-lock', 'select * from skus where slug = $1 for update');
const listSql = sql('sku-list', 'select * from skus where $1::text is null or slug > $1 order by slug limit $2');
const updateSql = sql(
  'sku-update',
  `update skus set vendor = $2, display_name = $3, gpu_model = $4, gpu_memory_mib = $5, allowed_gpu_counts = $6,
     resource_profile = $7, active = $8, updated_at = act_time()
   where slug = $1 returning *`,
);
const missingSql = sql(
  'sku-missing',
  `select w.slug from unnest($1::text[]) as w (slug) where not exists (select from skus k where k.slug = w.slug)`,
);

export interface SkuRow extends Omit<Sku, 'sku' | 'created_at' | 'updated_at'> {
  readonly slug: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}
export type NewSku = Omit<Sku, 'active' | 'created_at' | 'updated_at'>;

export const showSku = (row: SkuRow): Sku => ({
  sku: row.slug,
  vendor: row.vendor,
  display_name: row.display_name,
  gpu_model: row.gpu_model,
  gpu_memory_mib: row.gpu_memory_mib,
  capacity_shape: row.capacity_shape,
  gpus_total: row.gpus_total,
  allowed_gpu_counts: row.allowed_gpu_counts,
  billing_unit: row.billing_unit,
  resource_profile: row.resource_profile,
  active: row.active,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** Undefined when the name is taken. */
export const insertSku = async (tx: WriteTx, sku: NewSku): Promise<SkuRow | undefined> =>
  (
    await tx.rows<SkuRow>(insertSql, [
      sku.sku,
      sku.vendor,
      sku.display_name,
      sku.gpu_model,
      sku.gpu_memory_mib,
      sku.capacity_shape,
      sku.gpus_total,
      sku.allowed_gpu_counts,
      sku.billing_unit,
      sku.resource_profile,
    ])
  )[0];
export const findSku = async (tx: ReadTx, slug: string): Promise<SkuRow | undefined> =>
  (await tx.rows<SkuRow>(getSql, [slug]))[0];
export const lockSku = async (tx: WriteTx, slug: string): Promise<SkuRow | undefined> =>
  (await tx.rows<SkuRow>(lockSql, [slug]))[0];
export const listSkus = (tx: ReadTx, after: string | undefined, limit: number) =>
  tx.rows<SkuRow>(listSql, [after ?? null, limit]);
export const updateSku = async (tx: WriteTx, row: SkuRow): Promise<SkuRow> => {
  const [stored] = await tx.rows<SkuRow>(updateSql, [
    row.slug,
    row.vendor,
    row.display_name,
    row.gpu_model,
    row.gpu_memory_mib,
    row.allowed_gpu_counts,
    row.resource_profile,
    row.active,
  ]);
  if (!stored) throw new Error('a locked row is gone');
  return stored;
};
/** Which of these nobody has ever offered. */
export const missingSkus = async (tx: ReadTx, slugs: readonly string[]): Promise<string[]> =>
  (await tx.rows<{ slug: string }>(missingSql, [slugs])).map(({ slug }) => slug);
