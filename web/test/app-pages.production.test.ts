import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  AppInstance,
  AppVersion,
  Availability,
  adminAppVersionList,
  adminAppVersionRevoke,
  allocationList,
  appInstanceCreate,
  appInstanceGet,
  appInstanceRelease,
  appInstanceStop,
  appVersionPromote,
  CatalogApp,
  CatalogItem,
  CatalogVersion,
  CurrentPrice,
  catalogAppList,
  catalogList,
  catalogVersionList,
  notificationPreferencesGet,
} from '@gpuaas/contract';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Static, TSchema } from 'typebox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seriousFindings } from './in-browser.ts';
import { answerOf, pageOf } from './mock/answers.ts';
import { type MockApi, openMockApi } from './mock/api.ts';

/** The pages of apps in a real browser, in front of an API that is made of the contract. */
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
  page = await (await browser.newContext({ viewport: { width: 1_440, height: 900 } })).newPage();
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
const one = <S extends TSchema>(schema: S, told: Partial<Static<S>> = {}) => answerOf(schema, told);
const parameters: NonNullable<Static<typeof CatalogVersion>['manifest']['parameters']> = {
  type: 'object',
  additionalProperties: false,
  required: ['model'],
  properties: { model: { type: 'string', title: 'Model' }, length: { type: 'integer', title: 'Length', default: 64 } },
};
/** An app with one version that needs eight GPUs and asks for a model. */
function tellApp(told: Partial<Static<typeof CatalogVersion>> = {}) {
  mock.answer(catalogAppList, pageOf(one(CatalogApp, { id, reference: 'demo/chat', name: 'Chat', own: true })));
  const { manifest } = one(CatalogVersion);
  mock.answer(
    catalogVersionList,
    pageOf(
      one(CatalogVersion, {
        ...{ id, version: '1.2.0', launchable: true, reason: null, channel: 'dev', lifecycle_state: 'published' },
        manifest: {
          ...manifest,
          parameters,
          metadata: { slug: 'chat', name: 'Chat', version: '1.2.0', summary: 'Answers.' },
          resources: { cpu_millis: 1_000, memory_mib: 1_024, gpu: { min: 8, max: 8 } },
        },
        ...told,
      }),
    ),
  );
}
function tellNodes(available: number) {
  mock.answer(allocationList, pageOf());
  mock.answer(
    catalogList,
    pageOf(
      one(CatalogItem, {
        ...{ sku: 'h200-node', display_name: 'H200 node', capacity_shape: 'baremetal', allowed_gpu_counts: [8] },
        availability: [one(Availability, { region: 'north', gpu_count: 8, available })],
        prices: [one(CurrentPrice)],
      }),
    ),
  );
}

