import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Installation, lookAt, openInstallation } from './in-browser.ts';

/** Operators and people: names, roles, disabling and erasing; and what the pages say of machines that do not exist. */
let here: Installation;
let made: { readonly allocation: string; readonly group: string; readonly node: string };
beforeAll(async () => {
  here = await openInstallation(['--bare', '--host-speed', '500']);
  const member = await here.call('member');
  const organization_id = (await member.me.get()).organizations.find(({ slug }) => slug === 'demo')?.id ?? '';
  const project = (await member.projects.list({ organization_id })).data[0]?.id ?? '';
  const wish = { sku: 'h200-sxm-slice', gpus: 1, region: 'local', name: 'pretended' };
  const { id } = await member.allocations.create(wish, { project });
  const group = await member.allocationGroups.create({ name: 'pretended-pair', members: [wish] }, { project });
  await vi.waitFor(
    async () => {
      const { state } = await member.allocations.get({ allocation_id: id }, { project });
      expect(state).toBe('active');
    },
    { timeout: 120_000, interval: 500 },
  );
  const shown = await (await here.call('operator')).adminAllocations.list({});
  const node = shown.data.find((each) => each.id === id)?.node_id ?? '';
  made = { allocation: id, group: group.id, node };
}, 300_000);
afterAll(() => here?.close(), 60_000);

const open = async (page: Page, path: string) => {
  await page.goto(here.base + path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
};
const confirm = async (page: Page, verb: string) => {
  await page.getByRole('dialog').getByLabel('Reason').fill('a browser test');
  await page.getByRole('dialog').getByRole('button', { name: verb }).click();
};
const openPerson = async (page: Page, name: string) => {
  await open(page, '/ops/people');
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
};

describe('an operator', () => {
  it('sees names beside ids: members, audit, allocations', { timeout: 180_000 }, async () => {
    const { context, page, complaints } = await here.enter('operator');
    await open(page, '/ops/tenants');
    await page.getByRole('link', { name: 'Demo', exact: true }).click();
    for (const name of ['Olivia Owner', 'Mara Member']) await page.getByRole('link', { name }).waitFor();
    await open(page, '/ops/allocations');
    const row = page.getByRole('row').filter({ hasText: 'pretended' }).first();
    await row.getByRole('link', { name: 'Mara Member' }).waitFor();
    await open(page, '/ops/audit?action=allocation.create');
    await page.getByText('Mara Member').first().waitFor();
    const findings = [
      ...(await lookAt(here, page, '/ops/allocations', 'All allocations')),
      ...(await lookAt(here, page, '/ops/audit', 'Audit')),
    ];
    expect(findings).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('who may not see people sees ids, and asks for no names', { timeout: 120_000 }, async () => {
    const { context, page } = await here.enter('finance');
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await open(page, '/ops/tenants');
    await page.getByRole('link', { name: 'Demo', exact: true }).click();
    await page.getByText('owner', { exact: true }).first().waitFor();
    expect(await page.getByText('Olivia Owner').count()).toBe(0);
    expect(asked.filter((url) => url.includes('/admin/users'))).toEqual([]);
    await context.close();
  });

  it('grants a platform role with a reason, and revokes it', { timeout: 180_000 }, async () => {
    const { context, page, complaints } = await here.enter('operator');
    await openPerson(page, 'Adam Admin');
    await page.getByRole('button', { name: 'Grant support' }).click();
    await confirm(page, 'Grant');
    await page.getByRole('button', { name: 'Revoke support' }).waitFor();
    await open(page, '/ops/people');
    await page.getByRole('row').filter({ hasText: 'Adam Admin' }).getByText('support').waitFor();
    await openPerson(page, 'Adam Admin');
    await page.getByRole('button', { name: 'Revoke support' }).click();
    await confirm(page, 'Revoke');
    await page.getByRole('button', { name: 'Grant support' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('cannot take the last superadmin away, and reads what to do first', { timeout: 120_000 }, async () => {
    const { context, page } = await here.enter('operator');
    await openPerson(page, 'Otto Operator');
    await page.getByRole('button', { name: 'Revoke superadmin' }).click();
    await confirm(page, 'Revoke');
    await page.getByRole('dialog').getByText('make another person a superadmin first').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Revoke superadmin' }).waitFor();
    await context.close();
  });

  it('disables a person, who is signed out and kept out, and enables them again', { timeout: 180_000 }, async () => {
    const { context, page } = await here.enter('operator');
    const theirs = await here.enter('viewer');
    await openPerson(page, 'Vera Viewer');
    await page.getByRole('button', { name: 'Disable' }).click();
    await confirm(page, 'Disable');
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await theirs.page.goto(`${here.base}/allocations`);
    await theirs.page.getByLabel('Password').waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await confirm(page, 'Enable');
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await theirs.context.close();
    await context.close();
  });

  it('erases a person, whose name is gone from the pages', { timeout: 180_000 }, async () => {
    const { context, page, complaints } = await here.enter('operator');
    await openPerson(page, 'Vera Viewer');
    await page.getByRole('button', { name: 'Erase' }).click();
    await confirm(page, 'Erase');
    await page.getByText('erased').first().waitFor();
    await page.getByRole('heading', { level: 1, name: 'Vera Viewer' }).waitFor({ state: 'detached' });
    await open(page, '/ops/people');
    await page.getByRole('link', { name: 'Olivia Owner' }).waitFor();
    expect(await page.getByText('Vera Viewer').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('a simulated machine', () => {
  it('is called simulated on every page that shows it', { timeout: 300_000 }, async () => {
    for (const [login, paths] of [
      [
        'member',
        [
          ...['/', '/allocations', `/allocations/${made.allocation}`, `/groups/${made.group}`],
          ...['/activity', '/notifications'],
        ],
      ],
      [
        'operator',
        ['/ops/allocations', `/ops/allocations/${made.allocation}`, '/ops/nodes', `/ops/nodes/${made.node}`],
      ],
    ] as const) {
      const { context, page } = await here.enter(login);
      for (const path of paths) {
        await open(page, path);
        // The chip has a sign before its word.
        await page
          .getByRole('main')
          .locator('span', { hasText: /^.?simulated$/ })
          .first()
          .waitFor()
          .catch(() => expect.fail(`${path} does not say that the machine is simulated`));
      }
      await context.close();
    }
  });
});
