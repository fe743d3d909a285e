import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  adminAllocationForceRelease,
  adminAllocationList,
  adminSkuList,
  adminSkuRetire,
  adminSkuUpdate,
  breakerList,
  breakerReset,
  dlqDiscard,
  dlqList,
  platformHealthGet,
  policySet,
  policySettingList,
  policyUnset,
  simulatorAgentSwitch,
  simulatorFaultClear,
  simulatorFaultSet,
  simulatorNodeList,
  userFactorsReset,
  userGet,
} from '@gpuaas/contract';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerOf, pageOf } from './mock/answers.ts';
import { type MockApi, openMockApi } from './mock/api.ts';

/**
 * Buttons of operator pages that change something and that no journey presses, because their state is rare: in a real browser,
 * in front of an API that is made of the contract. Each test asserts the request that the button sends.
 */
const web = join(import.meta.dirname, '..');
let mock: MockApi;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  const built = spawnSync(process.execPath, [join(web, 'build.ts')], { encoding: 'utf8', timeout: 110_000 });
  expect(built.stderr + built.stdout).toMatch(/built|unchanged/);
  mock = await openMockApi(join(web, 'dist'));
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  page = await (await browser.newContext({ viewport: { width: 1_440, height: 900 } })).newPage();
  page.setDefaultTimeout(30_000);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await mock?.close();
}, 30_000);
beforeEach(() => mock.reset());
afterEach(() => expect(mock.strays).toEqual([]));

const id = '0199f2c4-5b1e-7c3a-9d42-6a7f0e2b8c11';
const reason = 'a test needs it';
const open = (path: string) => page.goto(mock.base + path);
const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click();
/** Gives the reason that the dialog asks for, and confirms. */
async function confirm(verb: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason', exact: true }).fill(reason);
  await dialog.getByRole('button', { name: verb, exact: true }).click();
}
const sent = (route: { readonly id: string }) => mock.writes.filter((write) => write.id === route.id);
const expectSent = (route: { readonly id: string }, write: object) =>
  expect.poll(() => sent(route), { timeout: 15_000 }).toMatchObject([write]);

describe('All allocations', () => {
  it('forces the release of one with a reason', async () => {
    const row = adminAllocationList.response.properties.data.items;
    mock.answer(adminAllocationList, pageOf(answerOf(row, { id, name: 'stuck-one', state: 'release_failed' })));
    await open('/ops/allocations');
    await press(/^Force release of stuck-one/);
    await confirm('Force release');
    await expectSent(adminAllocationForceRelease, { params: { allocation_id: id }, body: { reason } });
  });
});

describe('Health', () => {
  it('resets a breaker with a reason', async () => {
    const row = breakerList.response.properties.data.items;
    mock.answer(breakerList, pageOf(answerOf(row, { id, region: 'local' })));
    await open('/ops/health');
    await press('Reset');
    await confirm('Reset');
    await expectSent(breakerReset, { params: { breaker_id: id }, body: { reason } });
  });

  it('reads everything again on request', async () => {
    await open('/ops/health');
    const again = page.waitForRequest((request) => request.url().endsWith(platformHealthGet.path));
    await press('Refresh');
    await again;
  });
});

describe('Events', () => {
  const row = dlqList.response.properties.data.items;
  const letter = (stream_seq: string) =>
    answerOf(row, {
      stream_seq,
      state: 'open',
      event_type: 'provisioning.active',
      consumer: 'mailer',
      reason: 'no',
    } as never);

  it('discards one dead letter with a reason', async () => {
    mock.answer(dlqList, pageOf(letter('41')));
    await open('/ops/events?box=dead');
    await press('Discard');
    await confirm('Discard');
    await expectSent(dlqDiscard, { params: { stream_seq: '41' }, body: { reason } });
  });

  it('discards all dead letters of one cause', async () => {
    mock.answer(dlqList, pageOf(letter('41'), letter('42')));
    await open('/ops/events?box=dead');
    await press('Discard all');
    await confirm('Discard');
    await expect.poll(() => sent(dlqDiscard).map(({ params }) => params['stream_seq'])).toEqual(['41', '42']);
  });

  it('pauses the live list and resumes it', async () => {
    await open('/ops/events?box=live');
    await press('Pause');
    await page.getByText(/^Paused;/).waitFor();
    await press('Resume');
    await page.getByText('As they happen, newest first.').waitFor();
  });
});

