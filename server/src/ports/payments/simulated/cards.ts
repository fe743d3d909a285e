import { findAmountObjection, findTimeObjection } from '../amounts.ts';
import { disputeOf } from '../events.ts';
import type { Payments, SavedMethod } from '../port.ts';
import { announceEvent } from './announce.ts';
import { type CheckoutRow, newId, paymentEvent } from './events.ts';
import type { Tables } from './tables.ts';

/** A page on which a card is saved, as the simulated provider keeps it. */
export interface SetupRow {
  readonly id: string;
  readonly customer: string;
  readonly title: string;
  readonly back_url: string;
  readonly expires_at: Date;
  readonly done_at: Date | null;
}
/** Cards of these numbers are saved and refuse later, as Stripe's own test cards do. */
export const testCards = { declined: '0341', unconfirmed: '3184' } as const;
const outcomeOf = (last4: string) =>
  last4 === testCards.declined ? 'declined' : last4 === testCards.unconfirmed ? 'unconfirmed' : 'paid';
/** No simulated card ever ends. */
const expires = '2099-12';

/** The newest card becomes the default when it is the only one. */
export async function keepMethod(tables: Tables, customer: string, last4: string): Promise<void> {
  await tables.rows(
    'keep_method',
    `insert into gpuaas_payments.method (id, customer, last4, is_default)
     select $1, $2, $3, not exists (select from gpuaas_payments.method where customer = $2)
     where not exists (select from gpuaas_payments.method where customer = $2 and last4 = $3)`,
    [newId('pm'), customer, last4],
  );
}

export async function listMethods(tables: Tables, customer: string): Promise<SavedMethod[]> {
  const rows = await tables.rows<{ id: string; last4: string; is_default: boolean }>(
    'methods',
    'select id, last4, is_default from gpuaas_payments.method where customer = $1 order by position desc',
    [customer],
  );
  const defaultId = (rows.find(({ is_default }) => is_default) ?? rows[0])?.id;
  return rows.map(({ id, last4 }) => ({ ...{ id, brand: 'simulated', last4, expires }, isDefault: id === defaultId }));
}

type Cards = Pick<Payments, 'openSetup' | 'methods' | 'setDefaultMethod' | 'removeMethod' | 'charge' | 'findCharge'>;
const absent = { refused: 'the customer has no such card' };

export function makeSimulatedCards(
  tables: Tables,
  parts: { readonly now: () => Date; readonly pageUrl: string },
): Cards {
  return {
    methods: (customerId) => listMethods(tables, customerId),
    async openSetup({ reference, customerId, title, expiresAt, backUrl }) {
      const objection = findTimeObjection({ expiresAt }, parts.now());
      if (objection) return { refused: objection };
      const [made] = await tables.rows<{ id: string }>(
        'open_setup',
        `insert into gpuaas_payments.setup (id, reference, customer, title, back_url, expires_at)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (reference) do update set reference = excluded.reference returning id`,
        [newId('cs'), reference, customerId, title, backUrl, expiresAt],
      );
      if (!made) throw new Error('the setup was not kept');
      return { url: `${parts.pageUrl}/setup/${made.id}` };
    },
    async setDefaultMethod(customerId, methodId) {
      const set = await tables.rows(
        'set_default',
        `update gpuaas_payments.method set is_default = (id = $2) where customer = $1
           and exists (select from gpuaas_payments.method where customer = $1 and id = $2) returning id`,
        [customerId, methodId],
      );
      return set.length === 0 ? absent : undefined;
    },
    async removeMethod(customerId, methodId) {
      const gone = await tables.rows(
        'remove_method',
        'delete from gpuaas_payments.method where customer = $1 and id = $2 returning id',
        [customerId, methodId],
      );
      return gone.length === 0 ? absent : undefined;
    },
    charge: (order) => charge(tables, parts.now(), order),
    findCharge: (paymentId) => findCharge(tables, paymentId),
  };
}

/** The first request decides what becomes of a reference; a payment is kept as a checkout that was paid at once. */
async function charge(
  tables: Tables,
  now: Date,
  order: Parameters<Payments['charge']>[0],
): ReturnType<Payments['charge']> {
  const objection = findAmountObjection(order);
  if (objection) return { refused: objection };
  const [card] = await tables.rows<{ last4: string }>(
    'method_of',
    'select last4 from gpuaas_payments.method where customer = $1 and id = $2',
    [order.customerId, order.methodId],
  );
  const [made] = await tables.rows<{ outcome: string; payment_id: string; is_new: boolean }>(
    'charge',
    `insert into gpuaas_payments.charge as c (reference, outcome, payment_id) values ($1, $2, $3)
     on conflict (reference) do update set reference = excluded.reference
     returning c.outcome, c.payment_id, c.payment_id = $3 as is_new`,
    [order.reference, card ? outcomeOf(card.last4) : 'declined', newId('pi')],
  );
  if (!made) throw new Error('the charge was not kept');
  if (made.outcome === 'unconfirmed') return { unconfirmed: 'the bank asks the payer to confirm' };
  if (made.outcome === 'declined') return { refused: card ? 'the card was declined' : absent.refused };
  const [paid] = await tables.rows<CheckoutRow>(
    'charge_paid',
    `insert into gpuaas_payments.checkout
       (id, reference, customer, amount, currency, title, paid_url, left_url, expires_at, paid_at, payment_id)
     values ($1, $2, $3, $4, $5, $6, '', '', $7, $7, $8) on conflict do nothing returning *`,
    [
      ...[newId('cs'), order.reference, order.customerId, order.amountMinor, order.currency, order.title, now],
      made.payment_id,
    ],
  );
  if (paid) await announceEvent(tables, paymentEvent(paid, now), 'none', now);
  return { paymentId: made.payment_id, status: 'paid' };
}

async function findCharge(tables: Tables, paymentId: string): ReturnType<Payments['findCharge']> {
  const [row] = await tables.rows<CheckoutRow>(
    'find_charge',
    'select * from gpuaas_payments.checkout where payment_id = $1',
    [paymentId],
  );
  if (!row) return undefined;
  return {
    ...{ paymentId, reference: row.reference, status: 'paid', amountMinor: BigInt(row.amount) },
    ...{ currency: row.currency, refundedMinor: BigInt(row.refunded) },
    ...(row.dispute && { dispute: disputeOf(BigInt(row.amount), row.dispute) }),
  };
}
