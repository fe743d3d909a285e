import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Installation, lookAt, openInstallation } from './in-browser.ts';

/** Lines of the simulated fleet, from its agents over the node-log-gateway to those who rent and operate, in a real browser. */
let here: Installation;
let allocation: string;
let project: { readonly project: string };
let node: { readonly id: string; readonly name: string };
beforeAll(async () => {
  here = await openInstallation(['--bare']);
  const owner = await here.call('owner');
  const [organization] = (await owner.me.get()).organizations.filter(({ slug }) => slug === 'demo');
  const projects = await owner.projects.list({ organization_id: organization?.id ?? '' });
  project = { project: projects.data[0]?.id ?? '' };
  // The images of the simulated hosts are offered soon after the start.
  const made = await vi.waitFor(
    () => owner.allocations.create({ sku: 'h200-sxm-slice', gpus: 1, name: 'logged', region: 'local' }, project),
    { timeout: 60_000, interval: 1_000 },
  );
  allocation = made.id;
  const operator = await here.call('operator');
  const nodeOf = async () =>
    (await operator.adminAllocations.list({ limit: 200 })).data.find(({ id }) => id === allocation)?.node_id;
  const id = await vi.waitUntil(nodeOf, { timeout: 120_000, interval: 500 });
  node = { id, name: (await operator.adminNodes.get({ node_id: id })).name };
}, 300_000);
afterAll(() => here?.close(), 60_000);

const linesOf = (page: Page, panel: string) => page.getByRole('region', { name: panel }).getByRole('log');
const patient = { timeout: 90_000, interval: 500 };

describe('the Console log of an allocation', () => {
  it('shows the boot of its machine, which says that it is simulated, and follows what comes', {
    timeout: 300_000,
  }, async () => {
    const { context, page } = await here.enter('owner');
    await page.goto(`${here.base}/allocations/${allocation}`);
    const panel = page.getByRole('region', { name: 'Console log' });
    await panel.getByLabel('Follow').check({ timeout: 90_000 });
    const lines = linesOf(page, 'Console log');
    await lines.getByText('this machine is simulated').first().waitFor({ timeout: 90_000 });
    await lines.getByText('Reached target multi-user.target').first().waitFor();
    const owner = await here.call('owner');
    await vi.waitFor(() => owner.allocations.restart({ allocation_id: allocation }, project), patient);
    await expect.poll(() => lines.getByText('this machine is simulated').count(), patient).toBe(2);
    await context.close();
  });
});

describe('operators', () => {
  it('see what the agent of a node said, and find a line by its text', { timeout: 300_000 }, async () => {
    const { context, page, complaints } = await here.enter('operator');
    await page.goto(`${here.base}/ops/nodes/${node.id}`);
    const lines = linesOf(page, 'Logs');
    await lines.getByText('"task_type":"slice.vm_provision"').first().waitFor({ timeout: 90_000 });
    await page.getByRole('region', { name: 'Logs' }).getByLabel('Lines with this text').fill('topology');
    await expect.poll(() => lines.getByText('vm_provision').count(), patient).toBe(0);
    await lines.getByText('slice.topology_discover').first().waitFor();
    const findings = await lookAt(here, page, `/ops/nodes/${node.id}`, node.name);
    await context.close();
    expect(findings).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
