import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

export interface PartyRow {
  readonly legal_name: string;
  readonly address_lines: readonly string[];
  readonly postal_code: string | null;
  readonly city: string;
  readonly country: string;
  readonly tax_id: string | null;
  readonly updated_at: Date;
}
export interface DetailsRow extends PartyRow {
  readonly customer_type: 'business' | 'consumer';
  readonly invoice_email: string | null;
}

const sellerSql = sql('billing-seller', 'select s.* from billing_seller s');
const setSellerSql = sql(
  'billing-seller-set',
  `insert into billing_seller (legal_name, address_lines, postal_code, city, country, tax_id) values ($1, $2, $3, $4, $5, $6)
   on conflict (only_row) do update set legal_name = excluded.legal_name, address_lines = excluded.address_lines,
     postal_code = excluded.postal_code, city = excluded.city, country = excluded.country, tax_id = excluded.tax_id,
     updated_at = act_time()
   returning *`,
);
const detailsSql = sql(
  'billing-details',
  'select d.* from billing_details d where d.organization_id = $1 and mine(d.organization_id)',
);
const nameSql = sql('billing-organization-name', 'select o.name from organizations o where o.id = $1 and mine(o.id)');
const setDetailsSql = sql(
  'billing-details-set',
  `insert into billing_details (organization_id, legal_name, address_lines, postal_code, city, country, tax_id, customer_type,
     invoice_email)
   select o.id, $2, $3, $4, $5, $6, $7, $8, $9 from organizations o where o.id = $1 and mine(o.id)
   on conflict (organization_id) do update set legal_name = excluded.legal_name, address_lines = excluded.address_lines,
     postal_code = excluded.postal_code, city = excluded.city, country = excluded.country, tax_id = excluded.tax_id,
     customer_type = excluded.customer_type, invoice_email = excluded.invoice_email, updated_at = act_time()
   returning *`,
);
export const findSeller = async (tx: ReadTx): Promise<PartyRow | undefined> => (await tx.rows<PartyRow>(sellerSql))[0];
export const findDetails = async (tx: ReadTx, organizationId: string): Promise<DetailsRow | undefined> =>
  (await tx.rows<DetailsRow>(detailsSql, [organizationId]))[0];
export const findName = async (tx: ReadTx, organizationId: string): Promise<string | undefined> =>
  (await tx.rows<{ name: string }>(nameSql, [organizationId]))[0]?.name;

type Optional = 'postal_code' | 'tax_id' | 'invoice_email';
/** As callers give it: what they leave out there is none of. */
type New<R extends PartyRow> = Omit<R, 'updated_at' | Optional> & {
  readonly [K in Optional & keyof R]?: R[K] | undefined;
};
const partyValues = (party: New<PartyRow>) => [
  ...[
    party.legal_name,
    party.address_lines,
    party.postal_code ?? null,
    party.city,
    party.country,
    party.tax_id ?? null,
  ],
];
export async function setSeller(tx: WriteTx, party: New<PartyRow>): Promise<PartyRow> {
  const [row] = await tx.rows<PartyRow>(setSellerSql, partyValues(party));
  if (!row) throw new Error('the seller was not kept');
  return row;
}
export const setDetails = async (tx: WriteTx, organizationId: string, details: New<DetailsRow>) =>
  (
    await tx.rows<DetailsRow>(setDetailsSql, [
      ...[organizationId, ...partyValues(details), details.customer_type, details.invoice_email ?? null],
    ])
  )[0];