describe('SKUs and prices', () => {
  const row = adminSkuList.response.properties.data.items;

  it('retires a SKU with a reason', async () => {
    mock.answer(adminSkuList, pageOf(answerOf(row, { sku: 'h200-slice', display_name: 'H200 slice', active: true })));
    await open('/ops/skus');
    await press('Retire H200 slice');
    await confirm('Retire');
    await expectSent(adminSkuRetire, { params: { sku: 'h200-slice' }, body: { reason } });
  });

  it('offers a retired SKU again', async () => {
    mock.answer(adminSkuList, pageOf(answerOf(row, { sku: 'h200-slice', display_name: 'H200 slice', active: false })));
    await open('/ops/skus');
    await press(/^Offer H200 slice/);
    await expectSent(adminSkuUpdate, { params: { sku: 'h200-slice' }, body: { active: true } });
  });
});

describe('Policies', () => {
  const { definitions, settings } = policySettingList.response.properties;
  const key = 'allocation.launch_retries';

  it('sets a value, and removes one', async () => {
    mock.answer(policySettingList, {
      definitions: [answerOf(definitions.items, { key, type: 'integer', minimum: 0, maximum: 9, default: 3 } as never)],
      settings: [answerOf(settings.items, { id, key, level: 'global', subject_id: null, value: 2, hard: false })],
    });
    await open('/ops/policies');
    await press(`Change ${key}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('spinbutton', { name: 'Value', exact: true }).fill('1');
    await dialog.getByRole('textbox', { name: 'Reason', exact: true }).fill(reason);
    await dialog.getByRole('button', { name: 'Set', exact: true }).click();
    await expectSent(policySet, { params: { policy_key: key }, body: { value: 1, reason } });
    await page.reload();
    await press(`Change ${key}`);
    await dialog.getByRole('textbox', { name: 'Reason', exact: true }).fill(reason);
    await dialog.getByRole('button', { name: /^Remove the value for/ }).click();
    await expect.poll(() => sent(policyUnset).length).toBe(1);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await dialog.waitFor({ state: 'detached' });
  });
});

describe('a person', () => {
  it('loses the second factors with a reason', async () => {
    mock.answer(userGet, { id, state: 'active' } as never);
    await open(`/ops/people/${id}`);
    await press('Reset second factors');
    await confirm('Reset');
    await expectSent(userFactorsReset, { params: { user_id: id }, body: { reason } });
  });
});

describe('the simulator', () => {
  const row = simulatorNodeList.response.properties.data.items;
  const host = (told: object) =>
    mock.answer(simulatorNodeList, {
      data: [answerOf(row, { node_id: id, name: 'sim-1', gpus_total: 8, running: [], ...told } as never)],
    } as never);

  it('injects a fault and clears it', async () => {
    const fault = row.properties.faults.items;
    host({ agent: 'running', faults: [answerOf(fault, { slot_index: 0 } as never)] });
    await open('/ops/simulator');
    await press('Inject fault');
    await expectSent(simulatorFaultSet, { params: { node_id: id }, body: { fault: 'xid_79', slot_index: 0 } });
    await press('Clear fault');
    await expectSent(simulatorFaultClear, { params: { node_id: id } });
  });

  it.each([
    ['running', 'Stop its agent', 'stopped'],
    ['stopped', 'Start its agent', 'running'],
  ] as const)('with an agent that is %s offers: %s', async (agent, label, state) => {
    host({ agent, faults: [] });
    await open('/ops/simulator');
    await press(label);
    await expectSent(simulatorAgentSwitch, { params: { node_id: id }, body: { state } });
  });
});
