import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, lookAt, openInstallation, seriousFindings } from './in-browser.ts';

/** The pages of finance, which has money and no workloads. */
let here: Installation;
beforeAll(async () => {
  here = await openInstallation(['--bare']);
}, 240_000);
afterAll(() => here?.close(), 60_000);

describe('finance', () => {
  it('asks for a correction, which waits for a second person above the limit, and can withdraw it', {
    timeout: 240_000,
  }, async () => {
    const finance = await here.call('finance');
    const { data } = await finance.adminBilling.accountList({ q: 'demo' });
    const organization_id = data[0]?.organization_id ?? '';
    const owner = await here.call('owner');
    const lines = await owner.billing.ledgerList({ organization_id, limit: 50 });
    const line = lines.data.find(({ kind }) => kind === 'grant')?.id ?? '';
    const { context, page, complaints } = await here.enter('finance');
    await page.goto(`${here.base}/ops/accounts?q=demo&state=healthy`);
    await page.getByRole('button', { name: 'Correct the ledger of Demo (demo)' }).click();
    const dialog = page.getByRole('dialog', { name: 'Correct the ledger of Demo' });
    await dialog.getByLabel('Direction').selectOption('take');
    await dialog.getByLabel('Amount (USD)').fill('150');
    await dialog.getByLabel('Line').fill('not a line');
    await dialog.getByText('This is not the id of a line.').waitFor();
    await dialog.getByLabel('Line').fill(line);
    await dialog.getByLabel('Reason').fill('too much credit');
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Enter −$150.00' }).click();
    await page.getByText('The correction of −$150.00 waits for a second person, under Adjustments.').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Adjustments' }).click();
    await page.getByText('too much credit').waitFor();
    // One person does not ask and approve.
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Withdraw −$150.00 of Demo' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('asked by mistake');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await page.getByText('asked by mistake').waitFor();
    // The ledger of the account has the line, and a button that fills the form with it.
    await page.goto(`${here.base}/ops/accounts?q=demo`);
    await page.getByRole('link', { name: 'Demo', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Ledger of Demo' }).waitFor();
    await page
      .getByRole('button', { name: /^Correct / })
      .first()
      .click();
    expect(await dialog.getByLabel('Line').inputValue()).toMatch(/^[0-9a-f-]{36}$/);
    await page.keyboard.press('Escape');
    expect(await lookAt(here, page, `/ops/accounts/${organization_id}`, 'Ledger of Demo')).toEqual([]);
    for (const [path, heading] of [
      ['/ops/adjustments', 'Adjustments'],
      ['/ops/invoices', 'Invoices'],
      ['/ops/reconciliation', 'Reconciliation'],
      ['/ops/accounts', 'Accounts'],
    ] as const) {
      expect(await lookAt(here, page, path, heading)).toEqual([]);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('sees no workloads, and support sees no cards, payments or accounts', { timeout: 180_000 }, async () => {
    for (const [login, paths] of [
      ['finance', ['/ops', '/ops/nodes', '/ops/allocations', '/ops/queue']],
      ['support', ['/ops/accounts', '/ops/payments', '/ops/adjustments', '/ops/invoices', '/ops/reconciliation']],
    ] as const) {
      const { context, page } = await here.enter(login);
      for (const path of paths) {
        await page.goto(here.base + path);
        await page.getByText('Your role does not include this page').waitFor();
      }
      await context.close();
    }
    const support = await here.call('support');
    const finance = await here.call('finance');
    const { data } = await finance.adminBilling.accountList({ q: 'demo' });
    const organization_id = data[0]?.organization_id ?? '';
    await expect(support.payments.methodList({ organization_id })).rejects.toMatchObject({ status: 404 });
    await expect(finance.payments.methodList({ organization_id })).rejects.toMatchObject({ status: 404 });
    await expect(finance.adminAllocations.list({ limit: 1 })).rejects.toMatchObject({ status: 403 });
  });
});
