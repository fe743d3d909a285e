import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, lookAt, openInstallation, seriousFindings } from './in-browser.ts';

/** What money does to people who launch: quotes, caps, budgets, billing details, a live balance, and the story of a release. */
let here: Installation;
beforeAll(async () => {
  here = await openInstallation(['--bare']);
}, 240_000);
afterAll(() => here?.close(), 60_000);

const setPolicy = async (policy_key: string, value: number | boolean) => {
  const operator = await here.call('operator');
  await operator.adminPolicies.set({ policy_key, level: 'global', value, reason: 'a test of money' });
};
const shape = '/launch?sku=h200-sxm-slice&gpus=1';

describe('the launch page', () => {
  it('says the locked price, hold, balance and runway; a cap ends it, and one that is too low is refused', {
    timeout: 240_000,
  }, async () => {
    await setPolicy('billing.enforce_balance', true);
    const { context, page, complaints } = await here.enter('owner');
    await page.goto(here.base + shape);
    const summary = page.getByRole('complementary', { name: 'Summary' });
    await summary.getByText('$4.50 per hour, from when the host has verified the GPUs.').waitFor();
    await summary
      .getByText(/^The launch holds \$4\.50 of the balance of \$[\d,]+\.\d\d, until usage is charged\.$/)
      .waitFor();
    await summary.getByText(/^With it, what you have lasts \d+ d/).waitFor();
    await summary.getByText(/^This price is yours for [89]:\d\d\.$/).waitFor();
    expect(await lookAt(here, page, shape, 'Launch')).toEqual([]);
    await page.getByLabel('Spend at most (USD)').fill('nine');
    await page.getByText('Write a number, as 4.50').waitFor();
    expect(await summary.getByRole('button', { name: /^Launch/ }).isDisabled()).toBe(true);
    await page.getByLabel('Spend at most (USD)').fill('9');
    await summary.getByText('It is released after 2 h, before it costs more than you allow: at most $9.00.').waitFor();
    await page.getByLabel('Spend at most (USD)').fill('0.01');
    await summary.getByRole('alert').getByText('Invalid input').waitFor();
    await page.getByLabel('Spend at most (USD)').fill('9');
    await summary.getByText('at most $9.00').waitFor();
    // The launch is made at the quoted price, by keyboard.
    const sent = page.waitForRequest((request) => request.method() === 'POST' && /\/allocations$/.test(request.url()));
    await page.getByLabel('Name').focus();
    await page.keyboard.press('Control+Enter');
    const body = (await sent).postDataJSON() as Record<string, unknown>;
    expect(body).toMatchObject({ max_spend: { amount_minor: '900', currency: 'USD' }, quote_id: expect.any(String) });
    await page.waitForURL(/\/allocations\/[0-9a-f-]{36}$/);
    const id = page.url().replace(/.*\//, '');
    const owner = await here.call('owner');
    const { default_project_id } = await owner.me.get();
    const project = { project: default_project_id ?? '' };
    expect(await owner.allocations.get({ allocation_id: id }, project)).toMatchObject({
      ...{ price: { per_hour: { amount_minor: '450' } }, max_duration_seconds: 7_200 },
    });
    await owner.allocations.release({ allocation_id: id }, project);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('leads from a launch that the balance does not cover to the top-up, and says whom to ask where one may not pay', {
    timeout: 240_000,
  }, async () => {
    await setPolicy('billing.enforce_balance', true);
    await setPolicy('billing.minimum_runway_minutes', 43_200);
    try {
      const owner = await here.enter('owner');
      await owner.page.goto(here.base + shape);
      const summary = owner.page.getByRole('complementary', { name: 'Summary' });
      await summary.getByRole('link', { name: 'Top up' }).waitFor();
      expect(await summary.getByRole('button', { name: /^Launch/ }).isDisabled()).toBe(true);
      expect(await seriousFindings(owner.page)).toEqual([]);
      await summary.getByRole('link', { name: 'Top up' }).click();
      await owner.page.getByRole('dialog', { name: 'Top up' }).waitFor();
      await owner.context.close();
      const member = await here.enter('member');
      await member.page.goto(here.base + shape);
      await member.page.getByText(/^Ask an owner, an administrator or finance/).waitFor();
      expect(await member.page.getByRole('link', { name: 'Top up' }).count()).toBe(0);
      await member.context.close();
    } finally {
      await setPolicy('billing.minimum_runway_minutes', 60);
    }
  });
});

describe('the billing page', () => {
  it('makes, changes and removes a budget, whose hard threshold the launch page knows', {
    timeout: 240_000,
  }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    await page.goto(`${here.base}/billing`);
    const budgets = page.getByRole('region', { name: 'Budgets' });
    await budgets.getByText('There are no budgets').waitFor();
    await budgets.getByRole('button', { name: 'New budget' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Playground in a month');
    await dialog.getByLabel('For').selectOption('project');
    await dialog.getByLabel('Project').selectOption({ label: 'Playground' });
    await dialog.getByLabel('Warn at (USD)').fill('2');
    await dialog.getByLabel('Refuse launches at (USD)').fill('1');
    await dialog.getByText('The warning has to come before launches are refused').waitFor();
    await dialog.getByLabel('Warn at (USD)').fill('1');
    await dialog.getByLabel('Refuse launches at (USD)').fill('3');
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByLabel('Refuse launches at (USD)').press('Enter');
    await budgets.getByText('Project Playground · warns at $1.00, refuses launches at $3.00').waitFor();
    expect(await lookAt(here, page, '/billing', 'Billing')).toEqual([]);

    await page.goto(here.base + shape);
    const summary = page.getByRole('complementary', { name: 'Summary' });
    await summary.getByText(/more than the budget allows\.$/).waitFor();
    expect(await summary.getByRole('button', { name: /^Launch/ }).isDisabled()).toBe(true);
    await summary.getByRole('link', { name: 'See the budgets' }).click();

    await budgets.getByRole('button', { name: 'Edit the budget Playground in a month' }).click();
    await dialog.getByLabel('Refuse launches at (USD)').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await budgets.getByText('Project Playground · warns at $1.00', { exact: true }).waitFor();
    await budgets.getByRole('button', { name: 'Remove the budget Playground in a month' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await budgets.getByText('There are no budgets').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('keeps the billing details that documents have', { timeout: 180_000 }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    await page.goto(`${here.base}/billing`);
    const details = page.getByRole('region', { name: 'Billing details' });
    await details.getByRole('button', { name: 'Enter the billing details' }).click();
    const dialog = page.getByRole('dialog', { name: 'Billing details' });
    await dialog.getByLabel('Legal name').fill('Example Lab GmbH');
    await dialog.getByLabel('Street and number').fill('Beispielweg 1');
    await dialog.getByLabel('City').fill('Bonn');
    await dialog.getByLabel('Country').fill('de');
    await dialog.getByText('Germany').waitFor();
    await dialog.getByLabel('Tax id').fill('?');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Write the tax id as the tax office does').waitFor();
    await dialog.getByLabel('Tax id').fill('de123456788');
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await details.getByText('Beispielweg 1, Bonn, Germany').waitFor();
    await details.getByText('DE123456788').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('the top bar', () => {
  it('shows the balance, and a payment wakes every open page', { timeout: 240_000 }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    const mark = page.getByRole('banner').getByRole('link', { name: /^Billing: / });
    const before = await mark.textContent();
    expect(before).toMatch(/^\$[\d,]+\.\d\d/);
    await page.getByText('Live', { exact: true }).first().waitFor();
    const other = await context.newPage();
    await other.goto(`${here.base}/billing?pay=now`);
    const dialog = other.getByRole('dialog', { name: 'Top up' });
    await dialog.getByLabel('Amount (USD)').fill('25');
    await dialog.getByRole('button', { name: /^Pay / }).click();
    await other.getByRole('button', { name: /^Pay / }).click();
    await other.getByText('$25.00 was added to the balance.').waitFor();
    // Between two events the page asks every two minutes: this comes from the stream.
    await expect.poll(() => mark.textContent(), { timeout: 30_000 }).not.toBe(before);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('after a release for lack of money', () => {
  it('tells what happened and what it had cost, with a way to the lines, until it is put away', {
    timeout: 180_000,
  }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    const id = '01960000-0000-7000-8000-000000000001';
    const cost = { amount_minor: '5420', currency: 'USD' };
    const to = '2026-03-01T12:00:00.000Z';
    await page.route('**/billing/last-release', (route) =>
      route.fulfill({
        json: {
          organization_id: id,
          release: {
            ...{ from: to, to, count: 1, cost },
            allocations: [
              {
                ...{ id, name: 'Training run', project_id: id, project_name: 'Playground', sku: 'h200-sxm-slice' },
                ...{ gpu_count: 2, released_at: to, cost },
              },
            ],
          },
        },
      }),
    );
    await page.goto(here.base);
    const story = page.getByRole('region', { name: 'What was released' });
    await story.getByText(/^The balance was used up, so 1 allocation was released at /).waitFor();
    await story.getByText('It had cost $54.20 from beginning to end. Nothing is charged after a release.').waitFor();
    expect(await lookAt(here, page, '/', 'Playground')).toEqual([]);
    await story.getByRole('link', { name: 'See the lines' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
    await page.goto(here.base);
    await story.getByRole('button', { name: 'Put away' }).click();
    await story.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    expect(await story.count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
