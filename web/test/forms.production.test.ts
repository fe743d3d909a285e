import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, lookAt, openInstallation, seriousFindings } from './in-browser.ts';

/** Forms keep what was typed, show a secret until it is saved, and offer nothing that would be refused. */
let here: Installation;
beforeAll(async () => {
  here = await openInstallation(['--bare']);
}, 240_000);
afterAll(() => here?.close(), 60_000);

describe('a form', () => {
  it('asks before a price of 0', { timeout: 120_000 }, async () => {
    const { context, page } = await here.enter('operator');
    await page.goto(`${here.base}/ops/skus`);
    await page
      .getByRole('button', { name: /^Prices of/ })
      .first()
      .click();
    await page.getByLabel(/^New price/).fill('0');
    const set = page.getByRole('button', { name: 'Set from now on' });
    expect(await set.isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: /price of 0/ }).check();
    expect(await set.isDisabled()).toBe(false);
    await context.close();
  });

  it('makes, renames, archives and restores a project', { timeout: 180_000 }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    expect(await lookAt(here, page, '/projects', 'Projects')).toEqual([]);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New project' }).click();
    await dialog.getByLabel('Name').fill('Vision & Speech');
    expect(await dialog.getByLabel('Slug').inputValue()).toBe('vision-speech');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Rename Vision & Speech' }).click();
    await dialog.getByLabel('Name').fill('Speech');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Archive Speech' }).click();
    await dialog.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Restore Speech' }).click();
    await page.getByRole('button', { name: 'Switch to Speech' }).click();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { level: 1, name: 'Speech' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('sends one request for two clicks, and its button is disabled while it runs', { timeout: 180_000 }, async () => {
    const { context, page } = await here.enter('admin');
    await page.goto(`${here.base}/projects`);
    await page.getByLabel('Organization', { exact: true }).selectOption({ label: 'Demo (demo)' });
    let sent: string[] = [];
    let answer = () => {};
    await page.route('**/api/v1/**', async (route) => {
      if (route.request().method() === 'GET') return route.fallback();
      sent.push(route.request().url().replace(/.*\//, ''));
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return route.fallback();
    });
    /** Two clicks in one turn of the page, before anything is drawn anew; then more of them while the request runs. */
    const twice = async (name: string, inDialog: boolean) => {
      sent = [];
      const button = (inDialog ? page.getByRole('dialog') : page).getByRole('button', { name });
      await button.evaluate((element: { click(): void }) => [element.click(), element.click()]);
      await expect.poll(() => button.isDisabled()).toBe(true);
      await button.dblclick({ force: true });
      await expect.poll(() => sent.length).toBe(1);
      answer();
    };
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Clicked');
    await twice('Create', true);
    await page.getByRole('button', { name: 'Archive Clicked' }).click();
    await twice('Archive', true);
    const restore = page.getByRole('button', { name: 'Restore Clicked' });
    await restore.waitFor();
    await twice('Restore Clicked', false);
    await page.getByRole('button', { name: 'Archive Clicked' }).waitFor();
    expect(sent).toEqual(['restore']);
    await context.close();
  });

  it('makes, renames and deletes an organization', { timeout: 180_000 }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    await page.goto(`${here.base}/projects`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New organization' }).click();
    await dialog.getByLabel('Name').fill('Second Home');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Rename organization' }).click();
    await dialog.getByLabel('Name').fill('Third Home');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    const chosen = page.getByRole('option', { name: 'Third Home (second-home)' });
    await chosen.waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Delete organization' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await chosen.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('lets a viewer see projects and change none', { timeout: 120_000 }, async () => {
    const { context, page } = await here.enter('viewer');
    await page.goto(`${here.base}/projects`);
    await page.getByLabel('Organization', { exact: true }).selectOption({ label: 'Demo (demo)' });
    await page.getByRole('cell', { name: /playground/ }).waitFor();
    expect(await page.getByRole('button', { name: /^(New project|Rename|Archive)/ }).count()).toBe(0);
    await context.close();
  });

  it('offers only lengths that the policy allows, and shows a token until it is saved', {
    timeout: 120_000,
  }, async () => {
    const operator = await here.call('operator');
    await operator.adminPolicies.set({
      policy_key: 'auth.personal_token_max_days',
      level: 'global',
      value: 14,
      reason: 'Tokens are short-lived here.',
    });
    const { context, page } = await here.enter('member');
    await page.goto(`${here.base}/tokens`);
    await page.getByRole('button', { name: 'Create a token' }).first().click();
    expect(await page.getByLabel('Expires after').locator('option').allInnerTexts()).toEqual(['7 days', '14 days']);
    await page.getByLabel('Name').fill('backup server');
    await page.getByRole('button', { name: 'Create token' }).click();
    const secret = page.getByRole('dialog', { name: 'Your token' });
    await secret.waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await secret.getByText(/^gpuaas_/).waitFor();
    await secret.getByRole('button', { name: "I've saved it" }).click();
    await secret.waitFor({ state: 'detached' });
    await context.close();
  });

  it('can be left by the Back button after a wrong password', { timeout: 120_000 }, async () => {
    const { context, page, complaints } = await here.visit();
    await page.goto(`${here.base}/auth/login`);
    const form = page.url();
    const send = async (password: string) => {
      await page.getByLabel('Login').fill('finance');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await send('a wrong password');
    await page.getByRole('alert').getByText('Login or password is wrong').waitFor();
    await page.goto(`${here.base}/docs`);
    // Chromium answers with ERR_CACHE_MISS here if the page before was the answer to a form.
    await page.goBack();
    expect(page.url()).toBe(form);
    await send(here.password);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  // Last: it ends the sign-in that the others use.
  it('that needs a recent sign-in keeps what was typed and goes on by itself', { timeout: 180_000 }, async () => {
    const { context, page, complaints } = await here.enter('operator');
    let refusals = 0;
    await page.route('**/cordon', async (route) => {
      refusals += 1;
      if (refusals > 1) return route.fallback();
      return route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        json: { code: 'step_up_required', message: 'Sign in again.', correlation_id: 'c-1' },
      });
    });
    await page.goto(`${here.base}/ops/nodes`);
    await page.getByRole('link', { name: 'local-slice-2' }).click();
    await page.getByRole('button', { name: 'Cordon' }).click();
    await page.getByLabel('Reason').fill('a fan is loud');
    await page.getByRole('dialog').getByRole('button', { name: 'Cordon' }).click();
    await page.getByText('Confirm your identity to continue').waitFor();
    const opening = context.waitForEvent('page');
    await page.getByRole('button', { name: 'Confirm your identity' }).click();
    const window = await opening;
    await window.locator('input:not([type=hidden]):not([type=password])').first().fill('operator');
    await window.locator('input[type=password]').fill(here.password);
    await window.locator('button[type=submit]').first().click();
    await page.getByText('cordoned: a fan is loud').waitFor();
    expect(refusals).toBe(2);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
