import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openGpuaas } from '@gpuaas/sdk';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../server/test/chaos/children.ts';
import { endAll, type Started, start } from '../../server/test/journeys/npm-start.ts';
import { signIn } from '../../server/test/journeys/sign-in.ts';

/**
 * The console in a real browser, against everything that `npm start` starts: somebody signs in, adds a key, launches,
 * watches it become ready and gives it back; an operator looks after the fleet. Each page is looked at by a checker of
 * accessibility, wide and narrow, light and dark.
 */
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqXRfZ0nYGkLJwvcEtQhD8aQ0oTIYbnvT3cKpXv3dXw laptop';
/** Markup, a sign that turns the writing around, and a word that does not end. */
const hostileName = `<img src=x onerror=alert(1)> שלום ${'w'.repeat(60)}`;
/** Where to leave pictures of every page, for somebody to look at. */
const sheet = process.env['GPUAAS_CONTACT_SHEET'];
const slowMs = 45_000;

let started: Started;
let browser: Browser;
let base: string;

beforeAll(async () => {
  started = await start(['--ephemeral', '--bare', '--port', String(await freePort())]);
  base = started.fact('URL');
  await loosenBudgets();
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  if (sheet) await mkdir(sheet, { recursive: true });
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await started?.kill('SIGTERM');
  await endAll();
}, 60_000);

/** A test turns pages faster than any person: without this it would wait out the budgets that people have. */
async function loosenBudgets(): Promise<void> {
  const [password = ''] = started.fact('Password').split(' ');
  const { access_token: token } = await signIn(base, { login: 'operator', password });
  const operator = openGpuaas({ baseUrl: base, token });
  for (const lane of ['api', 'admin_overview'] as const) {
    await operator.adminPolicies.set({
      policy_key: `rate_limit.${lane}_requests_per_minute`,
      level: 'global',
      value: 100_000,
      reason: 'A test turns pages faster than any person.',
    });
  }
}

/** A browser of their own for somebody, signed in. `complaints` hears what the page says that it should not. */
async function enter(login: string): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(slowMs);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(`a dialog: ${dialog.message()}`));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text());
  });
  await page.goto(`${base}/auth/login`);
  const [password = ''] = started.fact('Password').split(' ');
  await page.locator('input:not([type=hidden]):not([type=password])').first().fill(login);
  await page.locator('input[type=password]').fill(password);
  await page.locator('button[type=submit]').first().click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return { context, page, complaints };
}

