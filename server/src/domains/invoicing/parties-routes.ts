import {
  adminSellerGet,
  adminSellerSet,
  type BillingDetails,
  billingDetailsGet,
  billingDetailsSet,
  type DocumentContent,
  type Seller,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import {
  type DetailsRow,
  findDetails,
  findName,
  findSeller,
  type PartyRow,
  setDetails,
  setSeller,
} from './parties-store.ts';
import type { Sides } from './tax/decide.ts';
import { objectToTaxId } from './tax/ids.ts';

interface Parts {
  readonly db: Database;
}
const on = handlers<Parts>();
/** A wrong digit on an invoice costs the customer its deduction, so it is found here. */
function refuseTaxId({ country, tax_id }: { readonly country: string; readonly tax_id?: string | null }) {
  const objection = tax_id ? objectToTaxId(country, tax_id) : undefined;
  return objection === undefined ? undefined : new Fault('tax_id_invalid', objection);
}
const absent = () => new Fault('organization_not_found', 'There is no such organization.');

const showParty = (row: PartyRow) => ({
  legal_name: row.legal_name,
  address_lines: [...row.address_lines],
  postal_code: row.postal_code,
  city: row.city,
  country: row.country,
  tax_id: row.tax_id,
});
const showDetails = (organizationId: string, row: DetailsRow | undefined): BillingDetails => ({
  organization_id: organizationId,
  details: row
    ? {
        ...showParty(row),
        ...{ customer_type: row.customer_type, invoice_email: row.invoice_email },
        updated_at: row.updated_at.toISOString(),
      }
    : null,
});
const showSeller = (row: PartyRow | undefined): Seller => ({
  seller: row ? { ...showParty(row), updated_at: row.updated_at.toISOString() } : null,
});

const getDetails = on(billingDetailsGet, async ({ db }, who, { params }) => {
  const [name, details] = await db.read(who, (tx) =>
    Promise.all([findName(tx, params.organization_id), findDetails(tx, params.organization_id)]),
  );
  return name === undefined ? absent() : showDetails(params.organization_id, details);
});
/** The audit log says that they were set and by whom. What they say may name a person, and is not kept there. */
const putDetails = on(billingDetailsSet, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const organizationId = params.organization_id;
    const wrong = refuseTaxId(body);
    if (wrong) return tx.abandon(wrong);
    const row = await setDetails(tx, organizationId, body);
    if (!row) return tx.abandon(absent());
    return tx.commit(showDetails(organizationId, row), {
      target: { type: 'billing_details', id: organizationId },
      organizationId,
      change: { country: row.country, customer_type: row.customer_type },
      events: 'none',
    });
  }),
);
const getSeller = on(adminSellerGet, async ({ db }, who) => showSeller(await db.read(who, findSeller)));
const putSeller = on(adminSellerSet, ({ db }, act, { body }) =>
  db.write(act, async (tx) => {
    const wrong = refuseTaxId(body);
    if (wrong) return tx.abandon(wrong);
    const row = await setSeller(tx, body);
    return tx.commit(showSeller(row), {
      target: { type: 'billing_seller', id: 'seller' },
      change: { country: row.country },
      events: 'none',
    });
  }),
);

/** What a document says about both sides, and how tax is decided between them. */
export interface Parties {
  readonly seller: DocumentContent['seller'];
  readonly customer: DocumentContent['customer'];
  readonly sides: Sides;
}
export async function readParties(tx: ReadTx, organizationId: string): Promise<Parties> {
  const [seller, details, name] = await Promise.all([
    findSeller(tx),
    findDetails(tx, organizationId),
    findName(tx, organizationId),
  ]);
  const nobody = { address_lines: [], postal_code: null, city: null, country: null, tax_id: null };
  return {
    seller: seller ? showParty(seller) : null,
    customer: details ? showParty(details) : { legal_name: name ?? organizationId, ...nobody },
    sides: {
      seller,
      customer: details && { country: details.country, type: details.customer_type, taxId: details.tax_id },
    },
  };
}

export const partyRoutes = (parts: Parts): Mounted[] =>
  [getDetails, putDetails, getSeller, putSeller].map((bind) => bind(parts));
