import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, lookAt, openInstallation, seriousFindings } from './in-browser.ts';

/** Money, as those who spend it and those who look after it see it. */
let here: Installation;
beforeAll(async () => {
  here = await openInstallation(['--bare']);
}, 240_000);
afterAll(() => here?.close(), 60_000);

const findAccount = async () => {
  const finance = await here.call('finance');
  const { data } = await finance.adminBilling.accountList({ q: 'demo' });
  const account = data.find(({ slug }) => slug === 'demo');
  if (!account) throw new Error('The demo has no account.');
  return account;
};

const dollarsOf = (minor: bigint): string =>
  `$${(minor / 100n).toLocaleString('en')}.${(minor % 100n).toString().padStart(2, '0')}`;

describe('billing, in the console', () => {
  it('shows an owner the balance, the usage in groups, and a ledger that is found correct', {
    timeout: 240_000,
  }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Billing' }).click();
    await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor();
    const balance = page.getByRole('region', { name: 'Balance' });
    await balance.getByText(/^\$[\d,]+\.\d\d$/).waitFor();
    await balance.getByText('Launches are refused when the balance does not last for 60 minutes.').waitFor();
    await page.getByRole('region', { name: 'Ledger' }).getByText('credit to try everything with').waitFor();
    const groups = page.getByRole('region', { name: 'Usage' }).getByRole('combobox');
    await groups.selectOption('sku');
    await expect.poll(() => page.url()).toContain('/billing?by=sku');
    await balance.getByRole('button', { name: 'Verify the chain' }).click();
    await balance.getByText(/^The ledger is correct: /).waitFor();
    // The same address shows the same groups.
    await page.reload();
    await expect.poll(() => groups.inputValue()).toBe('sku');
    expect(await lookAt(here, page, '/billing', 'Billing')).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('opens a line of usage into its windows, and warns in the top bar of a balance that ends soon', {
    timeout: 240_000,
  }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    const dollars = (amount_minor: string) => ({ amount_minor, currency: 'USD' });
    const id = '01960000-0000-7000-8000-000000000001';
    await page.route('**/billing/balance', (route) =>
      route.fulfill({
        json: {
          organization_id: id,
          balance: dollars('5625'),
          held: dollars('0'),
          per_hour: dollars('450'),
          runway_seconds: 45_000,
          state: 'low_balance',
          releases_at: null,
          charged_to: '2026-01-01T00:00:00.000Z',
          enforced: true,
          minimum_runway_minutes: 60,
          low_balance_threshold: dollars('500'),
          steps: [
            { step: 'warning', runway_seconds: 86_400, at: null },
            { step: 'launches_refused', runway_seconds: 3_600, at: new Date(Date.now() + 41_400_000).toISOString() },
            { step: 'depleted', runway_seconds: 0, at: new Date(Date.now() + 45_000_000).toISOString() },
          ],
        },
      }),
    );
    await page.route('**/billing/ledger?**', (route) =>
      route.fulfill({
        json: {
          data: [
            {
              id,
              kind: 'usage',
              day: '2026-01-01',
              amount: dollars('-450'),
              at: null,
              allocation_id: id,
              allocation_name: 'Training run',
              project_id: id,
              sku: 'h200-sxm-slice',
              quantity_ms: '3600000',
              windows: 1,
              reason: null,
              simulated: true,
            },
          ],
          next_cursor: null,
          has_more: false,
        },
      }),
    );
    await page.route(`**/billing/ledger/${id}/windows?**`, (route) =>
      route.fulfill({
        json: {
          data: [
            {
              id,
              from: '2026-01-01T00:00:00.000Z',
              to: '2026-01-01T01:00:00.000Z',
              quantity_ms: '3600000',
              unit: 'gpu_hour',
              rate_micro: '450000000',
              price_id: null,
              amount: dollars('450'),
              charged: dollars('450'),
            },
          ],
          next_cursor: null,
          has_more: false,
        },
      }),
    );
    await page.goto(here.base);
    await page
      .getByRole('banner')
      .getByRole('link', { name: /^Billing: 12 h (?:30|29) m left \$56\.25$/ })
      .click();
    await page.getByText('At $4.50/h, 12 h 30 m left.').waitFor();
    await page.getByText(/^Next: launches are refused in 11 h (?:30|29) m, if nothing changes\.$/).waitFor();
    const steps = page.getByRole('list', { name: 'Steps of a falling balance' });
    expect(await steps.getByRole('listitem').first().textContent()).toContain('has happened');
    await page.getByText('Launches are refused when the balance does not last for 60 minutes.').waitFor();
    await page
      .getByRole('region', { name: 'Ledger' })
      .locator('span', { hasText: /^.?simulated$/ })
      .waitFor();
    await page.getByRole('button', { name: 'Windows of Training run on 1 Jan 2026' }).click();
    const windows = page.getByRole('dialog', { name: 'Training run, 1 Jan 2026' });
    await windows.getByRole('row', { name: /1\.00 GPU h.*\$4\.50\/GPU h.*\$4\.50/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('lets an owner top up on the checkout page and shows the new balance; finance sends a part back', {
    timeout: 240_000,
  }, async () => {
    const before = BigInt((await findAccount()).balance.amount_minor);
    const { context, page, complaints } = await here.enter('owner');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Billing' }).click();
    await page.getByRole('button', { name: 'Top up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Top up' });
    await dialog.getByText('no money moves').waitFor();
    await dialog.getByLabel('Amount (USD)').fill('9');
    await dialog.getByText('The smallest payment is $10.00.').waitFor();
    await dialog.getByLabel('Amount (USD)').fill('25');
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Pay $25.00' }).click();
    // The page of the provider is elsewhere, and says what it is.
    await page.getByText('Simulated.').waitFor();
    expect(new URL(page.url()).port).not.toBe(new URL(here.base).port);
    await page.getByRole('button', { name: /^Pay / }).click();
    await page.waitForURL(/\/billing\?payment=/);
    await page.getByText('$25.00 was added to the balance.').waitFor();
    const balance = page.getByRole('region', { name: 'Balance' });
    await balance.getByText(dollarsOf(before + 2_500n), { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Payments' }).getByText('Paid').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();

    const finance = await here.enter('finance');
    await finance.page.goto(`${here.base}/ops/payments`);
    await finance.page.getByRole('button', { name: 'Refund $25.00 of Demo' }).click();
    const refund = finance.page.getByRole('dialog', { name: 'Refund a payment of Demo' });
    await refund.getByLabel('Amount (USD)').fill('10');
    await refund.getByLabel('Reason').fill('too much');
    await refund.getByRole('button', { name: 'Refund $10.00' }).click();
    await finance.page.getByText('$10.00 is on its way back.').waitFor();
    expect(await seriousFindings(finance.page)).toEqual([]);
    expect(finance.complaints).toEqual([]);
    await finance.context.close();
    expect(BigInt((await findAccount()).balance.amount_minor)).toBe(before + 1_500n);
  });

  it('shows a member what the project used, and nothing of the account', { timeout: 120_000 }, async () => {
    const { context, page, complaints } = await here.enter('member');
    await page.goto(`${here.base}/billing?by=allocation`);
    await page.getByRole('heading', { name: 'Usage of the last 30 days' }).waitFor();
    await page.getByText(/^The usage of project Playground\./).waitFor();
    expect(await page.getByRole('region', { name: /^(?:Balance|Ledger)$/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('lets finance give credit, and says to whom and how much before and after', { timeout: 240_000 }, async () => {
    const before = await findAccount();
    const { context, page, complaints } = await here.enter('finance');
    await page.goto(`${here.base}/ops/accounts?q=demo`);
    await page.getByRole('button', { name: 'Give credit to Demo (demo)' }).click();
    const dialog = page.getByRole('dialog', { name: 'Give credit to Demo' });
    await dialog.getByLabel(/^Amount/).fill('12.34');
    await dialog.getByLabel('Reason').fill('a lost night');
    await dialog.getByText(/^This gives \$12\.34 of credit to Demo \(demo\)\./).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Give $12.34' }).click();
    await page.getByText(/^Demo was given \$12\.34\. Its balance is \$/).waitFor();
    expect((await findAccount()).entries).toBeGreaterThan(before.entries);
    const owner = await here.call('owner');
    const { data } = await owner.billing.ledgerList({ organization_id: before.organization_id, limit: 50 });
    const grant = data.find(({ reason }) => reason === 'a lost night');
    expect(grant?.amount).toEqual({ amount_minor: '1234', currency: 'USD' });
    expect(await lookAt(here, page, '/ops/accounts', 'Accounts')).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
