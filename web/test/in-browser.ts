import { openGpuaas } from '@gpuaas/sdk';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { freePort } from '../../server/test/chaos/children.ts';
import { endAll, type Started, start } from '../../server/test/journeys/npm-start.ts';
import { signIn } from '../../server/test/journeys/sign-in.ts';

/** As long as anything may take on a busy machine. */
const slowMs = 45_000;

/** Somebody before a page. `complaints` hears what the page says that it should not. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[];
}
/** Everything that `npm start` starts, and a real browser in front of it. */
export interface Installation {
  readonly base: string;
  readonly started: Started;
  enter(login: string): Promise<Visit>;
  /** The same person without a browser. */
  call(login: string): Promise<ReturnType<typeof openGpuaas>>;
  close(): Promise<void>;
}

export async function openInstallation(args: readonly string[] = []): Promise<Installation> {
  const started = await start(['--ephemeral', '--bare', '--port', String(await freePort()), ...args]);
  const base = started.fact('URL');
  const [password = ''] = started.fact('Password').split(' ');
  // Whoever signs in again and again is held up, so everybody signs in once and is remembered.
  const tokens = new Map<string, Promise<string>>();
  const call = async (login: string) => {
    const token = tokens.get(login) ?? signIn(base, { login, password }).then(({ access_token }) => access_token);
    tokens.set(login, token);
    return openGpuaas({ baseUrl: base, token: await token });
  };
  const cookies = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>();
  const operator = await call('operator');
  // A test turns pages faster than any person: without this it would wait out the budgets that people have.
  for (const lane of ['api', 'admin_overview'] as const) {
    await operator.adminPolicies.set({
      policy_key: `rate_limit.${lane}_requests_per_minute`,
      level: 'global',
      value: 100_000,
      reason: 'A test turns pages faster than any person.',
    });
  }
  const browser: Browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  return {
    base,
    started,
    call,
    async enter(login) {
      const known = cookies.get(login);
      const context = await browser.newContext({
        viewport: { width: 1_440, height: 900 },
        ...(known && { storageState: known }),
      });
      const page = await context.newPage();
      page.setDefaultTimeout(slowMs);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('dialog', (dialog) => complaints.push(`a dialog: ${dialog.message()}`));
      page.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) complaints.push(message.text());
      });
      await page.goto(known ? base : `${base}/auth/login`);
      if (!known) {
        await page.locator('input:not([type=hidden]):not([type=password])').first().fill(login);
        await page.locator('input[type=password]').fill(password);
        await page.locator('button[type=submit]').first().click();
      }
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      cookies.set(login, await context.storageState());
      return { context, page, complaints };
    },
    async close() {
      await browser.close();
      await started.kill('SIGTERM');
      await endAll();
    },
  };
}

/** What a checker of accessibility finds that keeps people out. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })`,
  )) as axe.AxeResults;
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}
