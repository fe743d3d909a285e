import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serveSimulatedCheckout } from './serve.ts';

const id = `cs_sim_${'a'.repeat(24)}`;
const open = {
  ...{ id, amount: '2500', currency: 'USD', title: 'Balance of <b>Lab</b>', customer: 'cus_sim_1' },
  ...{ paid_url: 'http://gpuaas.test:8443/billing?payment=1', left_url: 'http://gpuaas.test:8443/billing' },
  ...{ expires_at: new Date('2026-06-01T13:00:00Z'), paid_at: null as Date | null },
};
let checkout = open;
const openSetup = {
  ...{ id, title: 'Payments of Lab', back_url: 'http://gpuaas.test:8443/billing?card=1', done_at: null as Date | null },
  expires_at: new Date('2026-06-01T13:00:00Z'),
};
let setup = openSetup;
const saved: string[] = [];
let savedCard: string | undefined;
const paid: object[] = [];
const faults: unknown[] = [];
let news = 0;
let isBroken = false;
let page: Awaited<ReturnType<typeof serveSimulatedCheckout>>;

beforeAll(async () => {
  page = await serveSimulatedCheckout({
    host: '127.0.0.1',
    now: () => new Date('2026-06-01T12:00:00Z'),
    checkouts: {
      async checkout(asked) {
        if (isBroken) throw new Error('postgres://somebody:secret@host is away');
        return asked === id ? checkout : undefined;
      },
      savedCard: async () => savedCard,
      setup: async (asked) => (asked === id ? setup : undefined),
      async finishSetup(_, last4) {
        saved.push(last4);
        return {};
      },
      async pay(_, how) {
        paid.push(how);
        return {};
      },
    },
    paid: () => {
      news += 1;
    },
    onFault: (error) => faults.push(error),
  });
});
afterAll(() => page.close());
beforeEach(() => {
  checkout = open;
  setup = openSetup;
  saved.length = 0;
  savedCard = undefined;
  isBroken = false;
  paid.length = 0;
  news = 0;
});

const ask = (path: string, form?: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const asking = request(`${page.url}${path}`, { method: form === undefined ? 'GET' : 'POST', headers }, (answer) => {
      let body = '';
      answer.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    });
    asking.on('error', reject);
    asking.end(form);
  });

describe('the page of the simulated provider', () => {
  it('says that it is simulated, what is paid, and lets its form lead home alone', async () => {
    const shown = await ask(`/checkout/${id}`);
    expect(shown.status).toBe(200);
    expect(shown.body).toContain('Simulated');
    expect(shown.body).toContain('No money moves');
    expect(shown.body).toContain('Balance of &lt;b&gt;Lab&lt;/b&gt;');
    expect(shown.body).toMatch(/USD\s?25\.00/);
    expect(shown.headers['content-security-policy']).toContain("form-action 'self' http://gpuaas.test:8443;");
    expect((await ask('/style.css')).headers['content-type']).toContain('text/css');
    savedCard = '1881';
    expect((await ask(`/checkout/${id}`)).body).toContain('•••• 1881');
  });

  it('takes a payment, tells its sender, and sends the browser home', async () => {
    const answer = await ask(`/checkout/${id}/pay`, 'card=4242+4242+4242+1881&save=yes&fault=late', {
      origin: page.url,
    });
    expect([answer.status, answer.headers['location']]).toEqual([303, open.paid_url]);
    expect(paid).toEqual([{ last4: '1881', saveCard: true, fault: 'late' }]);
    expect(news).toBe(1);
    await ask(`/checkout/${id}/pay`, 'card=4242&fault=nonsense', { origin: page.url });
    expect(paid.at(-1)).toEqual({ last4: '4242', saveCard: false, fault: 'none' });
  });

  it('declines a card, and asks again for one that is none', async () => {
    const declined = await ask(`/checkout/${id}/pay`, 'card=4000000000000002', { origin: page.url });
    expect(declined.body).toContain('The card was declined');
    expect((await ask(`/checkout/${id}/pay`, 'card=abc', { origin: page.url })).body).toContain('at least four digits');
    expect(paid).toEqual([]);
  });

  it.each<[string, string, string | undefined, Record<string, string>, number]>([
    ['another name', `/checkout/${id}`, undefined, { host: 'evil.test' }, 403],
    ['a form of another site', `/checkout/${id}/pay`, 'card=4242', { origin: 'https://evil.test' }, 403],
    ['a form that crossed sites', `/checkout/${id}/pay`, 'card=4242', { 'sec-fetch-site': 'cross-site' }, 403],
    ['no such checkout', `/checkout/cs_sim_${'b'.repeat(24)}`, undefined, {}, 404],
    ['no checkout at all', '/', undefined, {}, 404],
    ['a form without end', `/checkout/${id}/pay`, `card=${'4'.repeat(5_000)}`, {}, 400],
    ['a payment by GET', `/checkout/${id}/pay`, undefined, {}, 400],
    ['a form where a page is', `/checkout/${id}`, 'card=4242', {}, 405],
  ])('refuses %s', async (_, path, form, headers, status) => {
    expect((await ask(path, form, headers)).status).toBe(status);
    expect(paid).toEqual([]);
  });

  it('says that a checkout is over, and why', async () => {
    checkout = { ...open, paid_at: new Date('2026-06-01T11:00:00Z') };
    expect((await ask(`/checkout/${id}`)).body).toContain('It was paid.');
    checkout = { ...open, expires_at: new Date('2026-06-01T11:00:00Z') };
    expect((await ask(`/checkout/${id}/pay`, 'card=4242', { origin: page.url })).body).toContain('time has run out');
    expect(paid).toEqual([]);
  });

  it('saves a card without a payment, and sends the browser back', async () => {
    const shown = await ask(`/setup/${id}`);
    expect(shown.body).toContain('Simulated.');
    expect(shown.body).toContain('Payments of Lab');
    expect(await ask(`/setup/${id}/save`, 'card=4000+0000+0000+3184', { origin: page.url })).toMatchObject({
      ...{ status: 303, headers: { location: 'http://gpuaas.test:8443/billing?card=1' } },
    });
    expect(saved).toEqual(['3184']);
  });

  it.each([
    ['a card without digits', 'card=x', 'at least four digits'],
    ['a card that is declined', 'card=4000+0000+0000+0002', 'was declined'],
  ])('saves no card from %s', async (_, form, says) => {
    expect((await ask(`/setup/${id}/save`, form, { origin: page.url })).body).toContain(says);
    expect(saved).toEqual([]);
  });

  it('refuses to save by GET, elsewhere, and when the page is over', async () => {
    expect((await ask(`/setup/${id}/save`)).status).toBe(400);
    expect((await ask(`/setup/${id}`, 'card=4242', { origin: page.url })).status).toBe(405);
    expect((await ask(`/setup/cs_sim_${'b'.repeat(24)}`)).status).toBe(404);
    expect((await ask(`/setup/${id}/save`, 'card=4242', { origin: 'https://evil.test' })).status).toBe(403);
    setup = { ...openSetup, done_at: new Date('2026-06-01T11:00:00Z') };
    expect((await ask(`/setup/${id}/save`, 'card=4242', { origin: page.url })).body).toContain('The card was saved.');
    expect(saved).toEqual([]);
  });

  it('keeps to itself what went wrong inside', async () => {
    isBroken = true;
    const answer = await ask(`/checkout/${id}`);
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('secret');
    expect(faults).toHaveLength(1);
  });
});
