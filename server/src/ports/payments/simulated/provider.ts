import type { Clock } from '../../../kernel/clock.ts';
import { announceEvent, type DeliveryFault } from './announce.ts';
import { keepMethod, listMethods, type SetupRow } from './cards.ts';
import { type CheckoutRow, disputeEvent, newId, paidEvent, refundedEvent } from './events.ts';
import { openTables, type Tables } from './tables.ts';

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
  setup(id: string): Promise<SetupRow | undefined>;
  /** Keeps a card for the customer of a setup; nothing when that is over. */
  finishSetup(id: string, last4: string): Promise<SetupRow | undefined>;
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
    savedCard: async (customer) => (await listMethods(tables, customer)).find(({ isDefault }) => isDefault)?.last4,
    setup: async (id) =>
      (await tables.rows<SetupRow>('setup', 'select * from gpuaas_payments.setup where id = $1', [id]))[0],
    async finishSetup(id, last4) {
      const [done] = await tables.rows<SetupRow>(
        'finish_setup',
        `update gpuaas_payments.setup set done_at = $2 where id = $1 and done_at is null and expires_at > $2 returning *`,
        [id, clock.now()],
      );
      if (done) await keepMethod(tables, done.customer, last4);
      return done;
    },
    async pay(id, { last4, saveCard, fault }) {
      const [paid] = await tables.rows<CheckoutRow>(
        'pay',
        `update gpuaas_payments.checkout set paid_at = $2, payment_id = $3
         where id = $1 and paid_at is null and expires_at > $2 returning *`,
        [id, clock.now(), newId('pi')],
      );
      if (!paid) return undefined;
      if (saveCard) await keepMethod(tables, paid.customer, last4);
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
