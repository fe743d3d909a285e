import type { Clock } from '../../kernel/clock.ts';
import type { Adapted } from '../adapter.ts';
import { findObjection } from './amounts.ts';
import { disputeOf, factsOfCheckout, parseEvent } from './events.ts';
import type { Payments } from './port.ts';
import { isSigned } from './signature.ts';
import { announceEvent } from './simulated/announce.ts';
import { makeSimulatedCards } from './simulated/cards.ts';
import { type CheckoutRow, checkoutObject, newId, refundedEvent } from './simulated/events.ts';
import { openTables } from './simulated/tables.ts';

export interface SimulatedConfig {
  /** The database in which the provider keeps what it knows. */
  readonly url: string;
  /** Where its page is. */
  readonly checkoutUrl: string;
  readonly webhookSecret?: string;
}

/**
 * Payments without money: a provider of our own with a page, webhooks and refunds, for machines without a contract with a real one.
 * Its page says that it is simulated.
 */
export function openSimulatedPayments({
  clock,
  ...config
}: SimulatedConfig & { readonly clock: Clock }): Payments & Adapted {
  const tables = openTables(config.url);
  const { webhookSecret } = config;
  return {
    adapter: { name: 'simulated', kind: 'embedded' },
    ...makeSimulatedCards(tables, { now: () => clock.now(), pageUrl: config.checkoutUrl }),
    provider: 'simulated',
    customer: async ({ reference }) => `cus_sim_${reference}`,
    async openCheckout(order) {
      const objection = findObjection(order, clock.now());
      if (objection) return { refused: objection };
      const [made] = await tables.rows<{ id: string }>(
        'open',
        `insert into gpuaas_payments.checkout
           (id, reference, customer, amount, currency, title, paid_url, left_url, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict (reference) do update set reference = excluded.reference returning id`,
        [
          ...[newId('cs'), order.reference, order.customerId, order.amountMinor, order.currency, order.title],
          ...[order.paidUrl, order.leftUrl, order.expiresAt],
        ],
      );
      if (!made) throw new Error('the checkout was not kept');
      return { checkoutId: made.id, url: `${config.checkoutUrl}/checkout/${made.id}` };
    },
    async findCheckout(checkoutId) {
      const [row] = await tables.rows<CheckoutRow>('get', 'select * from gpuaas_payments.checkout where id = $1', [
        checkoutId,
      ]);
      if (!row) return undefined;
      const facts = factsOfCheckout(checkoutObject(row, clock.now()));
      if (facts.status !== 'paid') return facts;
      return {
        ...facts,
        refundedMinor: BigInt(row.refunded),
        ...(row.dispute && { dispute: disputeOf(BigInt(row.amount), row.dispute) }),
      };
    },
    async refund({ reference, paymentId, amountMinor }) {
      if (amountMinor <= 0n) return { refused: 'the amount is not more than nothing' };
      const [done] = await tables.rows<{ id: string; is_new: boolean }>(
        'refund',
        `with there as (select id from gpuaas_payments.refund where reference = $1),
           moved as (update gpuaas_payments.checkout set refunded = refunded + $4 where payment_id = $3
             and refunded + $4 <= amount and not exists (select from there) returning payment_id),
           kept as (insert into gpuaas_payments.refund (reference, id, payment_id, amount)
             select $1, $2, payment_id, $4 from moved returning id)
         select id, true as is_new from kept union all select id, false from there`,
        [reference, newId('re'), paymentId, amountMinor],
      );
      if (!done) return { refused: 'there is no such payment, or less of it is left than is to go back' };
      const [row] = await tables.rows<CheckoutRow>(
        'refunded',
        'select * from gpuaas_payments.checkout where payment_id = $1',
        [paymentId],
      );
      if (done.is_new && row) await announceEvent(tables, refundedEvent(row, clock.now()), 'none', clock.now());
      return { refundId: done.id };
    },
    readEvent(body, signature) {
      if (!webhookSecret) return { refused: 'no secret for webhooks is configured' };
      if (signature === undefined) return { refused: 'it carries no signature' };
      if (!isSigned(webhookSecret, body, signature, clock.now())) {
        return { refused: 'the signature is wrong, too old or from the future' };
      }
      return parseEvent(body) ?? { refused: 'it cannot be read as an event' };
    },
    async check() {
      await tables.rows('check', 'select 1', []);
    },
    close: () => tables.close(),
  };
}
