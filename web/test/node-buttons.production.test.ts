import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, openInstallation, type Visit } from './in-browser.ts';
import { pressNode, pressSlot } from './node-page.ts';

/** Every button on the page of a node and on the dialog of a GPU, clicked in a real browser; the server says what came of it. */
let here: Installation;
let visit: Visit;
let page: Page;
beforeAll(async () => {
  here = await openInstallation(['--bare', '--host-speed', '2000']);
  visit = await here.enter('operator');
  page = visit.page;
}, 240_000);
afterAll(() => here?.close(), 60_000);

const timeout = 120_000;
const nodeNamed = async (name: string) => {
  const operator = await here.call('operator');
  const found = (await operator.adminNodes.list({ limit: 200 })).data.find((node) => node.name === name);
  if (!found) throw new Error(`no node is called ${name}`);
  return found;
};
/** Opens the page of a node, and answers how to ask the server about it. */
async function open(name: string) {
  const { id } = await nodeNamed(name);
  const operator = await here.call('operator');
  await page.goto(`${here.base}/ops/nodes/${id}`);
  await page.getByRole('heading', { level: 1, name }).waitFor();
  const see = () => operator.adminNodes.get({ node_id: id });
  return {
    id,
    see,
    /** Until the node is in this state for the server and on the page. */
    async becomes(state: string) {
      await expect.poll(async () => (await see()).state).toBe(state);
      await page
        .getByRole('main')
        .getByText(new RegExp(`^\\W*${state}$`))
        .first()
        .waitFor();
    },
    slotBecomes: (index: number, state: string) =>
      expect
        .poll(async () => (await see()).resource_slots.find((slot) => slot.slot_index === index)?.state)
        .toBe(state),
  };
}
const offered = (label: string) => page.getByRole('button', { name: label, exact: true });

