import { spawnSync } from 'node:child_process';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import Fastify, { type FastifyInstance } from 'fastify';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountDocs } from '../../server/src/edge/docs/mount.ts';

/** The docs in a real browser, as the api serves them: read, searched, copied from, wide and narrow, light and dark. */
const web = join(import.meta.dirname, '..');
const built = join(web, 'dist-docs');
/** Where to leave pictures, for somebody to look at. */
const sheet = process.env['GPUAAS_CONTACT_SHEET'];

let app: FastifyInstance;
let browser: Browser;
let page: Page;
let base: string;
const complaints: string[] = [];

beforeAll(async () => {
  const made = spawnSync(process.execPath, [join(web, 'docs/build.ts')], { encoding: 'utf8', timeout: 110_000 });
  expect(made.stderr + made.stdout).toMatch(/built|unchanged/);
  app = Fastify();
  expect(await mountDocs(app, built)).toBe(true);
  base = await app.listen({ host: '127.0.0.1', port: 0 });
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text());
  });
  if (sheet) await mkdir(sheet, { recursive: true });
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

async function findings(path: string, width: number, theme: 'light' | 'dark'): Promise<string[]> {
  await page.setViewportSize({ width, height: 900 });
  await page.goto(`${base}/docs`);
  await page.evaluate(`localStorage.setItem('theme', '${theme}')`);
  await page.goto(base + path);
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })`,
  )) as axe.AxeResults;
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  const over = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  if (sheet) await page.screenshot({ path: join(sheet, `docs${path.replaceAll(/\W+/g, '-')}-${width}-${theme}.png`) });
  return [...serious, ...(over > 0 ? [`${over} pixels too wide`] : [])].map(
    (what) => `${path} ${width} ${theme}: ${what}`,
  );
}

describe('the docs in a browser', () => {
  it.each([
    '/docs',
    '/docs/architecture',
    '/docs/guides/launch',
    '/docs/reference/errors',
    '/docs/api',
    '/docs/api/allocations',
    '/docs/nowhere',
  ])('%s is sound, wide and narrow, light and dark', { timeout: 240_000 }, async (path) => {
    const all = [...(await findings(path, 1_440, 'light')), ...(await findings(path, 360, 'dark'))];
    expect(all).toEqual([]);
  });

  it('are searched by keyboard alone: pages, commands, codes and operations', async () => {
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.goto(`${base}/docs`);
    const ask = async (words: string) => {
      await page.keyboard.press('/');
      await page.getByRole('combobox').fill(words);
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
    };
    await ask('sku_unavailable');
    await page.waitForURL(`${base}/docs/reference/errors#sku_unavailable`);
    await ask('POST allocations extend');
    await page.waitForURL(`${base}/docs/api/allocations#allocation_extend`);
    await ask('first gpu');
    await page.waitForURL(`${base}/docs/tutorials/first-gpu`);
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('zebra crossing');
    await page.getByText('No page has all of these words').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('give code away by a button, without what is around it', async () => {
    await page.goto(`${base}/docs/guides/launch`);
    const block = page.locator('.code').first();
    await block.hover();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('gpuaas sku list');
  });

  it('show an operation in the language that somebody chose, and name this installation', async () => {
    await page.goto(`${base}/docs/api/allocations#allocation_create`);
    const call = page.locator('section.call', { has: page.locator('#allocation_create') });
    await call.getByRole('tab', { name: 'curl' }).click();
    await call.getByText(`${base}/api/v1/allocations`, { exact: false }).first().waitFor();
    await call.getByRole('tab', { name: 'curl' }).press('ArrowRight');
    await page.goto(`${base}/docs/api/projects`);
    expect(await page.getByRole('tab', { selected: true }).first().textContent()).toBe('TypeScript');
  });

  it('change between light and dark, and remember it', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`${base}/docs`);
    await page.evaluate(`localStorage.removeItem('theme')`);
    await page.reload();
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    expect(await theme()).toBe('light');
    await page.getByRole('button', { name: /light and dark/ }).click();
    await page.goto(`${base}/docs/guides/launch`);
    expect(await theme()).toBe('dark');
  });

  it('can be read without any script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
    const plain = await context.newPage();
    await plain.goto(`${base}/docs/guides/launch`);
    await plain.getByRole('heading', { level: 1, name: 'Launch GPUs' }).waitFor();
    await plain.getByText('All pages').click();
    await plain.getByRole('link', { name: 'Join the queue' }).first().click();
    await plain.waitForURL(`${base}/docs/guides/queue`);
    await context.close();
  });

  it('are light: one small script, one small style, and no page that takes long', async () => {
    const assets = await readdir(join(built, 'assets'));
    for (const name of assets) expect((await stat(join(built, 'assets', name))).size, name).toBeLessThan(40_000);
    expect(assets.filter((name) => name.endsWith('.js'))).toHaveLength(1);
  });

  it('say nothing to the console of the browser', () => expect(complaints).toEqual([]));
});
