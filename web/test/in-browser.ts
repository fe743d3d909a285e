import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openGpuaas } from '@gpuaas/sdk';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { freePort } from '../../server/test/chaos/children.ts';
import { endAll, type Started, start } from '../../server/test/journeys/support/npm-start.ts';
import { signIn } from '../../server/test/journeys/support/sign-in.ts';

/** As long as anything may take on a busy machine. */
const slowMs = 45_000;

/** What a browser has kept of an earlier visit. */
type Remembered = Awaited<ReturnType<BrowserContext['storageState']>>;

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
  /** The password of every demo person. */
  readonly password: string;
  /** Signed in, at the start or wherever `page` is sent first. */
  enter(login: string): Promise<Visit>;
  /** A browser that nobody has signed in with. */
  visit(): Promise<Visit>;
  /** What somebody types into the page that asks who they are. */
  signIn(page: Page, login: string): Promise<void>;
  /** The same person without a browser. */
  call(login: string): Promise<ReturnType<typeof openGpuaas>>;
  close(): Promise<void>;
}

export async function openInstallation(
  args: readonly string[] = ['--bare'],
  env: Readonly<Record<string, string>> = {},
  /** By what name the browser reaches it. It makes passkeys for localhost, and not for an address. */
  hostName?: string,
): Promise<Installation> {
  const port = String(await freePort());
  const called = hostName && { GPUAAS_PUBLIC_URL: `http://${hostName}:${port}` };
  const started = await start(['--ephemeral', '--port', port, ...args], { env: { ...env, ...called } });
  const base = started.fact('URL');
  const [password = ''] = started.fact('Password').split(' ');
  // Whoever signs in again and again is held up, so everybody signs in once and is remembered.
  const tokens = new Map<string, Promise<string>>();
  const call = async (login: string) => {
    const token = tokens.get(login) ?? signIn(base, { login, password }).then(({ access_token }) => access_token);
    tokens.set(login, token);
    return openGpuaas({ baseUrl: base, token: await token });
  };
  const cookies = new Map<string, Remembered>();
  const operator = await call('operator');
  // A test turns pages faster than any person: without this it would wait out the budgets that people have.
  for (const lane of ['api', 'admin_overview', 'financial', 'financial_read'] as const) {
    await operator.adminPolicies.set({
      policy_key: `rate_limit.${lane}_requests_per_minute`,
      level: 'global',
      value: 100_000,
      reason: 'A test turns pages faster than any person.',
    });
  }
  const browser: Browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const visit = async (known?: Remembered): Promise<Visit> => {
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
    return { context, page, complaints };
  };
  const tellWho = async (page: Page, login: string) => {
    await page.locator('input:not([type=hidden]):not([type=password])').first().fill(login);
    await page.locator('input[type=password]').fill(password);
    await page.locator('button[type=submit]').first().click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  };
  return {
    base,
    started,
    password,
    call,
    visit: () => visit(),
    signIn: tellWho,
    async enter(login) {
      const known = cookies.get(login);
      const entered = await visit(known);
      await entered.page.goto(known ? base : `${base}/auth/login`);
      if (!known) await tellWho(entered.page, login);
      await entered.page.getByRole('navigation', { name: 'Main' }).waitFor();
      cookies.set(login, await entered.context.storageState());
      return entered;
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

/** Where to leave pictures of every page, for somebody to look at. */
// biome-ignore lint/style/noProcessEnv: whoever runs the tests says where
const sheet = process.env['GPUAAS_CONTACT_SHEET'];

/** A page wide and narrow, light and dark: what a checker finds, and what does not fit. */
export async function lookAt(here: Installation, page: Page, path: string, heading: string): Promise<string[]> {
  const findings: string[] = [];
  if (sheet) await mkdir(sheet, { recursive: true });
  for (const [width, theme] of [
    [1_440, 'light'],
    [1_440, 'dark'],
    [360, 'light'],
    ...(sheet ? ([[360, 'dark']] as const) : []),
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(`localStorage.setItem('theme', '${theme}')`);
    await page.goto(here.base + path);
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
