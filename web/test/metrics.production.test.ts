import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Installation, lookAt, openInstallation } from './in-browser.ts';

/** Measurements of the simulated fleet as those who rent and those who operate see them, in a real browser. */
let here: Installation;
let allocation: string;
let node: { readonly id: string; readonly name: string };
beforeAll(async () => {
  here = await openInstallation(['--bare']);
  const owner = await here.call('owner');
  const [organization] = (await owner.me.get()).organizations.filter(({ slug }) => slug === 'demo');
  const projects = await owner.projects.list({ organization_id: organization?.id ?? '' });
  const project = { project: projects.data[0]?.id ?? '' };
  // The images of the simulated hosts are offered soon after the start.
  const made = await vi.waitFor(
    () => owner.allocations.create({ sku: 'h200-sxm-slice', gpus: 1, name: 'measured', region: 'local' }, project),
    { timeout: 60_000, interval: 1_000 },
  );
  allocation = made.id;
  const state = async () => (await owner.allocations.get({ allocation_id: allocation }, project)).state;
  await vi.waitUntil(async () => (await state()) === 'active', { timeout: 120_000, interval: 500 });
  const operator = await here.call('operator');
  const [first] = (await operator.adminNodes.list({ limit: 200 })).data.filter(({ sku }) => sku === 'h200-sxm-slice');
  node = { id: first?.id ?? '', name: first?.name ?? '' };
}, 300_000);
afterAll(() => here?.close(), 60_000);

const panelOf = (page: Page) => page.getByRole('region', { name: 'Metrics' });
const chartOf = (panel: Locator, label: string) => panel.getByRole('img', { name: new RegExp(`^${label} over time`) });
/** The different places through which the lines of a chart go. */
async function placesIn(panel: Locator, label: string): Promise<number> {
  const lines = await chartOf(panel, label).locator('polyline').all();
  const places = await Promise.all(lines.map(async (line) => ((await line.getAttribute('points')) ?? '').split(' ')));
  return new Set(places.flat()).size;
}
const patient = { timeout: 90_000, interval: 500 };

describe('the Metrics panel of an allocation', () => {
  it('draws what the machine measures, and goes on by itself', { timeout: 300_000 }, async () => {
    const { context, page } = await here.enter('owner');
    await page.goto(`${here.base}/allocations/${allocation}`);
    const panel = panelOf(page);
    await expect.poll(() => placesIn(panel, 'GPU utilization'), patient).toBeGreaterThan(1);
    for (const label of ['GPU memory used', 'Power', 'Temperature']) {
      expect(await placesIn(panel, label), label).toBeGreaterThan(1);
    }
    const before = await panel.getByRole('slider', { name: 'Choose a moment' }).getAttribute('max');
    await expect
      .poll(async () => Number(await panel.getByRole('slider').getAttribute('max')), patient)
      .toBeGreaterThan(Number(before));
    await context.close();
  });

  it('says why there is nothing to draw', { timeout: 120_000 }, async () => {
    const { context, page } = await here.enter('owner');
    const why = 'The machine of this slice reports no measurements.';
    // What the api says of a slice whose machine does not measure itself; the simulated ones all do.
    await page.route(/\/api\/v1\/allocations\/[^/]+\/metrics/, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as object;
      await route.fulfill({ response: answer, json: { ...body, source: 'unavailable', unavailable: why, data: [] } });
    });
    await page.goto(`${here.base}/allocations/${allocation}`);
    await panelOf(page).getByText(why).waitFor();
    expect(await panelOf(page).getByRole('img').count()).toBe(0);
    await panelOf(page).getByLabel('Time that is shown').selectOption('7 days');
    await panelOf(page).getByText('there are none yet').waitFor();
    await context.close();
  });
});

describe('operators', () => {
  it('see the charts of a node, and the wall by temperature', { timeout: 300_000 }, async () => {
    const { context, page, complaints } = await here.enter('operator');
    await page.goto(`${here.base}/ops/nodes/${node.id}`);
    await expect.poll(() => placesIn(panelOf(page), 'Temperature'), patient).toBeGreaterThan(1);
    await panelOf(page)
      .getByText(/Temperature: GPU 0 \d+ °C, GPU 1 \d+ °C/)
      .waitFor();
    const findings = await lookAt(here, page, `/ops/nodes/${node.id}`, node.name);
    await page.goto(`${here.base}/ops`);
    await page.getByLabel('Colour by').selectOption('Temperature');
    await page
      .getByTitle(/: GPU 0 \d+ °C, GPU 1 \d+ °C/)
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get('colour')).toBe('temperature_celsius');
    findings.push(...(await lookAt(here, page, '/ops?colour=temperature_celsius', 'Fleet')));
    await context.close();
    expect(findings).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
