import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

const insertSql = sql(
  'quote-insert',
  `insert into quotes (id, organization_id, project_id, requested_by, sku, gpu_count, region, price_id, unit_price_minor, currency,
     expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, act_time() + make_interval(mins => $11))
   returning created_at, expires_at`,
);
const lockSql = sql(
  'quote-lock',
  `select q.sku, q.gpu_count, q.region, q.price_id, q.unit_price_minor, q.used_by, q.expires_at, q.expires_at < act_time() as expired
   from quotes q where q.id = $1 and q.project_id = $2 and mine(q.organization_id) for update`,
);
const useSql = sql(
  'quote-use',
  `update quotes set used_by = $2, used_at = act_time()
   where id = $1 and used_by is null and mine(organization_id)`,
);

export interface NewQuote {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly requestedBy: string;
  readonly sku: string;
  readonly gpus: number;
  readonly region: string;
  readonly priceId: string | null;
  readonly unitPriceMinor: bigint;
  readonly currency: string;
  readonly minutes: number;
}
interface QuoteRow {
  readonly sku: string;
  readonly gpu_count: number;
  readonly region: string;
  readonly price_id: string | null;
  readonly unit_price_minor: bigint;
  readonly used_by: string | null;
  readonly expires_at: Date;
  readonly expired: boolean;
}
export async function insertQuote(tx: WriteTx, quote: NewQuote): Promise<{ created_at: Date; expires_at: Date }> {
  const [made] = await tx.rows<{ created_at: Date; expires_at: Date }>(insertSql, [
    ...[quote.id, quote.organizationId, quote.projectId, quote.requestedBy, quote.sku, quote.gpus, quote.region],
    ...[quote.priceId, quote.unitPriceMinor, quote.currency, quote.minutes],
  ]);
  if (!made) throw new Error(`the quote ${quote.id} was not stored`);
  return made;
}
/** A quote of the project, held until the transaction ends. */
export const lockQuote = async (tx: ReadTx, id: string, projectId: string): Promise<QuoteRow | undefined> =>
  (await tx.rows<QuoteRow>(lockSql, [id, projectId]))[0];
export const markQuoteUsed = (tx: WriteTx, id: string, allocationId: string) => tx.run(useSql, [id, allocationId]);