describe('the list of apps', () => {
  it('without an app says how to publish one', async () => {
    mock.answer(catalogAppList, pageOf());
    await page.goto(`${mock.base}/apps`);
    await page.getByRole('heading', { name: 'No apps yet' }).waitFor();
    await page.getByText('gpuaas app init my-app').waitFor();
  });

  it('leads to an app, and its page keeps nobody out', async () => {
    tellApp();
    await page.goto(`${mock.base}/apps`);
    await page.getByRole('link', { name: 'Chat' }).click();
    await page.getByRole('button', { name: 'Launch 1.2.0' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
});

describe('the page of an app', () => {
  it('launches a version with its parameters together with a new whole node', async () => {
    tellApp();
    tellNodes(1);
    mock.answer(appInstanceCreate, { id });
    await page.goto(`${mock.base}/apps/${id}`);
    await page.getByRole('button', { name: 'Launch 1.2.0' }).click();
    const dialog = page.getByRole('dialog', { name: 'Launch Chat 1.2.0' });
    await dialog.getByText('The allocation is released together with the app.').waitFor();
    await dialog.getByLabel('Model').fill('small');
    await dialog.getByLabel('Length').fill('128');
    await dialog.getByRole('button', { name: 'Launch' }).click();
    await page.waitForURL(`**/app-instances/${id}`);
    const [sent, ...more] = mock.writes.filter((each) => each.id === appInstanceCreate.id);
    expect(more).toEqual([]);
    expect(sent?.body).toEqual({
      app: 'demo/chat',
      version: '1.2.0',
      parameters: { model: 'small', length: 128 },
      allocation: { sku: 'h200-node', region: 'north', gpus: 8 },
    });
  });

  it('says when no whole node is free', async () => {
    tellApp();
    tellNodes(0);
    await page.goto(`${mock.base}/apps/${id}`);
    await page.getByRole('button', { name: 'Launch 1.2.0' }).click();
    await page.getByText('No whole node is free, and this project has no active allocation of one.').waitFor();
    const button = page.getByRole('dialog').getByRole('button', { name: 'Launch', exact: true });
    expect(await button.isDisabled()).toBe(true);
  });

  it('says why a version cannot be launched', async () => {
    tellApp({ launchable: false, reason: 'The trust in this version was revoked.' });
    await page.goto(`${mock.base}/apps/${id}`);
    await page.getByText('The trust in this version was revoked.').waitFor();
    expect(await page.getByRole('button', { name: 'Launch 1.2.0' }).count()).toBe(0);
  });

  it('asks before a version is promoted, and repeats a refusal', async () => {
    tellApp();
    mock.refuse(appVersionPromote, 'app_version_untrusted', 'Only a verified version gets to prod.');
    await page.goto(`${mock.base}/apps/${id}`);
    await page.getByRole('button', { name: 'Promote 1.2.0' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Promote' }).click();
    await page.getByRole('alert').getByText('Only a verified version gets to prod.').waitFor();
  });

  it('says that an app is not found in this project', async () => {
    mock.answer(catalogAppList, pageOf());
    await page.goto(`${mock.base}/apps/${id}`);
    await page.getByRole('heading', { name: 'No such app' }).waitFor();
  });
});

describe('the page of an app instance', () => {
  const tell = () =>
    mock.answer(appInstanceGet, one(AppInstance, { id, name: 'chat', state: 'running', owns_allocation: true }));

  it('is released only after it said what ends with it', async () => {
    tell();
    await page.goto(`${mock.base}/app-instances/${id}`);
    await page.getByRole('button', { name: 'Release with its allocation' }).click();
    const dialog = page.getByRole('dialog', { name: 'Release chat?' });
    await dialog.getByText('The app ends with its volumes, and its allocation is released with it.').waitFor();
    const sent = () => mock.writes.filter((each) => each.id === appInstanceRelease.id).length;
    expect(sent()).toBe(0);
    await dialog.getByRole('button', { name: 'Release' }).click();
    await expect.poll(sent).toBe(1);
  });

  it('offers no button that its person may not press', async () => {
    tell();
    mock.forbid(appInstanceStop, appInstanceRelease);
    await page.goto(`${mock.base}/app-instances/${id}`);
    await page.getByRole('region', { name: 'Overview' }).waitFor();
    expect(await page.getByRole('button', { name: /^(Stop|Release)/ }).count()).toBe(0);
  });
});

describe('the trust board', () => {
  it('revokes a version with a reason, and says what becomes of what runs', async () => {
    const told = { app_reference: 'demo/chat', version: '1.2.0', trust_state: 'verified' } as const;
    mock.answer(adminAppVersionList, pageOf(one(AppVersion, { ...told, id, revocation_reason: null })));
    await page.goto(`${mock.base}/ops/apps`);
    await page.getByRole('button', { name: 'Revoke demo/chat 1.2.0' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke demo/chat 1.2.0?' });
    await dialog.getByLabel('Instances that run').selectOption('let_run');
    await dialog.getByLabel('Reason').fill('It sends data elsewhere.');
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    const sent = () => mock.writes.filter((each) => each.id === adminAppVersionRevoke.id).map(({ body }) => body);
    await expect.poll(sent).toEqual([{ effect: 'let_run', reason: 'It sends data elsewhere.' }]);
  });

  it('says that nothing was published', async () => {
    mock.answer(adminAppVersionList, pageOf());
    await page.goto(`${mock.base}/ops/apps`);
    await page.getByRole('heading', { name: 'No apps were published yet' }).waitFor();
  });
});

describe('the form that enrols a node', () => {
  it('chooses no SKU by itself', async () => {
    await page.goto(`${mock.base}/ops/enrol`);
    await page.getByLabel('Name').fill('new-host');
    await page.getByRole('button', { name: 'Create enrolment' }).click();
    expect(await page.getByLabel('SKU').inputValue()).toBe('');
    expect(mock.writes).toEqual([]);
  });
});

describe('the settings of notifications', () => {
  it('have no area without a setting', async () => {
    const preference = one(notificationPreferencesGet.response.properties.data.items, { area: 'money' });
    mock.answer(notificationPreferencesGet, { data: [preference] });
    await page.goto(`${mock.base}/notification-settings`);
    await page.getByRole('heading', { name: 'Money' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Operating the platform' }).count()).toBe(0);
  });
});
