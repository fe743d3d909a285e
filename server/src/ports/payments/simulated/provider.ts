import type { Clock } from '../../../kernel/clock.ts';
import { type CheckoutRow, disputeEvent, newId, paidEvent, refundedEvent } from './events.ts';
import { openTables, type Tables } from './tables.ts';

/** What can go wrong with the news of a payment. Late news arrive after those that are sent in the meantime. */
export const deliveryFaults = ['none', 'duplicate', 'late', 'lost'] as const;
export type DeliveryFault = (typeof deliveryFaults)[number];

/** A webhook that waits to be sent. */
export interface Delivery {
  readonly position: string;
  readonly body: string;
  readonly attempts: number;
}

/** The side of the simulated provider that people and banks see, and that sends its webhooks. */
export interface SimulatedProvider {
  checkout(id: string): Promise<CheckoutRow | undefined>;
  /** The card that a customer has kept here, as its last digits. */
  savedCard(customer: string): Promise<string | undefined>;
  /** Nothing when it cannot be paid any more. */
  pay(
    id: string,
    how: { readonly last4: string; readonly saveCard?: boolean; readonly fault?: DeliveryFault },
  ): Promise<CheckoutRow | undefined>;
  /** A refund that is made at the provider, not through us. */
  refundHere(paymentId: string, amount: bigint, fault?: DeliveryFault): Promise<void>;
  /** The payer asks the bank for the money back; later the bank decides. */
  dispute(paymentId: string, status: 'needs_response' | 'won' | 'lost', fault?: DeliveryFault): Promise<void>;
  /** What is to be sent now, oldest first. Each is given to one asker, who has a while to send it. */
  takeDue(limit: number): Promise<Delivery[]>;
  delivered(position: string): Promise<void>;
  close(): Promise<void>;
}

const lateMs = 20_000;
const claimMs = 10_000;
const mostAttempts = 20;

export function openSimulatedProvider({
  clock,
  ...from
}: { readonly clock: Clock } & ({ readonly url: string } | { readonly tables: Tables })): SimulatedProvider {
  const tables = 'tables' in from ? from.tables : openTables(from.url);
  const find = async (by: 'id' | 'payment_id', value: string) =>
    (
      await tables.rows<CheckoutRow>(
        `find_${by}`,
        by === 'id'
          ? 'select * from gpuaas_payments.checkout where id = $1'
          : 'select * from gpuaas_payments.checkout where payment_id = $1',
        [value],
      )
    )[0];
  const announce = (body: string, fault: DeliveryFault = 'none') => announceEvent(tables, body, fault, clock.now());
  return {
    checkout: (id) => find('id', id),
    async savedCard(customer) {
      const [card] = await tables.rows<{ last4: string }>(
        'card',
        'select last4 from gpuaas_payments.card where customer = $1',
        [customer],
      );
      return card?.last4;
    },
    async pay(id, { last4, saveCard, fault }) {
      const [paid] = await tables.rows<CheckoutRow>(
        'pay',
        `update gpuaas_payments.checkout set paid_at = $2, payment_id = $3
         where id = $1 and paid_at is null and expires_at > $2 returning *`,
        [id, clock.now(), newId('pi')],
      );
      if (!paid) return undefined;
      if (saveCard) {
        await tables.rows(
          'keep_card',
          `insert into gpuaas_payments.card (customer, last4) values ($1, $2)
           on conflict (customer) do update set last4 = excluded.last4`,
          [paid.customer, last4],
        );
      }
      await announce(paidEvent(paid, clock.now()), fault);
      return paid;
    },
    async refundHere(paymentId, amount, fault) {
      const [row] = await tables.rows<CheckoutRow>(
        'refund_here',
        'update gpuaas_payments.checkout set refunded = refunded + $2 where payment_id = $1 returning *',
        [paymentId, amount],
      );
      if (row) await announce(refundedEvent(row, clock.now()), fault);
    },
    async dispute(paymentId, status, fault) {
      const [row] = await tables.rows<CheckoutRow>(
        'dispute',
        'update gpuaas_payments.checkout set dispute = $2 where payment_id = $1 returning *',
        [paymentId, status],
      );
      if (row) await announce(disputeEvent(row, clock.now()), fault);
    },
    takeDue: (limit) =>
      tables.rows<Delivery>(
        'take_due',
        `update gpuaas_payments.delivery d set attempts = d.attempts + 1, due_at = $1::timestamptz + $3 * interval '1 ms'
         from (select position from gpuaas_payments.delivery where due_at <= $1 and attempts < $4
           order by due_at, position limit $2 for update skip locked) due
         where d.position = due.position returning d.position::text, d.body, d.attempts`,
        [clock.now(), limit, claimMs, mostAttempts],
      ),
    async delivered(position) {
      await tables.rows('delivered', 'delete from gpuaas_payments.delivery where position = $1', [position]);
    },
    close: () => tables.close(),
  };
}

/** Puts a webhook where the sender finds it: once, twice, later, or not at all. */
export async function announceEvent(tables: Tables, body: string, fault: DeliveryFault, now: Date): Promise<void> {
  if (fault === 'lost') return;
  const dueAt = new Date(now.getTime() + (fault === 'late' ? lateMs : 0));
  await tables.rows(
    'announce',
    'insert into gpuaas_payments.delivery (body, due_at) select $1, $2 from generate_series(1, $3)',
    [body, dueAt, fault === 'duplicate' ? 2 : 1],
  );
}
