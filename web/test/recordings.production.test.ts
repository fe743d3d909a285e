import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Installation, lookAt, openInstallation, seriousFindings } from './in-browser.ts';

/** A shell that policy records, in a real browser; then its recording is found, played, searched, verified and downloaded. */
let here: Installation;
let allocation: string;
beforeAll(async () => {
  here = await openInstallation(['--bare']);
  const owner = await here.call('owner');
  const [organization] = (await owner.me.get()).organizations.filter(({ slug }) => slug === 'demo');
  const operator = await here.call('operator');
  await operator.adminPolicies.set({
    ...{ policy_key: 'terminal.recording', level: 'organization', subject_id: organization?.id ?? '' },
    ...{ value: 'output', reason: 'a test of recordings' },
  });
  const projects = await owner.projects.list({ organization_id: organization?.id ?? '' });
  const project = { project: projects.data[0]?.id ?? '' };
  const made = await owner.allocations.create(
    { sku: 'h200-sxm-slice', gpus: 1, name: 'trainer', region: 'local' },
    project,
  );
  allocation = made.id;
  const state = async () => (await owner.allocations.get({ allocation_id: allocation }, project)).state;
  await vi.waitUntil(async () => (await state()) === 'active', { timeout: 120_000, interval: 500 });
}, 300_000);
afterAll(() => here?.close(), 60_000);

const screenOf = (page: Page) => page.locator('[data-phase]:visible .xterm-rows');

/** What the player of Debian prints. It wants a terminal, which `script` gives it. */
const printedByAsciinema = async (path: string): Promise<string> =>
  (await promisify(execFile)('script', ['-qec', `asciinema cat '${path}'`, '/dev/null'])).stdout;

describe('a recorded terminal', () => {
  it('says that it is recorded, and its recording is played, searched, verified and downloaded', {
    timeout: 480_000,
  }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    await page.goto(`${here.base}/allocations/${allocation}/terminal`);
    await page.locator('[data-phase="live"]:visible').waitFor();
    await page.getByText(/^▲?recorded$/).waitFor();
    await page.locator('.xterm-helper-textarea:visible').first().focus();
    await page.keyboard.type('echo found-$((40+2))-again\n');
    await expect.poll(() => screenOf(page).textContent(), { timeout: 45_000 }).toMatch(/found-42-again/);
    await page.keyboard.type('exit\n');
    await page.getByText('The shell has ended.').first().waitFor();
    await page.goto(`${here.base}/recordings`);
    await page.getByRole('link', { name: /shell 1/ }).click();
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    const replay = page.locator('[data-replay] .xterm-rows');
    await expect.poll(() => replay.textContent(), { timeout: 60_000 }).toMatch(/found-42-again/);
    await page.getByLabel('Search in what was printed').fill('FOUND-42');
    await page
      .getByRole('region', { name: 'Search' })
      .getByRole('button', { name: /found-42-again/ })
      .click();
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByText(/The recording is as it was stored/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download', exact: true }).click(),
    ]);
    expect(await printedByAsciinema(await download.path())).toMatch(/found-42-again/);
    const { pathname } = new URL(page.url());
    expect(await lookAt(here, page, '/recordings', 'Recordings')).toEqual([]);
    expect(await lookAt(here, page, pathname, 'Recording of shell 1')).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
