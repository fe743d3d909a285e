import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, lookAt, openInstallation, seriousFindings } from './in-browser.ts';

/** Saved cards and automatic top-ups, as those who pay see them. */
let here: Installation;
beforeAll(async () => {
  here = await openInstallation(['--bare']);
}, 240_000);
afterAll(() => here?.close(), 60_000);

describe('a saved card', () => {
  it('is entered on the page of the provider, tops up automatically, and is removed', {
    timeout: 240_000,
  }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    await page.goto(`${here.base}/billing`);
    const panel = page.getByRole('region', { name: 'Cards and automatic top-up' });
    await panel.getByText('No card is saved').waitFor();
    await panel.getByRole('button', { name: 'Add a card' }).click();
    await page.getByRole('button', { name: 'Save the card' }).click();
    await page.waitForURL(/\/billing\?card=/);
    await panel.getByText('Simulated ending in 4242').waitFor();
    await panel.getByText('The balance is not topped up automatically.').waitFor();
    await panel.getByRole('button', { name: 'Top up automatically' }).click();
    const dialog = page.getByRole('dialog', { name: 'Top up automatically' });
    await dialog.getByLabel('When the balance is at most (USD)').fill('10');
    await dialog.getByLabel('Add (USD)').fill('ten');
    await dialog.getByText('Write a number, as 4.50').waitFor();
    await dialog.getByLabel('Add (USD)').fill('20');
    await dialog.getByLabel('In one month at most (USD)').fill('40');
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await panel
      .getByText(/^When the balance is at most \$10\.00, \$20\.00 is added: at most \$40\.00 in a month/)
      .waitFor();
    expect(await lookAt(here, page, '/billing', 'Billing')).toEqual([]);
    await panel.getByRole('button', { name: 'Turn off' }).click();
    await panel.getByText('The balance is not topped up automatically.').waitFor();
    await panel.getByRole('button', { name: 'Remove Simulated ending in 4242' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await panel.getByText('No card is saved').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});
