import { adminStoragePriceAdd, adminStoragePriceList, type StoragePrice } from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { readPage } from '../../../kernel/page.ts';
import {
  findStoragePrice,
  insertStoragePrice,
  listStoragePrices,
  readActTime,
  type StoragePriceRow,
} from './prices-store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
}
const on = handlers<Parts>();

const show = (row: StoragePriceRow): StoragePrice => ({
  ...{ id: row.id, currency: row.currency, rate_micro: row.rate_micro.toString(), state: row.state },
  ...{ effective_from: row.effective_from.toISOString(), created_at: row.created_at.toISOString() },
});

const list = on(adminStoragePriceList, ({ db }, who, { query }) =>
  readPage({
    name: 'storage-prices',
    query,
    read: (before, limit) => db.read(who, (tx) => listStoragePrices(tx, before, limit)),
    keyOf: ({ id }) => id,
    show,
  }),
);

const add = on(adminStoragePriceAdd, ({ db, ids }, act, { body }) =>
  db.write(act, async (tx) => {
    const from = body.effective_from === undefined ? undefined : new Date(body.effective_from);
    if (from && from < (await readActTime(tx))) {
      const text = 'A price begins now or later: what was stored before keeps its price.';
      return tx.abandon(new Fault('price_backdated', text));
    }
    const id = ids.next();
    const isNew = await insertStoragePrice(tx, {
      ...{ id, currency: body.currency, rate_micro: BigInt(body.rate_micro) },
      ...{ from, createdBy: act.actorId },
    });
    if (!isNew) {
      const text = 'There is a price of storage for this currency and moment already: choose another moment.';
      return tx.abandon(new Fault('price_already_exists', text));
    }
    const row = await findStoragePrice(tx, id);
    if (!row) throw new Error(`the price ${id} was not stored`);
    return tx.commit(show(row), {
      target: { type: 'storage_price', id },
      change: {
        currency: body.currency,
        rate_micro: body.rate_micro,
        effective_from: row.effective_from.toISOString(),
      },
      events: 'none',
    });
  }),
);

export const storagePriceRoutes = (parts: Parts): Mounted[] => [list, add].map((bind) => bind(parts));
