import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, openInstallation } from './in-browser.ts';

/** Each role of the demo begins on a page of its own, and nothing that it is offered is refused. */
let here: Installation;
beforeAll(async () => {
  here = await openInstallation(['--bare']);
}, 240_000);
afterAll(() => here?.close(), 60_000);

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Main' }).locator('ul a');
const settle = async (page: Page) => {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('[role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' });
};

/** Where each person lands, and some of what the menu has and has not. */
const people: readonly (readonly [login: string, home: string, has: readonly string[], lacks: readonly string[]])[] = [
  ['owner', 'Playground', ['Home', 'Launch', 'Team', 'Billing'], ['Wall', 'Tenants', 'Accounts']],
  ['admin', 'Playground', ['Home', 'Launch', 'Team'], ['Wall']],
  ['member', 'Playground', ['Home', 'Launch', 'Billing'], ['Wall']],
  ['viewer', 'Playground', ['Home', 'Allocations', 'Activity'], ['Launch', 'Wall']],
  ['operator', 'Fleet', ['Wall', 'Policies', 'Simulator', 'Personal tokens'], ['Launch', 'Home', 'Team']],
  ['support', 'Fleet', ['Wall', 'Tenants', 'Audit'], ['Policies', 'Simulator', 'Launch']],
  ['finance', 'Accounts', ['Accounts', 'Tenants', 'Sign-in sessions'], ['Wall', 'Launch', 'Team', 'Nodes']],
];

describe('each role', () => {
  it.each(people)('%s begins at %s, and every entry of the menu works', { timeout: 300_000 }, async (...given) => {
    const [login, home, has, lacks] = given;
    const { context, page, complaints } = await here.enter(login);
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`);
    });
    await page.goto(here.base);
    await page.getByRole('heading', { level: 1, name: home }).waitFor();
    const labels = await menuOf(page).allInnerTexts();
    expect(labels).toEqual(expect.arrayContaining([...has]));
    expect(labels.filter((label) => lacks.includes(label))).toEqual([]);
    for (const label of labels) {
      await menuOf(page).filter({ hasText: label }).first().click();
      await settle(page);
      expect([label, await page.getByRole('alert').allInnerTexts()]).toEqual([label, []]);
      expect([label, await page.getByText('Your role does not include this page').count()]).toEqual([label, 0]);
    }
    expect(refused).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('support is offered no button to change a node, a GPU or a SKU', { timeout: 180_000 }, async () => {
    const { context, page } = await here.enter('support');
    await page.goto(`${here.base}/ops/nodes`);
    await page.getByRole('link', { name: 'local-slice-1' }).click();
    await page.getByRole('heading', { level: 1, name: 'local-slice-1' }).waitFor();
    const buttons = async () => (await page.getByRole('main').getByRole('button').allInnerTexts()).join(' ');
    expect(await buttons()).not.toMatch(/Cordon|Drain|Quarantine|Retire|Probe|Refresh/);
    await page.getByRole('button', { name: /^GPU 0/ }).click();
    await page.getByRole('dialog', { name: 'GPU 0' }).waitFor();
    expect(await page.getByRole('dialog').getByRole('button').allInnerTexts()).not.toContain('Quarantine');
    await page.goto(`${here.base}/ops/skus`);
    await page
      .getByRole('button', { name: /^Prices of/ })
      .first()
      .waitFor();
    expect(await buttons()).not.toMatch(/New SKU|Edit|Retire/);
    await context.close();
  });

  it('is told when a page is not for it, with a way home', { timeout: 120_000 }, async () => {
    const { context, page } = await here.enter('member');
    for (const path of ['/ops', '/ops/enrol', '/ops/people']) {
      await page.goto(here.base + path);
      await page.getByText('Your role does not include this page').waitFor();
    }
    await page.getByRole('link', { name: 'Go home' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await context.close();
  });
});
