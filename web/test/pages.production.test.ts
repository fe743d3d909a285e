import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  AllocationDetail,
  Availability,
  adminAllocationList,
  allocationCreate,
  allocationGet,
  billingBalanceGet,
  billingLedgerList,
  CatalogItem,
  CurrentPrice,
  catalogList,
  nodeGet,
  overviewGet,
  projectUsageGet,
  quoteCreate,
  Region,
  type Route,
  regionList,
  sshKeyList,
  terminalSessionList,
} from '@gpuaas/contract';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Static, TSchema } from 'typebox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerOf, pageOf } from './mock/answers.ts';
import { type MockApi, openMockApi } from './mock/api.ts';

/**
 * Pages in a real browser, in front of an API that is made of the contract: while they load, with nothing to show, when the
 * server refuses or fails, and in the good case. No server and no database is started.
 */
const web = join(import.meta.dirname, '..');
let mock: MockApi;
let browser: Browser;
let page: Page;
const complaints: string[] = [];
beforeAll(async () => {
  const built = spawnSync(process.execPath, [join(web, 'build.ts')], { encoding: 'utf8', timeout: 110_000 });
  expect(built.stderr + built.stdout).toMatch(/built|unchanged/);
  mock = await openMockApi(join(web, 'dist'));
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on('pageerror', (error) => complaints.push(error.message));
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await mock?.close();
}, 30_000);
beforeEach(() => mock.reset());
afterEach(() => {
  expect(mock.strays).toEqual([]);
  expect(complaints).toEqual([]);
});

