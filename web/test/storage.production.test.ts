import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, lookAt, openInstallation, seriousFindings, type Visit } from './in-browser.ts';

/** The pages of storage, in a real browser in front of everything that `npm start` starts. */
let here: Installation;
let owner: Visit;
let page: Page;
beforeAll(async () => {
  here = await openInstallation(['--bare']);
  const operator = await here.call('operator');
  const value = { policy_key: 'storage.part_mib', level: 'global', value: 5 } as const;
  await operator.adminPolicies.set({ ...value, reason: 'A test sends files of several parts.' });
  owner = await here.enter('owner');
  page = owner.page;
}, 240_000);
afterAll(() => here?.close(), 60_000);

const file = (name: string, text: string | Buffer, mimeType = 'text/plain') => ({
  ...{ name, mimeType, buffer: Buffer.from(text as string) },
});
/** One red pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
const row = (name: string) => page.getByRole('row').filter({ hasText: name });
const act = async (name: string, what: string) => {
  await page.getByRole('button', { name: `More for ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: what }).click();
};
const upload = async (...files: ReturnType<typeof file>[]) => {
  await page.getByLabel('Files to upload').setInputFiles(files);
  for (const { name } of files) await page.getByRole('listitem', { name }).getByText('stored').waitFor();
};
const open = (path: string) => page.goto(`${here.base}/storage/files?path=${encodeURIComponent(path)}`);

describe('storage in the console', () => {
  it('begins empty, and creates a namespace', { timeout: 120_000 }, async () => {
    await page.goto(`${here.base}/storage`);
    await page.getByRole('heading', { name: 'Nothing is stored yet' }).waitFor();
    await page.getByRole('button', { name: 'New namespace' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New namespace' });
    await dialog.getByLabel('Name').fill('Not A Name');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').getByText('After datasets/ comes a name of small letters').waitFor();
    await dialog.getByLabel('Name').fill('imagenet');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { level: 1, name: 'datasets/imagenet' }).waitFor();
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
  });

  it('uploads files of several parts, and downloads them as they were', { timeout: 180_000 }, async () => {
    await open('datasets/imagenet/');
    const large = Buffer.alloc(11 * 1_048_576, 'weights of a model');
    await upload(file('notes.txt', 'what was learnt'), file('model.bin', large, 'application/octet-stream'));
    await row('model.bin').getByText('11 MiB').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download model.bin' }).click();
    const got = await readFile(await (await download).path());
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(digest(got)).toBe(digest(large));
  });

  it('goes on with an upload that was cut, and sends no part of it twice', { timeout: 180_000 }, async () => {
    await open('datasets/imagenet/');
    const bytes = Buffer.alloc(12 * 1_048_576, 'a checkpoint');
    const sent: string[] = [];
    let isCut = true;
    await page.route('**/transfers?*', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      if (isCut && sent.length >= 1) return route.abort();
      sent.push(route.request().url());
      return route.continue();
    });
    await page.getByLabel('Files to upload').setInputFiles([file('cut.bin', bytes, 'application/octet-stream')]);
    await page.getByRole('alert').getByText('Part 2 did not arrive').waitFor();
    isCut = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('listitem', { name: 'cut.bin' }).getByText('stored').waitFor();
    expect(sent).toHaveLength(3);
    await page.unroute('**/transfers?*');
    await row('cut.bin').getByText('12 MiB').waitFor();
  });

  it('takes what is dropped, and makes folders', { timeout: 120_000 }, async () => {
    await open('datasets/imagenet/');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('train');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'train' }).click();
    await page.getByRole('heading', { level: 1, name: 'train' }).waitFor();
    const dropped = await page.evaluateHandle(
      `(() => { const data = new DataTransfer(); data.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' })); return data; })()`,
    );
    const area = page.getByRole('region', { name: 'Files in datasets/imagenet/train/' });
    for (const kind of ['dragenter', 'dragover', 'drop']) await area.dispatchEvent(kind, { dataTransfer: dropped });
    await row('dropped.txt').getByText('7 B').waitFor();
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
    expect(await crumbs.getByRole('link').allInnerTexts()).toEqual(['Files', 'datasets/imagenet']);
    await crumbs.getByRole('link', { name: 'datasets/imagenet' }).click();
    await page.getByRole('heading', { level: 1, name: 'datasets/imagenet' }).waitFor();
  });

  it('shows text and images, and runs nothing of a file', { timeout: 120_000 }, async () => {
    await open('shared/');
    const hostile = '<script>document.title = "taken"</script><img src=x onerror="document.title=\'taken\'">';
    await upload(file('page.html', hostile, 'text/html'), file('plot.png', pixel, 'image/png'));
    await page.getByRole('button', { name: 'page.html', exact: true }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.locator('pre').textContent()).toBe(hostile);
    expect(await dialog.locator('img, iframe, script').count()).toBe(0);
    expect(await page.title()).not.toContain('taken');
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'plot.png', exact: true }).click();
    await page.getByRole('img', { name: 'plot.png' }).waitFor();
    const colour = `[...document.querySelector('canvas').getContext('2d').getImageData(0, 0, 1, 1).data]`;
    // An empty canvas is clear: the one pixel of the image is not.
    await expect.poll(async () => ((await page.evaluate(colour)) as number[])[3]).toBe(255);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  });

  it('renames, copies and deletes, and brings back from the trash', { timeout: 120_000 }, async () => {
    await open('datasets/imagenet/');
    await act('notes.txt', 'Rename or move');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New path').fill('datasets/imagenet/train/readme.txt');
    await dialog.getByRole('button', { name: 'Move' }).click();
    await row('notes.txt').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'train' }).click();
    await act('readme.txt', 'Copy');
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await row('readme copy.txt').waitFor();
    await act('readme.txt', 'Delete');
    await dialog.getByRole('button', { name: 'Move to the trash' }).click();
    await page.getByRole('button', { name: 'More for readme.txt', exact: true }).waitFor({ state: 'detached' });
    await page.goto(`${here.base}/storage/trash`);
    await page.getByRole('button', { name: 'Restore datasets/imagenet/train/readme.txt' }).click();
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
    await open('datasets/imagenet/train/');
    await act('readme copy.txt', 'Delete');
    await dialog.getByRole('button', { name: 'Move to the trash' }).click();
    await row('readme copy.txt').waitFor({ state: 'detached' });
    await page.goto(`${here.base}/storage/trash`);
    await page.getByRole('button', { name: 'Purge datasets/imagenet/train/readme copy.txt' }).click();
    await dialog.getByRole('button', { name: 'Remove for good' }).click();
    await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
  });

  it('says how much each namespace stores, and how much the project may', { timeout: 60_000 }, async () => {
    await page.goto(`${here.base}/storage`);
    await row('datasets/imagenet').getByText('23 MiB').waitFor();
    await page.getByRole('img', { name: /^Quota: \d+ %/ }).waitFor();
    await page.getByText('of 1,000 GiB').waitFor();
  });

  it('gives a grant and revokes it', { timeout: 120_000 }, async () => {
    await page.goto(`${here.base}/storage/grants`);
    await page.getByRole('heading', { name: 'Nothing is shared with others' }).waitFor();
    await page.getByRole('button', { name: 'New grant' }).click();
    const dialog = page.getByRole('dialog', { name: 'New grant' });
    await dialog.getByLabel('Namespace').selectOption('datasets/imagenet/');
    await dialog.getByLabel('Right').selectOption('write');
    await dialog.getByRole('button', { name: 'Grant' }).click();
    await page.getByRole('button', { name: 'Revoke the grant on datasets/imagenet/' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('heading', { name: 'Nothing is shared with others' }).waitFor();
  });

  it('makes a link that opens a file without a sign-in, and revokes it', { timeout: 120_000 }, async () => {
    await open('shared/');
    await act('page.html', 'Share by link');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Works for').selectOption('1 hour');
    await dialog.getByRole('button', { name: 'Make the link' }).click();
    const shown = page.getByRole('dialog', { name: 'Link to page.html' }).locator('pre');
    const url = (await shown.textContent()) ?? '';
    const answer = await fetch(url);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(await answer.text()).toContain('<script>');
    await dialog.getByRole('button', { name: "I've saved it" }).click();
    await page.goto(`${here.base}/storage/links`);
    await row('shared/page.html').getByText('1 time').waitFor();
    await page.getByRole('button', { name: 'Revoke the link to shared/page.html' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('heading', { name: 'No file is shared by a link' }).waitFor();
    expect((await fetch(url)).status).toBe(404);
  });

  it('offers a viewer to read, and nothing else', { timeout: 120_000 }, async () => {
    const viewer = await here.enter('viewer');
    const of = viewer.page;
    await of.goto(`${here.base}/storage`);
    await of.getByRole('link', { name: 'datasets/imagenet' }).click();
    await of.getByRole('button', { name: 'Download model.bin' }).waitFor();
    const offered = async () => (await of.getByRole('main').getByRole('button').allInnerTexts()).join(' ');
    expect(await of.getByRole('button', { name: /^More for model.bin/ }).count()).toBe(0);
    expect(await offered()).not.toMatch(/Upload|New folder/);
    await of.goto(`${here.base}/storage`);
    await of.getByRole('row').filter({ hasText: 'datasets/imagenet' }).waitFor();
    expect(await offered()).not.toMatch(/New namespace/);
    await of.goto(`${here.base}/storage/grants`);
    await of.getByRole('heading', { name: 'Nothing is shared with others' }).waitFor();
    expect(await offered()).not.toMatch(/New grant|Revoke/);
    expect(viewer.complaints).toEqual([]);
    await viewer.context.close();
  });

  it('makes a storage token on the page of an allocation, and revokes it', { timeout: 180_000 }, async () => {
    const caller = await here.call('owner');
    const organization_id = (await caller.me.get()).organizations.find(({ slug }) => slug === 'demo')?.id ?? '';
    const projects = (await caller.projects.list({ organization_id })).data;
    const project = projects.find(({ slug }) => slug === 'playground')?.id ?? '';
    const wish = { sku: 'h200-sxm-slice', gpus: 1, region: 'local', name: 'trainer', max_duration_seconds: 3_600 };
    const { id } = await caller.allocations.create(wish, { project });
    await page.goto(`${here.base}/allocations/${id}`);
    await page.getByRole('button', { name: 'New storage token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Make the token' }).click();
    const shown = page.getByRole('dialog', { name: 'Paste this into the machine' }).locator('pre');
    const lines = (await shown.textContent()) ?? '';
    const token = /GPUAAS_TOKEN=(gpuaas_storage_[0-9a-f]{64})/.exec(lines)?.[1] ?? '';
    const headers = { authorization: `Bearer ${token}`, 'x-project-id': project };
    expect((await fetch(`${here.base}/api/v1/storage`, { headers })).status).toBe(200);
    await dialog.getByRole('button', { name: "I've saved it" }).click();
    const panel = page.getByRole('region', { name: 'Files of the project' });
    await panel.getByText('read and write').waitFor();
    await panel.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await panel.getByText('It ends with the allocation').waitFor();
    expect((await fetch(`${here.base}/api/v1/storage`, { headers })).status).toBe(401);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('says that a folder is not there', { timeout: 60_000 }, async () => {
    await open('datasets/nothing/');
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
    await open('datasets/imagenet/nothing/');
    await page.getByRole('heading', { name: 'There is no such folder' }).waitFor();
  });

  it.each([
    ['/storage', 'Files'],
    ['/storage/files?path=datasets%2Fimagenet%2F', 'datasets/imagenet'],
    ['/storage/grants', 'Storage grants'],
    ['/storage/links', 'Share links'],
    ['/storage/trash', 'Trash'],
  ])('%s fits wide and narrow screens and keeps nobody out', { timeout: 120_000 }, async (path, heading) => {
    expect(await lookAt(here, page, path, heading)).toEqual([]);
    expect(owner.complaints).toEqual([]);
  });
});
