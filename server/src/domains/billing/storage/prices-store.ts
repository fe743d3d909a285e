import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

const columns = `p.id, p.currency, p.rate_micro, p.effective_from, p.created_at,
     case when p.effective_from > act_time() then 'future'
       when exists (select from storage_prices n where n.currency = p.currency and n.effective_from > p.effective_from
         and n.effective_from <= act_time()) then 'past'
       else 'current' end as state
   from storage_prices p`;
const listSql = sql(
  'storage-price-list',
  `select ${columns} where ($1::uuid is null or p.id < $1) order by p.id desc limit $2`,
);
const getSql = sql('storage-price-get', `select ${columns} where p.id = $1`);
const currentSql = sql(
  'storage-price-current',
  `select p.currency, p.rate_micro from billing_accounts b join storage_prices p on p.currency = b.currency
   where b.organization_id = $1 and mine(b.organization_id) and p.effective_from <= act_time()
   order by p.effective_from desc limit 1`,
);
const insertSql = sql(
  'storage-price-insert',
  `insert into storage_prices (id, currency, rate_micro, effective_from, created_by)
   values ($1, $2, $3, coalesce($4, act_time()), $5) on conflict do nothing`,
);
const timeSql = sql('storage-price-time', 'select act_time() as now');

export interface StoragePriceRow {
  readonly id: string;
  readonly currency: string;
  readonly rate_micro: bigint;
  readonly effective_from: Date;
  readonly created_at: Date;
  readonly state: 'past' | 'current' | 'future';
}
export const listStoragePrices = (tx: ReadTx, before: string | undefined, limit: number) =>
  tx.rows<StoragePriceRow>(listSql, [before ?? null, limit]);
export const findStoragePrice = async (tx: ReadTx, id: string) => (await tx.rows<StoragePriceRow>(getSql, [id]))[0];
/** What an organization pays now, in its currency. */
export const findCurrentPrice = async (tx: ReadTx, organizationId: string) =>
  (await tx.rows<Pick<StoragePriceRow, 'currency' | 'rate_micro'>>(currentSql, [organizationId]))[0];
/** False when there is one for the same currency and moment. */
export const insertStoragePrice = async (
  tx: WriteTx,
  made: Pick<StoragePriceRow, 'id' | 'currency' | 'rate_micro'> & {
    readonly from: Date | undefined;
    readonly createdBy: string;
  },
): Promise<boolean> =>
  (await tx.run(insertSql, [...[made.id, made.currency, made.rate_micro, made.from ?? null, made.createdBy]])) === 1;
export async function readActTime(tx: ReadTx): Promise<Date> {
  const [row] = await tx.rows<{ now: Date }>(timeSql);
  if (!row) throw new Error('the database answered no time');
  return row.now;
}
