import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, lookAt, openInstallation, seriousFindings } from './in-browser.ts';

/**
 * The console of an installation with a history and a name of its own: what a newcomer meets in the first minutes, what a
 * failure looks like, and the ways in and out of a team.
 */
let folder: string;
let here: Installation;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-brand-'));
  const logo = join(folder, 'acme.svg');
  await writeFile(logo, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8H0z"/></svg>');
  here = await openInstallation(['--host-speed', '500'], {
    GPUAAS_BRAND_NAME: 'Acme Compute',
    GPUAAS_BRAND_LOGO: logo,
    GPUAAS_BRAND_ACCENT_LIGHT: '#7a1fa2',
    GPUAAS_BRAND_ACCENT_DARK: '#d9a6f0',
    GPUAAS_BRAND_SUPPORT_URL: 'https://acme.example/help',
  });
}, 180_000);
afterAll(async () => {
  await here?.close();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

const open = (page: Page, path: string) => page.goto(here.base + path);
/** History is written while people look around. */
const untilThere = (page: Page, name: string) => page.getByRole('link', { name }).first().waitFor({ timeout: 120_000 });

describe('an installation with a history', () => {
  it('shows what colleagues did, and why a launch failed', { timeout: 240_000 }, async () => {
    const { context, page, complaints } = await here.enter('owner');
    await open(page, '/allocations');
    await untilThere(page, 'nightly-evaluation');
    await open(page, '/allocations?q=first-attempt');
    await page.getByRole('link', { name: 'first-attempt' }).click();
    const panel = page.getByRole('alert');
    await panel.getByText('It never became active.').waitFor();
    await panel.getByText('image_unavailable').waitFor();
    await page.getByRole('list').getByText('Verifying GPUs').first().waitFor();

    expect(complaints).toEqual([]);
    await context.close();
  });

  it('notifies the person who launched it, in the bell and on a page', { timeout: 240_000 }, async () => {
    const { context, page, complaints } = await here.enter('member');
    await open(page, '/');
    await page.getByRole('button', { name: /^Notifications, \d+\+? new$/ }).click();
    const notices = page.getByRole('dialog', { name: 'Notifications' });
    await notices.getByText('"first-attempt" failed').waitFor();
    // The server remembers that they were read: another page does not call them new.
    await page
      .getByRole('button', { name: 'Notifications', exact: true, includeHidden: true })
      .waitFor({ state: 'attached' });
    expect(await seriousFindings(page)).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Notifications', exact: true }).click();
    await notices.getByText('"first-attempt" failed').waitFor();
    await page.getByRole('link', { name: 'All notifications' }).click();
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
    await page.getByText('Time in which it was not active is not charged.').first().waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('has something to see where one looks first, and is sound there', { timeout: 300_000 }, async () => {
    const { context, page } = await here.enter('owner');
    await open(page, '/groups');
    await page.getByRole('link', { name: 'parameter-sweep' }).click();
    await page.getByRole('heading', { level: 1, name: 'parameter-sweep' }).waitFor();
    const findings = await lookAt(here, page, new URL(page.url()).pathname, 'parameter-sweep');
    for (const [path, heading, row] of [
      ['/', 'Playground', /^notebook/],
      ['/allocations', 'Allocations', 'port-to-mi210'],
      ['/activity', 'Activity', 'fine-tuning'],
    ] as const) {
      findings.push(...(await lookAt(here, page, path, heading)));
      await page.getByRole('link', { name: row }).first().waitFor();
    }
    await page.getByText('Adam Admin').first().waitFor();
    expect(findings).toEqual([]);
    await context.close();
  });

  const looks = (page: Page, mark: string) =>
    page.evaluate(`(() => ({
      accent: getComputedStyle(document.documentElement).getPropertyValue('--accent').trim(),
      logo: document.querySelector('${mark}').naturalWidth > 0,
    }))()`);

  it('has the name, the mark and the colour of whoever runs it before anybody has signed in, and in its docs', async () => {
    const { context, page, complaints } = await here.visit();
    for (const path of ['/auth/login', '/docs']) {
      await open(page, path);
      expect(await page.title()).toContain('Acme Compute');
      await page.getByText('Acme Compute', { exact: true }).waitFor();
      expect(await looks(page, '.brand img')).toEqual({ accent: '#7a1fa2', logo: true });
      expect(await seriousFindings(page)).toEqual([]);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('has them in the console', async () => {
    const { context, page } = await here.enter('viewer');
    const nav = page.getByRole('navigation', { name: 'Main' });
    await nav.getByText('Acme Compute').waitFor();
    await page.waitForFunction(`document.title.endsWith('Acme Compute')`);
    expect(await looks(page, 'nav img')).toEqual({ accent: '#7a1fa2', logo: true });
    expect(await nav.getByRole('link', { name: 'Help' }).getAttribute('href')).toBe('https://acme.example/help');
    await context.close();
  });
});

describe('several machines at once', () => {
  it('are asked for, watched and given back as one', { timeout: 180_000 }, async () => {
    const { context, page, complaints } = await here.enter('admin');
    await open(page, '/launch?sku=h200-sxm-slice&gpus=1&machines=2');
    await page.getByLabel('Name', { exact: true }).fill('pair');
    await page.getByText('Capacity available').waitFor();
    await page.getByRole('button', { name: /^Launch/ }).dblclick();
    await page.waitForURL(/\/groups\/[0-9a-f-]{36}$/);
    await page.getByText('2 machines: 2 active').waitFor();
    await page.getByRole('button', { name: 'Release all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release 2 machines' }).click();
    await page.getByText('All machines were released.').waitFor();
    await open(page, '/groups');
    const made = page.getByRole('link', { name: 'pair', exact: true });
    await made.first().waitFor();
    expect(await made.count()).toBe(1);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('an invitation', () => {
  /** The link of a letter. */
  async function invite(email: string): Promise<string> {
    const owner = await here.call('owner');
    const me = await owner.me.get();
    const demo = me.organizations.find(({ slug }) => slug === 'demo')?.id ?? '';
    const { token } = await owner.members.invitationCreate({ organization_id: demo, email, role: 'viewer' });
    return `${here.base}/invitations/accept#${token}`;
  }

  it('leads whoever is signed out through signing in, and works once', { timeout: 120_000 }, async () => {
    const link = await invite('newcomer-1@acme.example');
    const { context, page, complaints } = await here.visit();
    await page.goto(link);
    await page.locator('input[type=password]').waitFor();
    // What stands behind the # is told to nobody on the way.
    expect(page.url()).not.toContain('gpuaas_invite');
    await here.signIn(page, 'support');
    await page.getByText('You are invited to an organization').waitFor();
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('heading', { name: 'Welcome to Demo' }).waitFor();
    expect(page.url()).not.toContain('#');
    await page.getByRole('button', { name: 'Go to Playground' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await open(page, '/');
    await page.goto(link);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('heading', { name: 'This invitation cannot be accepted' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('tells those who belong already, and those whose link is torn', { timeout: 120_000 }, async () => {
    const link = await invite('newcomer-2@acme.example');
    const { context, page } = await here.enter('member');
    await page.goto(link);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('heading', { name: 'You are already a member' }).waitFor();
    await open(page, '/');
    await open(page, '/invitations/accept#gpuaas_inv');
    await page.getByRole('heading', { name: 'The link is not complete' }).waitFor();
    await context.close();
  });
});

describe('somebody who loses their role', () => {
  it('is told, and sees nothing of the project any more', { timeout: 120_000 }, async () => {
    const { context, page } = await here.enter('viewer');
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await page.getByRole('banner').getByText('Live', { exact: true }).waitFor();
    const owner = await here.call('owner');
    const me = await owner.me.get();
    const organization_id = me.organizations.find(({ slug }) => slug === 'demo')?.id ?? '';
    const members = await owner.members.list({ organization_id });
    const user_id = members.data.find(({ display_name }) => display_name === 'Vera Viewer')?.user_id ?? '';
    await owner.members.remove({ organization_id, user_id });
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor({ state: 'detached' });
    await context.close();
  });
});
