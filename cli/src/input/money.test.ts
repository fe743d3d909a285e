import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { rehearse } from '../testing.ts';

const lab = '01a1dea2-0000-7000-8000-00000000000a';
const budget = '01a1dea2-0000-7000-8000-00000000000b';
const account = (currency: string) => ({
  organization_id: lab,
  slug: 'lab',
  balance: { amount_minor: '0', currency },
});
const script = (currency = 'USD') => ({
  [`GET /api/v1/organizations/${lab}`]: { id: lab, currency },
  'GET /api/v1/admin/billing/accounts': { data: [account(currency)], has_more: false, next_cursor: null },
  'GET /api/v1/catalog': {
    data: [{ sku: 'h200', allowed_gpu_counts: [1], availability: [], prices: [{ unit_price: { currency } }] }],
    has_more: false,
  },
});
/** The body of the one request that changes something. */
async function sent(words: string, currency?: string) {
  const typed = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const { code, err, asked } = await rehearse([...typed, '--yes'], script(currency));
  return { code, err, body: asked.find(({ request }) => !request.startsWith('GET'))?.body };
}

describe('an amount on the command line', () => {
  it.each([
    ['25', 'USD', '2500'],
    ['25.5', 'USD', '2550'],
    ['25.50', 'USD', '2550'],
    ['0.05', 'USD', '5'],
    ["'25 USD'", 'USD', '2500'],
    ['25usd', 'USD', '2500'],
    ['900', 'JPY', '900'],
    ['1.234', 'KWD', '1234'],
  ])('%s is money in %s, and not minor units', async (text, currency, amount_minor) => {
    const { body } = await sent(`billing top-up --organization ${lab} --amount ${text}`, currency);
    expect(body).toMatchObject({ amount_minor, currency });
  });

  it.each([
    ['25.505', 'USD', 'USD has 2 decimal places'],
    ['25.5', 'JPY', 'JPY has no decimal places'],
    ['1,000', 'USD', 'must be an amount, as 25 or 25.50'],
    ['$25', 'USD', 'must be an amount, as 25 or 25.50'],
    ['1e3', 'USD', 'must be an amount, as 25 or 25.50'],
    ["'25 EUR' --currency USD", 'USD', 'The amounts are in USD and EUR; they must be in one currency.'],
  ])('%s in %s is refused before anything changes: %s', async (text, currency, why) => {
    const { code, err, body } = await sent(`billing top-up --organization ${lab} --amount ${text}`, currency);
    expect({ code, body }).toEqual({ code: exitCodes.usage, body: undefined });
    expect(err).toContain(why);
  });

  it('has the currency of the account that finance works on, which a slug finds too', async () => {
    const grant = await sent('ops billing grant lab --amount 12.30 --reason test', 'EUR');
    expect(grant.body).toEqual({ amount_minor: '1230', currency: 'EUR', reason: 'test' });
    const back = await sent(`ops billing adjust ${lab} --amount=-0.99 --corrects ${budget} --reason test`, 'EUR');
    expect(back.body).toMatchObject({ amount_minor: '-99', currency: 'EUR' });
    const price = await sent('ops billing price-add lab h200 --price 1.99 --reason test', 'EUR');
    expect(price.body).toMatchObject({ unit_price_minor: '199', currency: 'EUR' });
  });

  it('of a refund names its currency, because the account is not known', async () => {
    const { code, err } = await sent(`ops billing refund ${budget} --amount 25 --reason test`);
    expect(code).toBe(exitCodes.usage);
    expect(err).toContain("--amount needs a currency: '25 USD'.");
    expect((await sent(`ops billing refund ${budget} --amount '25 USD' --reason test`)).body).toMatchObject({
      amount_minor: '2500',
      currency: 'USD',
    });
  });

  it('of a budget takes the currency of its organization', async () => {
    const { body } = await sent(`billing budget-change ${budget} --organization ${lab} --soft 800 --hard 1000.50`);
    expect(body).toEqual({ soft_minor: '80000', hard_minor: '100050' });
  });

  it('of a price and of a limit takes the currency of the SKU', async () => {
    const { body } = await sent('ops sku price-add h200 --price 4.25 --reason test', 'EUR');
    expect(body).toMatchObject({ unit_price: { amount_minor: '425', currency: 'EUR' } });
  });
});
