import {
  adminPriceBookAdd,
  adminPriceBookEnd,
  adminPriceBookList,
  type NegotiatedPrice,
  priceBookList,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx, type Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { readPage } from '../../../kernel/page.ts';
import { findAccount } from '../ledger-store.ts';
import { money } from '../money.ts';
import { endPrice, findNegotiated, insertPrice, listPrices, type NegotiatedPriceRow, readNames } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
}
const on = handlers<Parts>();

const show = (row: NegotiatedPriceRow): NegotiatedPrice => ({
  id: row.id,
  organization_id: row.organization_id,
  sku: row.sku,
  region: row.region,
  unit_price: money(row.unit_price_minor, row.currency),
  list_price: row.list_price_minor === null ? null : money(row.list_price_minor, row.currency),
  effective_from: row.effective_from.toISOString(),
  effective_to: row.effective_to?.toISOString() ?? null,
  state: row.state,
  reason: row.reason,
  created_at: row.created_at.toISOString(),
});
const absent = () => new Fault('organization_not_found', 'There is no such organization.');
const reread = async (tx: ReadTx, organizationId: string, id: string): Promise<NegotiatedPrice> => {
  const row = await findNegotiated(tx, organizationId, id);
  if (!row) throw new Error(`the price ${id} was not stored`);
  return show(row);
};

const readBook = (
  { db }: Parts,
  who: Viewer,
  organizationId: string,
  query: { readonly cursor?: string; readonly limit?: number },
) =>
  readPage({
    name: 'negotiated-prices',
    query,
    read: (before, limit) => db.read(who, (tx) => listPrices(tx, organizationId, before, limit)),
    keyOf: (row) => row.id,
    show,
  });

const list = on(priceBookList, (parts, who, { params, query }) => readBook(parts, who, params.organization_id, query));
const adminList = on(adminPriceBookList, async (parts, who, { params, query }) => {
  const account = await parts.db.read(who, (tx) => findAccount(tx, params.organization_id));
  return account ? readBook(parts, who, params.organization_id, query) : absent();
});

const asTime = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));
const backdated = () =>
  new Fault('price_backdated', 'A price begins and ends now or later: what was launched keeps its price.');

const add = on(adminPriceBookAdd, ({ db, ids }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const organizationId = params.organization_id;
    const [account, names] = [await findAccount(tx, organizationId), await readNames(tx, body.sku, body.region)];
    if (!account) return tx.abandon(absent());
    if (account.currency !== body.currency) {
      return tx.abandon(new Fault('currency_mismatch', `The account is in ${account.currency}, not ${body.currency}.`));
    }
    if (!names.sku) return tx.abandon(new Fault('sku_not_found', `There is no SKU ${body.sku}.`));
    if (body.region !== undefined && !names.region) {
      return tx.abandon(new Fault('region_not_found', `There is no region ${body.region}.`));
    }
    const [from, to] = [asTime(body.effective_from), asTime(body.effective_to)];
    if (from && from < names.now) return tx.abandon(backdated());
    if (to && to <= (from ?? names.now)) {
      return tx.abandon(new Fault('period_invalid', 'The price would end before it begins.'));
    }
    const id = ids.next();
    const isNew = await insertPrice(tx, {
      ...{ id, organizationId, sku: body.sku, region: body.region, currency: body.currency, from, to },
      ...{ unitPrice: BigInt(body.unit_price_minor), reason: body.reason.trim(), createdBy: act.actorId },
    });
    if (!isNew) {
      const text = 'There is a negotiated price for this SKU, region and moment: choose another moment.';
      return tx.abandon(new Fault('price_already_exists', text));
    }
    return tx.commit(await reread(tx, organizationId, id), {
      target: { type: 'negotiated_price', id },
      organizationId,
      change: { sku: body.sku, region: body.region ?? null, unit_price_minor: body.unit_price_minor },
      events: 'none',
    });
  }),
);

const end = on(adminPriceBookEnd, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const { organization_id: organizationId, price_id: id } = params;
    if (!(await findAccount(tx, organizationId))) return tx.abandon(absent());
    const price = await findNegotiated(tx, organizationId, id);
    if (!price) return tx.abandon(new Fault('price_not_found', 'There is no such negotiated price.'));
    const [{ now }, at] = [await readNames(tx, price.sku, undefined), asTime(body.effective_to)];
    if ((at && at < now) || (price.effective_to && price.effective_to <= now)) return tx.abandon(backdated());
    if ((at ?? now) < price.effective_from) {
      return tx.abandon(new Fault('period_invalid', 'The price would end before it begins.'));
    }
    await endPrice(tx, organizationId, id, at);
    return tx.commit(await reread(tx, organizationId, id), {
      target: { type: 'negotiated_price', id },
      organizationId,
      change: { effective_to: { from: price.effective_to?.toISOString() ?? null, to: (at ?? now).toISOString() } },
      events: 'none',
    });
  }),
);

export const priceBookRoutes = (parts: Parts): Mounted[] => [list, adminList, add, end].map((bind) => bind(parts));