describe('the page of a node', () => {
  it('cordons a node and uncordons it', { timeout }, async () => {
    const node = await open('local-slice-1');
    await pressNode(page, 'Cordon', 'a cable is loose');
    await page.getByText('cordoned: a cable is loose').waitFor();
    expect(await node.see()).toMatchObject({ schedulable: false, cordon_reason: 'a cable is loose' });
    await pressNode(page, 'Uncordon', 'the cable is fixed');
    await page.getByText('cordoned: a cable is loose').waitFor({ state: 'detached' });
    expect(await node.see()).toMatchObject({ schedulable: true, cordon_reason: null });
  });

  it('quarantines a node, and offers to clear it only after a probe has passed', { timeout }, async () => {
    const node = await open('local-slice-1');
    await pressNode(page, 'Quarantine', 'it reports odd temperatures');
    await node.becomes('quarantined');
    await page.getByText(/^To clear it: Probe it first/).waitFor();
    expect(await offered('Clear').count()).toBe(0);
    await pressNode(page, 'Probe');
    await pressNode(page, 'Clear', 'the probe has passed');
    await node.becomes('active');
  });

  it('retires a node, reimages it, and readmits it after a probe', { timeout }, async () => {
    const node = await open('local-slice-2');
    await pressNode(page, 'Retire', 'it is moved to another rack');
    await node.becomes('retired');

    await pressNode(page, 'Reimage');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^Erases the disks of the host/).waitFor();
    const images = await dialog.getByLabel('Image').locator('option').allTextContents();
    expect(images.length).toBeGreaterThan(1);
    await dialog.getByLabel('Image').selectOption({ index: 1 });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // Chosen again from the beginning: a dialog that was left decides nothing.
    await pressNode(page, 'Reimage');
    expect(await dialog.getByLabel('Image').inputValue()).toBe('');
    await dialog.getByLabel('Image').selectOption({ index: 1 });
    await dialog.getByLabel('Reason').fill('the disks are replaced');
    await dialog.getByRole('button', { name: 'Reimage', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const operator = await here.call('operator');
    await expect
      .poll(async () =>
        (await operator.adminNodes.taskList({ node_id: node.id, limit: 100 })).data
          .filter(({ task_type }) => task_type === 'node.reimage_prepare')
          .map(({ state }) => state),
      )
      .toEqual(['succeeded']);
    expect((await node.see()).state).toBe('retired');

    await pressNode(page, 'Probe');
    await pressNode(page, 'Readmit', 'it is back in its rack');
    await node.becomes('active');
    expect(await node.see()).toMatchObject({ schedulable: false });
  });

  it('removes a retired node for good', { timeout }, async () => {
    const node = await open('local-slice-2');
    await pressNode(page, 'Retire', 'it is sold');
    await node.becomes('retired');
    await pressNode(page, 'Remove', 'it is sold');
    await expect.poll(async () => (await node.see()).state).toBe('deleted');
    expect((await node.see()).certificate?.revoked_at).toBeTruthy();
    await page.goto(`${here.base}/ops/nodes`);
    await page.getByRole('link', { name: 'local-slice-1' }).waitFor();
    expect(await page.getByRole('link', { name: 'local-slice-2' }).count()).toBe(0);
  });
});

describe('the dialog of a GPU', () => {
  it('disables a slot and enables it', { timeout }, async () => {
    const node = await open('local-slice-1');
    await pressSlot(page, 'Disable', 3, 'kept for a test');
    await node.slotBecomes(3, 'disabled');
    await pressSlot(page, 'Enable', 3, 'the test is over');
    await node.slotBecomes(3, 'available');
  });

  it('quarantines a slot, and clears it after a probe has passed', { timeout }, async () => {
    const node = await open('local-slice-1');
    await pressSlot(page, 'Quarantine', 4, 'its memory reports errors');
    await node.slotBecomes(4, 'quarantined');
    await page.getByRole('button', { name: /^GPU 4\b.*quarantined/ }).click();
    await page.getByRole('dialog').getByText('Probe it first', { exact: false }).waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Clear', exact: true }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await probed(4, node.see);
    await pressSlot(page, 'Clear', 4, 'the probe has passed');
    await node.slotBecomes(4, 'available');
  });

  it('sells a slot whose wipe was never proven only by a decision, which it then shows', { timeout }, async () => {
    const node = await open('local-slice-1');
    const index = await leaveUnwiped(node.id);
    await node.slotBecomes(index, 'cleanup_blocked');
    await probed(index, node.see);
    await pressSlot(page, 'Sell without proof', index, 'the disk was destroyed by hand');
    await node.slotBecomes(index, 'available');
    await page.getByRole('button', { name: new RegExp(`^GPU ${index}\\b`) }).click();
    await page
      .getByRole('dialog')
      .getByText(/^the disk was destroyed by hand \(/)
      .waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

/** Probes the node by its button until a slot may be cleared: a probe counts only from the moment on at which the slot was set aside. */
async function probed(index: number, see: Awaited<ReturnType<typeof open>>['see']): Promise<void> {
  await pressNode(page, 'Probe');
  await expect
    .poll(async () =>
      (await see()).resource_slots
        .find((slot) => slot.slot_index === index)
        ?.actions.some(({ action, allowed }) => allowed && action.startsWith('clear')),
    )
    .toBe(true);
  await page.reload();
}

/** An allocation whose disk cannot be wiped, and which an operator settled without proof. Answers the index of its slot. */
async function leaveUnwiped(nodeId: string): Promise<number> {
  const [owner, operator] = [await here.call('owner'), await here.call('operator')];
  const { organizations } = await owner.me.get();
  const organization = organizations.find(({ slug }) => slug === 'demo')?.id ?? '';
  const [{ id: project } = { id: '' }] = (await owner.projects.list({ organization_id: organization })).data;
  const made = await owner.allocations.create({ sku: 'h200-sxm-slice', gpus: 1, region: 'local' }, { project });
  const becomes = (state: string) =>
    expect.poll(async () => (await owner.allocations.get({ allocation_id: made.id }, { project })).state).toBe(state);
  await becomes('active');
  const { resource_slots: slots } = await operator.adminNodes.get({ node_id: nodeId });
  const index = slots.find(({ allocation_id }) => allocation_id === made.id)?.slot_index ?? -1;
  await operator.simulator.faultSet({ node_id: nodeId, fault: 'dirty_disk' });
  await owner.allocations.release({ allocation_id: made.id }, { project });
  await becomes('release_failed');
  await operator.adminAllocations.forceCleanup({
    allocation_id: made.id,
    reason: 'the host cannot prove it',
    runtime_verified_absent: false,
  });
  await operator.simulator.faultClear({ node_id: nodeId, fault: 'dirty_disk' });
  return index;
}
