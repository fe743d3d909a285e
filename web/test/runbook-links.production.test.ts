import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  Alert,
  AppInstance,
  adminCorrelationGet,
  alertList,
  appInstanceGet,
  CorrelationMoment,
  HealthFinding,
  platformHealthGet,
  Runbook,
  runbookGet,
  runbookList,
  workflowList,
} from '@gpuaas/contract';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Static, TSchema } from 'typebox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerOf, pageOf } from './mock/answers.ts';
import { type MockApi, openMockApi } from './mock/api.ts';

/** From what an operator sees to the page that says what to do, in a real browser in front of an API that is made of the contract. */
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

const one = <S extends TSchema>(schema: S, told: Partial<Static<S>> = {}) => answerOf(schema, told);
const id = '0199f2c4-5b1e-7c3a-9d42-6a7f0e2b8c11';
/** Where the links called Runbook lead, below a part of the page. */
const linksOf = (part: { getByRole: Page['getByRole'] }) =>
  part.getByRole('link', { name: 'Runbook' }).evaluateAll((links) => links.map((link) => link.getAttribute('href')));

describe('a link to the runbook', () => {
  it('stands beside each finding of the page Health that is not in order, and beside each alert', async () => {
    const finding = (name: string, told: Partial<Static<typeof HealthFinding>>) =>
      one(HealthFinding, { name, section: 'events', ...told });
    mock.answer(platformHealthGet, {
      status: 'bad',
      findings: [
        finding('outbox_age', { status: 'bad', runbook: 'outbox-stalled' }),
        finding('dead_letters', { status: 'ok', runbook: null }),
      ],
    });
    mock.answer(workflowList, { data: [] });
    mock.answer(alertList, pageOf(one(Alert, { id, source: 'presence' })));
    mock.answer(runbookList, { data: [one(Runbook, { id: 'node-lost', signals: ['NodeLost', 'alert:presence'] })] });
    await page.goto(`${mock.base}/ops/health`);
    const events = page.getByRole('region', { name: 'Events' });
    await events.getByText('Outbox age').waitFor();
    expect(await linksOf(events)).toEqual(['/docs/runbooks/outbox-stalled']);
    await expect.poll(() => linksOf(page.getByRole('list', { name: 'Alerts' }))).toEqual(['/docs/runbooks/node-lost']);
  });

  it('stands in the trace of a request beside what went wrong', async () => {
    const moment = (told: Partial<Static<typeof CorrelationMoment>>) => one(CorrelationMoment, { detail: {}, ...told });
    mock.answer(adminCorrelationGet, {
      moments: [
        moment({ source: 'audit', name: 'allocation.create', state: 'success' }),
        moment({ source: 'task', name: 'slice.vm_provision', state: 'expired' }),
      ],
    });
    await page.goto(`${mock.base}/ops/correlations/req-7`);
    await page.getByRole('list', { name: 'The trace, in time order' }).waitFor();
    expect(await linksOf(page)).toEqual(['/docs/runbooks/node-tasks-waiting']);
  });

  it('stands on the page of an app instance for an operator, and for nobody else', async () => {
    mock.answer(appInstanceGet, one(AppInstance, { id, name: 'chat', state: 'running' }));
    await page.goto(`${mock.base}/app-instances/${id}`);
    await page.getByRole('region', { name: 'Overview' }).waitFor();
    expect(await linksOf(page)).toEqual(['/docs/runbooks/apps-not-reached']);
    mock.forbid(runbookGet);
    await page.reload();
    await page.getByRole('region', { name: 'Overview' }).waitFor();
    expect(await linksOf(page)).toEqual([]);
  });
});