/** What a checker of accessibility finds that keeps people out. */
async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })`,
  )) as axe.AxeResults;
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}

async function lookAt(page: Page, path: string, heading: string): Promise<string[]> {
  const findings: string[] = [];
  for (const [width, theme] of [
    [1_440, 'light'],
    [1_440, 'dark'],
    [360, 'light'],
    ...(sheet ? ([[360, 'dark']] as const) : []),
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(`localStorage.setItem('theme', '${theme}')`);
    await page.goto(base + path);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.locator('[role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' });
    const where = `${path} ${width} ${theme}`;
    findings.push(...(await seriousFindings(page)).map((finding) => `${where}: ${finding}`));
    const over = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
    if (over > 0) findings.push(`${where}: ${over} pixels too wide`);
    if (sheet) {
      const name = `${path.replaceAll(/[^a-z0-9]+/g, '-')}-${width}-${theme}.png`;
      await page.screenshot({ path: join(sheet, name), fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1_440, height: 900 });
  return findings;
}

describe('the console, for somebody who rents', () => {
  it('leads from signing in to a GPU that works, and back to paying nothing', { timeout: 300_000 }, async () => {
    const { context, page, complaints } = await enter('owner');
    await page.getByRole('link', { name: /Add an SSH key/ }).click();
    await page.getByRole('button', { name: 'Add a key' }).first().click();
    await page.getByLabel('Public key').fill(key);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('cell', { name: 'laptop', exact: true }).waitFor();

    await page.getByRole('link', { name: 'Launch' }).first().click();
    await page.getByRole('radio', { name: /GPU VM/ }).check();
    await page.getByText('It would fit now').waitFor();
    await page.getByLabel('Name', { exact: true }).fill(hostileName);
    // Twice, as nervous people do: it is rented once.
    await page.getByRole('button', { name: /^Launch/ }).dblclick();
    await page.waitForURL(/\/allocations\/[0-9a-f-]{36}$/);
    await page.getByRole('heading', { level: 1, name: hostileName }).waitFor();
    // Nobody reloads: the page hears of it.
    await page.getByRole('heading', { name: 'Readiness receipt' }).waitFor();
    expect(await page.getByRole('button', { name: /ssh .*@/ }).count()).toBe(1);

    const place = page.url();
    await page.goto(`${base}/allocations`);
    await page.getByRole('link', { name: hostileName }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await lookAt(page, new URL(place).pathname, hostileName)).toEqual([]);

    await page.goto(place);
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await page.getByText('Given back; the host has proven that nothing is left.').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is found sound on every page, wide and narrow, light and dark', { timeout: 480_000 }, async () => {
    const { context, page, complaints } = await enter('owner');
    const pages: readonly (readonly [string, string])[] = [
      ['/', 'Playground'],
      ['/launch', 'Launch'],
      ['/allocations', 'Allocations'],
      ['/ssh-keys', 'SSH keys'],
      ['/tokens', 'Personal tokens'],
      ['/service-accounts', 'Service accounts'],
      ['/sessions', 'Sign-in sessions'],
      ['/team', 'Team'],
      ['/activity', 'Activity'],
    ];
    const findings: string[] = [];
    for (const [path, heading] of pages) findings.push(...(await lookAt(page, path, heading)));
    expect(findings).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is gone through by keyboard alone', async () => {
    const { context, page } = await enter('owner');
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('heading', { level: 1, name: 'SSH keys' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^A page/ }).fill('team');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
    await page.keyboard.press('c');
    await page.getByText('gpuaas api GET').waitFor();
    await context.close();
  });

  it('says when it is cut off, and catches up by itself', async () => {
    const { context, page } = await enter('owner');
    const live = page.getByRole('banner').getByText('Live', { exact: true });
    await live.waitFor();
    await context.setOffline(true);
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    await context.setOffline(false);
    await live.waitFor();
    await context.close();
  });

  it('sends somebody whose session is over to sign in, and back to the same place', async () => {
    const { context, page } = await enter('member');
    await page.goto(`${base}/allocations?state=active`);
    await page.getByRole('heading', { level: 1, name: 'Allocations' }).waitFor();
    await context.clearCookies();
    await page.goto(`${base}/allocations?state=active`);
    await page.locator('input[type=password]').waitFor();
    const [password = ''] = started.fact('Password').split(' ');
    await page.locator('input:not([type=hidden]):not([type=password])').first().fill('member');
    await page.locator('input[type=password]').fill(password);
    await page.locator('button[type=submit]').first().click();
    await page.waitForURL(`${base}/allocations?state=active`);
    expect(await page.getByLabel('State').inputValue()).toBe('active');
    await context.close();
  });
});

describe('the console, for those who operate the platform', () => {
  it('shows the fleet down to a single GPU, and is sound on every page', { timeout: 480_000 }, async () => {
    const { context, page, complaints } = await enter('operator');
    await page.goto(`${base}/ops`);
    await page.getByRole('link', { name: /local-slice-1/ }).click();
    await page.getByRole('button', { name: /^GPU 0/ }).click();
    await page
      .getByRole('dialog', { name: 'GPU 0' })
      .getByText(/GPU-[0-9a-f]{8}/)
      .waitFor();
    const node = new URL(page.url()).pathname;
    const pages: readonly (readonly [string, string])[] = [
      ['/ops', 'Fleet'],
      ['/ops/nodes', 'Nodes'],
      [node, 'local-slice-1'],
      ['/ops/enrol', 'Enrol a node'],
      ['/ops/allocations', 'All allocations'],
      ['/ops/queue', 'Queue'],
      ['/ops/tenants', 'Tenants'],
      ['/ops/skus', 'SKUs and prices'],
      ['/ops/policies', 'Policies'],
      ['/ops/health', 'Health'],
      ['/ops/events', 'Events'],
      ['/ops/events?box=outbox', 'Events'],
      ['/ops/events?box=dead', 'Events'],
      ['/ops/correlations/nobody-knows', 'What one request led to'],
      ['/ops/audit', 'Audit'],
      ['/ops/simulator', 'Simulator'],
    ];
    const findings: string[] = [];
    for (const [path, heading] of pages) findings.push(...(await lookAt(page, path, heading)));
    expect(findings).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('cordons a node with a reason, and proves that the audit log holds', { timeout: 90_000 }, async () => {
    const { context, page } = await enter('operator');
    await page.goto(`${base}/ops/nodes`);
    await page.getByRole('link', { name: 'local-slice-2' }).click();
    await page.getByRole('button', { name: 'Cordon' }).click();
    await page.getByLabel('Reason').fill('a fan is loud');
    await page.getByRole('dialog').getByRole('button', { name: 'Cordon' }).click();
    await page.getByText('cordoned: a fan is loud').waitFor();
    await page.goto(`${base}/ops/audit`);
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByText(/The chain of the platform holds/).waitFor();
    await context.close();
  });
});
