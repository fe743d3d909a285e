import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

/** With what everybody else pays now for the same. */
const columns = `p.id, p.organization_id, p.sku, p.region, p.currency, p.unit_price_minor, p.effective_from, p.effective_to,
     p.reason, p.created_at, (select q.unit_price_minor from sku_prices q where q.sku = p.sku and q.currency = p.currency
       and (q.region is null or q.region = p.region) and q.effective_from <= act_time()
       order by q.region nulls last, q.effective_from desc limit 1) as list_price_minor,
     case when p.effective_from > act_time() then 'future'
       when p.effective_to <= act_time() or exists (select from negotiated_prices n where n.organization_id = p.organization_id
         and n.sku = p.sku and n.region is not distinct from p.region and n.effective_from > p.effective_from
         and n.effective_from <= act_time() and (n.effective_to is null or n.effective_to > act_time())
         and mine(n.organization_id)) then 'past'
       else 'current' end as state
   from negotiated_prices p`;
const listSql = sql(
  'price-book-list',
  `select ${columns} where p.organization_id = $1 and ($2::uuid is null or p.id < $2) and mine(p.organization_id)
   order by p.id desc limit $3`,
);
const getSql = sql(
  'price-book-get',
  `select ${columns} where p.organization_id = $1 and p.id = $2 and mine(p.organization_id)`,
);
const insertSql = sql(
  'price-book-insert',
  `insert into negotiated_prices (id, organization_id, sku, region, currency, unit_price_minor, effective_from, effective_to,
     reason, created_by)
   values ($1, $2, $3, $4, $5, $6, coalesce($7, act_time()), $8, $9, $10) on conflict do nothing`,
);
const endSql = sql(
  'price-book-end',
  `update negotiated_prices set effective_to = coalesce($3, act_time())
   where organization_id = $1 and id = $2 and mine(organization_id)`,
);
const namesSql = sql(
  'price-book-names',
  `select exists (select from skus k where k.slug = $1) as sku, exists (select from regions r where r.slug = $2) as region,
     act_time() as now`,
);

export interface NegotiatedPriceRow {
  readonly id: string;
  readonly organization_id: string;
  readonly sku: string;
  readonly region: string | null;
  readonly currency: string;
  readonly unit_price_minor: bigint;
  readonly effective_from: Date;
  readonly effective_to: Date | null;
  readonly reason: string;
  readonly created_at: Date;
  readonly list_price_minor: bigint | null;
  readonly state: 'past' | 'current' | 'future';
}
export const listPrices = (tx: ReadTx, organizationId: string, before: string | undefined, limit: number) =>
  tx.rows<NegotiatedPriceRow>(listSql, [organizationId, before ?? null, limit]);
export const findNegotiated = async (tx: ReadTx, organizationId: string, id: string) =>
  (await tx.rows<NegotiatedPriceRow>(getSql, [organizationId, id]))[0];
/** False when there is one for the same SKU, region and moment. */
export const insertPrice = async (
  tx: WriteTx,
  made: {
    readonly id: string;
    readonly organizationId: string;
    readonly sku: string;
    readonly region: string | undefined;
    readonly currency: string;
    readonly unitPrice: bigint;
    readonly from: Date | undefined;
    readonly to: Date | undefined;
    readonly reason: string;
    readonly createdBy: string;
  },
): Promise<boolean> =>
  (await tx.run(insertSql, [
    ...[made.id, made.organizationId, made.sku, made.region ?? null, made.currency, made.unitPrice, made.from ?? null],
    ...[made.to ?? null, made.reason, made.createdBy],
  ])) === 1;
export const endPrice = (tx: WriteTx, organizationId: string, id: string, at: Date | undefined) =>
  tx.run(endSql, [organizationId, id, at ?? null]);
/** Whether there is such a SKU and such a region, and the time of the database. */
export async function readNames(tx: ReadTx, sku: string, region: string | undefined) {
  const [row] = await tx.rows<{ sku: boolean; region: boolean; now: Date }>(namesSql, [sku, region ?? null]);
  if (!row) throw new Error('the catalog answered nothing');
  return row;
}
