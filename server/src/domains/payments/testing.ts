import { actsOf } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import type { Payments } from '../../ports/payments/port.ts';
import { signBody } from '../../ports/payments/signature.ts';
import { openSimulatedProvider, type SimulatedProvider } from '../../ports/payments/simulated/provider.ts';
import { openSimulatedPayments } from '../../ports/payments/simulated.ts';
import { paymentSecret, type Reply, type Tenant, type World } from '../../testing/world.ts';
import { openAs } from '../billing/testing.ts';
import { makeChecks } from './checks.ts';
import { makeSendRefunds } from './send-refunds.ts';

/** A world with its payment provider, and the worker that compares the two. */
export interface PaymentWorld {
  readonly people: SimulatedProvider;
  begin(tenant: Tenant, amount?: string): Promise<Reply>;
  /** The id of a new payment, and what the provider calls its checkout. */
  begun(tenant: Tenant, amount?: string): Promise<{ readonly id: string; readonly checkoutId: string }>;
  /** Sends what the provider has to say; answers the statuses. */
  deliver(): Promise<number[]>;
  /** The oldest of what the provider has to say, which is then not delivered. */
  take(): Promise<string>;
  send(body: string, signature?: string): Promise<Reply>;
  sign(body: string, at?: Date): string;
  balance(tenant: Tenant): Promise<bigint>;
  payment(tenant: Tenant, id: string): Promise<Reply['body']>;
  /** One look of the worker at all payments, as if they were due. */
  compare(payments?: Payments): Promise<void>;
  sendRefunds(payments?: Payments): Promise<void>;
  close(): Promise<void>;
}

export async function openPaymentWorld(world: World): Promise<PaymentWorld> {
  const people = openSimulatedProvider({ url: world.schema.url, clock: systemClock });
  const asked = openSimulatedPayments({ url: world.schema.url, checkoutUrl: 'http://127.0.0.1:1', clock: systemClock });
  const database = await openAs(world.schema, 'gpuaas_billing');
  const worker = {
    ...{ db: database.database, begin: actsOf('billing-worker', systemIds), ids: systemIds, clock: systemClock },
    ...{ log: silentLog, metrics: makeMetrics('test', '0.0.0'), payments: asked },
  };
  const aborted = new AbortController().signal;
  const sign = (body: string, at = systemClock.now()) => signBody(paymentSecret, Buffer.from(body), at);
  const send = (body: string, signature?: string) =>
    world.call('POST', '/api/v1/payments/webhook', {
      body,
      headers: signature === undefined ? {} : { 'stripe-signature': signature },
    });
  const paths = (tenant: Tenant) => `/api/v1/organizations/${tenant.organizationId}`;
  const begin = (tenant: Tenant, amount = '2500') =>
    world.call('POST', `${paths(tenant)}/payments/sessions`, {
      ...{ as: tenant.token, key: systemIds.next(), body: { amount_minor: amount, currency: 'USD' } },
    });
  return {
    ...{ people, begin, send, sign },
    async begun(tenant, amount) {
      const made = await begin(tenant, amount);
      if (made.status !== 201) throw new Error(made.text);
      return { id: made.body.id as string, checkoutId: (made.body.url as string).split('/').at(-1) ?? '' };
    },
    async deliver() {
      const statuses: number[] = [];
      for (const { position, body } of await people.takeDue(100)) {
        statuses.push((await send(body, sign(body))).status);
        await people.delivered(position);
      }
      return statuses;
    },
    async take() {
      const [oldest] = await people.takeDue(1);
      if (!oldest) throw new Error('the provider has nothing to say');
      await people.delivered(oldest.position);
      return oldest.body;
    },
    async balance(tenant) {
      const answer = await world.call('GET', `${paths(tenant)}/billing/balance`, { as: tenant.token });
      return BigInt(answer.body.balance.amount_minor);
    },
    payment: async (tenant, id) =>
      (await world.call('GET', `${paths(tenant)}/payments/sessions/${id}`, { as: tenant.token })).body,
    async compare(payments = asked) {
      await makeDue(world);
      const checks = makeChecks({ ...worker, metrics: makeMetrics('test', '0.0.0'), payments });
      while ((await checks.round(aborted)) === 'more');
    },
    async sendRefunds(payments = asked) {
      await makeSendRefunds({ ...worker, metrics: makeMetrics('test', '0.0.0'), payments }).round(aborted);
    },
    async close() {
      await Promise.all([people.close(), asked.close(), database.close()]);
    },
  };
}

async function makeDue({ root }: World): Promise<void> {
  const act = systemIds.next();
  await root.query('begin');
  await root.query(`select set_config('gpuaas.act', $1, true), set_config('gpuaas.audited', $1, true)`, [act]);
  await root.query(
    `update payment_sessions set check_at = now() - interval '1 minute', version = version + 1 where check_at is not null`,
  );
  await root.query('commit');
}
