import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openWorld, paymentSecret, type Tenant, type World } from '../../testing/world.ts';
import { openPaymentWorld, type PaymentWorld } from './testing.ts';

/** As many as every run has time for; `npm run prove` asks for more. */
const count = Number(process.env['GPUAAS_WEBHOOKS'] ?? 3_000);
vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 120_000 });

let world: World;
let pay: PaymentWorld;
let tenant: Tenant;
beforeAll(async () => {
  world = await openWorld();
  pay = await openPaymentWorld(world);
  tenant = await world.found('payer');
});
afterAll(async () => {
  await pay?.close();
  await world?.close();
});

/** Chance that can be repeated: the same seed makes the same webhooks. */
function makeChance(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return { below, pick: <T>(of: readonly T[]): T => of[below(of.length)] as T };
}
type Chance = ReturnType<typeof makeChance>;
interface Sent {
  readonly body: string;
  readonly signature: string | undefined;
}

const replaceAt = (text: string, at: number, by: string, length = 1) =>
  text.slice(0, at) + by + text.slice(at + length);
const hex = '0123456789abcdef';
/** Every change that an attacker without the secret can make to a webhook. */
const mutations: readonly ((sent: { body: string; signature: string }, chance: Chance) => Sent)[] = [
  ({ body, signature }, { below }) => {
    const at = below(body.length);
    return {
      signature,
      body: replaceAt(body, at, String.fromCharCode((body.charCodeAt(at) ^ (1 << below(7))) & 0x7f)),
    };
  },
  ({ body, signature }, { below }) => ({ signature, body: replaceAt(body, below(body.length), '', 1 + below(8)) }),
  ({ body, signature }, { below, pick }) => ({
    signature,
    body: replaceAt(body, below(body.length), pick(['0', '9', ' ', '\n', '"', '{', '\0', 'é', '﻿']), 0),
  }),
  ({ body, signature }, { below }) => ({
    signature,
    body: body.replace(/"amount_total":\d+/, `"amount_total":${below(1_000_000)}9`),
  }),
  ({ body, signature }, { below }) => ({ signature, body: body.replace(/evt_sim_\w{6}/, `evt_sim_${below(1e6)}x`) }),
  ({ body, signature }, { below, pick }) => {
    const at = signature.indexOf('v1=') + 3 + below(64);
    return { body, signature: replaceAt(signature, at, pick(hex.split('').filter((one) => one !== signature[at]))) };
  },
  ({ body, signature }, { below, pick }) => ({
    body,
    signature: signature.replace(/t=(\d+)/, (_, time) => `t=${Number(time) + pick([-1, 1]) * (1 + below(290))}`),
  }),
  ({ body, signature }, { below }) => ({ body, signature: signature.slice(0, below(signature.length)) }),
  ({ body, signature }, { pick }) => ({
    body,
    signature: signature.replace('v1=', pick(['v0=', 'v2=', 'V1=', '=', ''])),
  }),
  ({ body, signature }, { pick }) => ({ body, signature: pick([undefined, '', ',', 't=', `t=0,${signature}`]) }),
  ({ body }, { below }) => ({ body, signature: pay.sign(body, new Date(Date.now() - 301_000 - below(1e9))) }),
  ({ body }, { below }) => ({ body, signature: pay.sign(body, new Date(Date.now() + 302_000 + below(1e9))) }),
  ({ signature }) => ({ body: '', signature }),
];

describe('webhooks that somebody has tampered with', () => {
  it('are refused, all of them, and an event credits once however often it comes', async () => {
    const chance = makeChance(20_261_116);
    const { checkoutId } = await pay.begun(tenant);
    await pay.people.pay(checkoutId, { last4: '4242' });
    const body = await pay.take();
    expect(body).toContain('checkout.session.completed');
    let refused = 0;
    for (let n = 0; n < count; n += 1) {
      const good = { body, signature: pay.sign(body) };
      const sent = chance.pick(mutations)(good, chance);
      if (sent.body === good.body && sent.signature === good.signature) continue;
      const answer = await pay.send(sent.body, sent.signature);
      expect(answer.status, `${JSON.stringify(sent)} was answered ${answer.text}`).toBe(400);
      refused += 1;
      // In between the true one comes, and comes again.
      if (n % 500 === 100) expect((await pay.send(body, pay.sign(body))).status).toBe(200);
    }
    expect(refused).toBeGreaterThan(count * 0.9);
    expect(await pay.balance(tenant)).toBe(2_500n);
    const { rows } = await world.root.query(
      `select (select count(*)::int from ledger_entries where organization_id = $1) as entries,
         (select count(*)::int from payment_events) as events`,
      [tenant.organizationId],
    );
    expect(rows).toEqual([{ entries: 1, events: 1 }]);
    expect(paymentSecret).not.toBe('');
  });

  it('never make us fail, also when they are signed: what they say is looked at before it is believed', async () => {
    const chance = makeChance(7);
    const { checkoutId } = await pay.begun(tenant);
    const before = await pay.balance(tenant);
    const values = [null, 0, -1, 1.5, 1e300, '', 'x', 'usd', true, [], {}, [[]], '\u0000', '9'.repeat(400)];
    const fields = ['id', 'client_reference_id', 'payment_intent', 'status', 'amount_total', 'currency'] as const;
    for (let n = 0; n < Math.min(count, 2_000) / 4; n += 1) {
      const object: Record<string, unknown> = {
        ...{ id: checkoutId, client_reference_id: 'x', payment_intent: 'pi_1', status: 'complete' },
        ...{ payment_status: 'unpaid', amount_total: 2_500, currency: 'usd' },
      };
      object[chance.pick(fields)] = chance.pick(values);
      const type = chance.pick(['checkout.session.completed', 'charge.refunded', 'charge.dispute.created', 'toString']);
      const body = JSON.stringify({ id: `evt_f${n}`, object: 'event', type, created: 1, data: { object } });
      const answer = await pay.send(body, pay.sign(body));
      expect([200, 400], `${body} was answered ${answer.text}`).toContain(answer.status);
    }
    expect(await pay.balance(tenant)).toBe(before);
  });
});