const id = '0199f2c4-5b1e-7c3a-9d42-6a7f0e2b8c11';
const open = (path: string) => page.goto(mock.base + path);
const see = (text: string | RegExp) => page.getByText(text).first().waitFor();
const heading = (name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor();
/** One thing of a list, with what a test says about it. */
const one = <S extends TSchema>(schema: S, told: Partial<Static<S>> = {}) => answerOf(schema, told);
const allocation = (told: Partial<Static<typeof AllocationDetail>> = {}) =>
  one(AllocationDetail, { id, name: 'trainer', state: 'active', ended_at: null, failure: null, queue: null, ...told });

/** What every page does while its first request runs, when it fails, and when its person may not call it. */
const pages: readonly {
  readonly name: string;
  readonly path: string;
  readonly main: Route;
}[] = [
  { name: 'Home', path: '/', main: overviewGet },
  { name: 'Launch', path: '/launch', main: catalogList },
  { name: 'an allocation', path: `/allocations/${id}`, main: allocationGet },
  { name: 'Billing', path: '/billing', main: billingBalanceGet },
  { name: 'a node', path: `/ops/nodes/${id}`, main: nodeGet },
  { name: 'the terminal', path: `/allocations/${id}/terminal`, main: terminalSessionList },
];

describe.each(pages)('the page of $name', ({ path, main }) => {
  it('shows that it loads, and loads on when the server answers', async () => {
    const answer = mock.hold(main);
    await open(path);
    await page
      .getByRole('status', { name: /^Loading/ })
      .first()
      .waitFor();
    answer();
    await page
      .getByRole('status', { name: /^Loading/ })
      .first()
      .waitFor({ state: 'detached' });
  });

  it('says what failed with the id of the request, and recovers when the person tries again', async () => {
    mock.refuse(main, 'internal_error', 'Something failed on our side.');
    await open(path);
    const alert = page.getByRole('alert').first();
    await alert.getByText('Something failed on our side.').waitFor();
    await alert
      .getByText(/mock-correlation|orrelation/)
      .first()
      .waitFor();
    mock.reset();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Something failed on our side.').waitFor({ state: 'detached' });
  });

  it('repeats in plain words that the server refuses', async () => {
    mock.refuse(main, 'insufficient_permissions', 'Your role does not allow this.');
    await open(path);
    await page.getByRole('alert').first().getByText('Your role does not allow this.').waitFor();
  });
});

describe('Home', () => {
  it('without an allocation says how to begin', async () => {
    mock.answer(overviewGet, { current: [] });
    await open('/');
    await heading('Nothing is running');
    await page.getByRole('link', { name: 'Launch a GPU' }).waitFor();
  });

  it('without the right to launch offers no launch', async () => {
    mock.answer(overviewGet, { current: [] });
    mock.forbid(allocationCreate);
    await open('/');
    await heading('Nothing is running');
    expect(await page.getByRole('link', { name: /^Launch/ }).count()).toBe(0);
  });

  it('lists what runs', async () => {
    const [schema] = [overviewGet.response.properties.current.items];
    mock.answer(overviewGet, { current: [one(schema, { name: 'night-run', state: 'active', ended_at: null })] });
    await open('/');
    await page.getByRole('link', { name: /night-run.*active/s }).waitFor();
  });
});

describe('the launch form', () => {
  it('is not offered to a person whose role does not include it', async () => {
    mock.forbid(allocationCreate);
    await open('/launch');
    await heading('Your role does not include this page');
  });

  it('without a SKU says who has to act', async () => {
    mock.answer(catalogList, pageOf());
    await open('/launch');
    await heading('No SKUs available yet');
  });

  it('sends what was chosen, once, in the project of the person', async () => {
    const sizes = [1, 2].map((gpu_count) => one(Availability, { region: 'local', gpu_count, available: 4 }));
    mock.answer(
      catalogList,
      pageOf(
        one(CatalogItem, {
          ...{ display_name: 'NVIDIA H200', allowed_gpu_counts: [1, 2], availability: sizes },
          prices: [one(CurrentPrice)],
        }),
      ),
    );
    mock.answer(regionList, pageOf(one(Region, { slug: 'local' })));
    // The page launches at the price that the server quoted, and only if the balance is enough.
    mock.answer(quoteCreate, { affordable: true, why_not: null, expires_at: '2099-01-01T00:00:00Z' });
    mock.answer(sshKeyList, pageOf());
    await open('/launch');
    await page.getByRole('radio', { name: /NVIDIA H200/ }).waitFor();
    await page.getByLabel('Name').fill('from-the-mock');
    await page.getByRole('button', { name: /^Launch/ }).click();
    await expect
      .poll(() => mock.writes.filter((each) => each.id === allocationCreate.id))
      .toMatchObject([
        {
          project: expect.any(String),
          body: { name: 'from-the-mock', sku: 'h200-sxm-slice', gpus: 1, region: 'local' },
        },
      ]);
  });
});

describe('the page of an allocation', () => {
  it('says that it is not found where it belongs to others', async () => {
    mock.refuse(allocationGet, 'allocation_not_found', 'There is no such object.');
    await open(`/allocations/${id}`);
    await heading('Allocation not found');
  });

  it('of a GPU with a fault says what the host reports and since when, and leads to a new launch', async () => {
    const concern = AllocationDetail.properties.concerns.items;
    mock.answer(
      allocationGet,
      allocation({
        concerns: [
          one(concern, { kind: 'gpu_unhealthy', message: 'A GPU of it has fallen off the bus.', deadline_at: null }),
        ],
      }),
    );
    await open(`/allocations/${id}`);
    await see('A GPU of it has fallen off the bus.');
    await see(/^Since /);
    await page.getByRole('link', { name: 'Launch another machine' }).waitFor();
  });

  it('offers only what the server allows, with its reason where it does not', async () => {
    const action = AllocationDetail.properties.actions.items;
    mock.answer(
      allocationGet,
      allocation({ actions: [one(action, { action: 'release', allowed: true, why_not: null })] }),
    );
    await open(`/allocations/${id}`);
    await page.getByRole('button', { name: 'Release' }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Extend' }).count()).toBe(0);
  });
});

describe('Billing', () => {
  it('of a person who may not see the account shows the usage of the project alone', async () => {
    mock.forbid(billingBalanceGet);
    mock.answer(projectUsageGet, {});
    await open('/billing');
    await heading('Billing');
    expect(await page.getByRole('heading', { name: 'Balance' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Top up' }).count()).toBe(0);
  });

  it('names the allocation that a hold is for', async () => {
    const line = billingLedgerList.response.properties.data.items;
    mock.answer(
      billingLedgerList,
      pageOf(
        one(line, {
          ...{ kind: 'hold', meter: null, allocation_name: 'trainer' },
          ...{ reason: `Hold for allocation ${id}`, windows: null },
        }),
      ),
    );
    await open('/ledger');
    const row = page.getByRole('row', { name: /Set aside/ });
    await row.getByText('trainer').waitFor();
    expect(await row.textContent()).not.toContain(id);
  });
});

describe('the page of a node', () => {
  const action = nodeGet.response.properties.actions.items;
  const offer = (name: Static<typeof action>['action'], allowed: boolean, why_not: string | null = null) =>
    one(action, { action: name, allowed, why_not });

  it('says that there is no such node', async () => {
    mock.refuse(nodeGet, 'node_not_found', 'There is no such object.');
    await open(`/ops/nodes/${id}`);
    await heading('No such node');
  });

  it('offers the actions that the server allows, and no other', async () => {
    mock.answer(nodeGet, {
      name: 'rack-1',
      state: 'quarantined',
      actions: [offer('cordon', false, 'It takes no work already.'), offer('remove', true), offer('probe', true)],
    });
    mock.answer(adminAllocationList, pageOf());
    await open(`/ops/nodes/${id}`);
    await page.getByRole('button', { name: 'Remove', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Probe', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Cordon', exact: true }).count()).toBe(0);
  });

  it('says what an action needs first', async () => {
    mock.answer(nodeGet, { state: 'quarantined', actions: [offer('clear', false, 'Probe it first.')] });
    await open(`/ops/nodes/${id}`);
    await see('To clear it: Probe it first.');
  });
});

describe('the terminal', () => {
  const action = AllocationDetail.properties.actions.items;
  it('says why there is none', async () => {
    const why = 'It is queued: only an active allocation can.';
    mock.answer(
      allocationGet,
      allocation({ actions: [one(action, { action: 'open_terminal', allowed: false, why_not: why })] }),
    );
    await open(`/allocations/${id}/terminal`);
    await heading('No terminal');
    await see(why);
  });

  it('opens one tab, and adds another one', async () => {
    mock.answer(
      allocationGet,
      allocation({ actions: [one(action, { action: 'open_terminal', allowed: true, why_not: null })] }),
    );
    await open(`/allocations/${id}/terminal`);
    await page.getByRole('tab').first().waitFor();
    expect(await page.getByRole('tab').count()).toBe(1);
    await page.getByRole('button', { name: /^New/ }).first().click();
    await expect.poll(() => page.getByRole('tab').count()).toBe(2);
  });
});
