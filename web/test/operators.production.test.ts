import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FleetNode } from '@gpuaas/sdk';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, openInstallation, seriousFindings } from './in-browser.ts';
import { pressNode } from './node-page.ts';

/** What operators do, by mouse and by keyboard, in a real browser against everything that `npm start` starts. */
let here: Installation;
const agents: ChildProcess[] = [];
const folders: string[] = [];

beforeAll(async () => {
  here = await openInstallation(['--bare']);
  await launchOn('local-slice-2');
}, 180_000);
afterAll(async () => {
  for (const agent of agents) agent.kill('SIGTERM');
  await here?.close();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
}, 60_000);

/** The agent on a host that does not exist, started with what the console said to paste. */
async function pasteOnHost(line: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-agent-'));
  folders.push(folder);
  const word = (name: string) => new RegExp(`--${name} (\\S+)`).exec(line)?.[1] ?? '';
  agents.push(
    spawn(process.execPath, [join(import.meta.dirname, '../../agent/src/main.ts'), 'run'], {
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        GPUAAS_HOST: 'simulated',
        GPUAAS_API_URL: word('url'),
        GPUAAS_CA_FINGERPRINT: word('ca-fingerprint'),
        GPUAAS_ENROLMENT_TOKEN: /echo (gpuaas_node_\w+) \|/.exec(line)?.[1] ?? '',
        GPUAAS_STATE_DIR: join(folder, 'state'),
        GPUAAS_LOG_DIR: join(folder, 'log'),
      },
    }),
  );
}

async function launchOn(node: string): Promise<string> {
  const owner = await here.call('owner');
  const me = await owner.me.get();
  const [organization] = me.organizations.filter(({ slug }) => slug === 'demo');
  const projects = await owner.projects.list({ organization_id: organization?.id ?? '' });
  const project = projects.data[0]?.id ?? '';
  const operator = await here.call('operator');
  const nodes = await operator.adminNodes.list({ limit: 200 });
  // Everywhere else is closed, so that it can only go there.
  const others = nodes.data.filter(
    ({ name, schedulable, sku }) => name !== node && schedulable && sku === 'h200-sxm-slice',
  );
  for (const { id } of others) await operator.adminNodes.cordon({ node_id: id, reason: 'It has to go elsewhere.' });
  const made = await owner.allocations.create(
    { sku: 'h200-sxm-slice', gpus: 1, region: 'local', name: 'Somebody works here' },
    { project },
  );
  for (const { id } of others) await operator.adminNodes.uncordon({ node_id: id });
  return made.id;
}

describe('operators, in the console', () => {
  it('enrol a node: a line to paste, then it joins, and its slots are approved and offered', {
    timeout: 120_000,
  }, async () => {
    const { context, page, complaints } = await here.enter('operator');
    await page.goto(`${here.base}/ops/enrol`);
    await page.getByLabel('Name').fill('new-host-01');
    await page.getByLabel('SKU').selectOption({ label: 'NVIDIA H200 GPU VM' });
    await page.getByRole('button', { name: 'Create enrolment' }).click();
    const line = (await page.locator('pre').first().textContent()) ?? '';
    expect(line).toContain('node-agent enrol');
    await pasteOnHost(line);
    // Nobody reloads: the page hears of each step.
    await page.getByRole('button', { name: 'Approve 8 slots' }).click();
    // What it is sold as boots from images; the operator says that they are there.
    const there = page.getByRole('button', { name: /is on the host$/ });
    await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Images' }).getByRole('listitem').first().waitFor();
    while ((await there.count()) > 0) {
      const left = await there.count();
      await there.first().click();
      await expect.poll(() => there.count()).toBeLessThan(left);
    }
    await pressNode(page, 'Publish');
    await page.getByText('In service: tenants can launch on it now.').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.goto(`${here.base}/ops?q=new-host`);
    await page.getByRole('link', { name: /new-host-01.*8 free/s }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('drain a node with notice, see who is on it, and call it off', { timeout: 120_000 }, async () => {
    const { context, page } = await here.enter('operator');
    await page.goto(`${here.base}/ops/nodes`);
    await page.getByRole('link', { name: 'local-slice-2' }).click();
    await page.getByRole('link', { name: 'Somebody works here' }).waitFor();
    await pressNode(page, 'Drain');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Running on it: 1 allocation of 1 tenant.').waitFor();
    await dialog.getByLabel('Notice in minutes').fill('90');
    await dialog.getByLabel('Reason').fill('a fan is loud');
    await dialog.getByRole('button', { name: 'Drain' }).click();
    await page.getByText(/Draining: 1 allocation left/).waitFor();
    await pressNode(page, 'Resume', 'it is quiet again');
    await page.getByText(/Draining:/).waitFor({ state: 'detached' });
    await context.close();
  });

  it('follow a request from the api through the outbox down to the node', {
    timeout: 120_000,
  }, async () => {
    const { context, page } = await here.enter('operator');
    await page.goto(`${here.base}/ops/audit?action=allocation.create`);
    await page
      .getByRole('link', { name: /^Trace / })
      .first()
      .click();
    const story = page.getByRole('list', { name: 'The trace, in time order' });
    for (const sentence of [
      /created an allocation/,
      'GPUs were requested.',
      /^Task sent: /,
      'Active: the host has verified the GPUs.',
    ]) {
      await story.getByText(sentence).first().waitFor();
    }
    // The same id, asked for by somebody who only rents, is told without the host.
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const visitor = await here.enter('owner');
    await visitor.page.goto(`${here.base}/correlations/${id}`);
    await visitor.page.getByText('GPUs were requested.').waitFor();
    expect(await visitor.page.getByText('local-slice').count()).toBe(0);
    await visitor.context.close();
    await context.close();
  });

  it('call a workflow off whose node does not answer, after they were told what that takes back', {
    timeout: 120_000,
  }, async () => {
    const operator = await here.call('operator');
    const { data: hosts } = await operator.simulator.nodeList({});
    const silent = hosts.find(({ name }) => name === 'local-slice-1')?.node_id ?? '';
    await operator.simulator.agentSwitch({ node_id: silent, state: 'stopped' });
    const id = await launchOn('local-slice-1');
    // The workflow begins when the host has not fetched its task for ten seconds.
    await expect
      .poll(async () => (await operator.adminWorkflows.list({ run_id: id })).data.length, { timeout: 60_000 })
      .toBe(1);
    const { context, page, complaints } = await here.enter('operator');
    await page.goto(`${here.base}/ops/workflows?run=${id}`);
    await page.getByRole('link', { name: 'allocation.provision' }).click();
    await page.getByText(/waiting for an answer, expires in/).waitFor();
    expect(await page.getByRole('button', { name: 'Retry now' }).isDisabled()).toBe(true);
    await page.getByText(/Cannot be retried now:.*waited for/).waitFor();
    await page.getByRole('button', { name: 'Cancel workflow' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The workflow stops waiting').waitFor();
    await dialog.getByText('It ends as failed').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByLabel('Reason').fill('the rack is being moved');
    await dialog.getByRole('button', { name: 'Cancel workflow' }).click();
    await page.getByText(/^\W*cancelled$/).waitFor();
    await page.getByRole('region', { name: 'Requested by operators' }).getByText('the rack is being moved').waitFor();
    const given = (await operator.adminAllocations.list({ limit: 200 })).data.find((each) => each.id === id);
    expect(given?.failure).toEqual({ code: 'cancelled', reason: 'It was called off before it was ready.' });
    await operator.simulator.agentSwitch({ node_id: silent, state: 'running' });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('see events as they happen, and look into one', { timeout: 90_000 }, async () => {
    const { context, page } = await here.enter('operator');
    await page.goto(`${here.base}/ops/events`);
    await page.getByRole('banner').getByText('Live', { exact: true }).waitFor();
    const operator = await here.call('operator');
    const [node] = (await operator.adminNodes.list({ limit: 1 })).data;
    await operator.adminNodes.cordon({ node_id: node?.id ?? '', reason: 'to be heard of' });
    await page
      .getByRole('cell', { name: /provisioning\.node\.changed/ })
      .first()
      .waitFor();
    await operator.adminNodes.uncordon({ node_id: node?.id ?? '' });
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: 'View provisioning.node.changed' }).first().click();
    await page.getByRole('dialog', { name: 'provisioning.node.changed' }).getByText('Payload').waitFor();
    await context.close();
  });

  it('find every page and dialog sound, down to one run of a saga and one tenant, wide and narrow', {
    timeout: 180_000,
  }, async () => {
    const { context, page, complaints } = await here.enter('operator');
    const operator = await here.call('operator');
    const [allocation] = (await operator.adminAllocations.list({ limit: 1 })).data;
    const [tenant] = (await operator.adminOrganizations.list({ q: 'demo' })).data;
    const [run] = (await operator.adminWorkflows.list({ workflow: 'allocation.provision' })).data;
    const [act] = (await operator.adminAudit.list({ action: 'allocation.create', limit: 1 })).data;
    const places: readonly (readonly [string, RegExp | undefined])[] = [
      [`/ops/allocations/${allocation?.id}`, undefined],
      [`/ops/tenants/${tenant?.id}`, undefined],
      ['/ops/workflows', undefined],
      [`/ops/workflows/${run?.workflow}/${run?.run_id}`, undefined],
      [`/ops/correlations/${act?.correlation_id}`, undefined],
      ['/ops/policies', /^Change auth\.session/],
      ['/ops/skus', /^New SKU/],
      ['/ops/skus', /^Edit NVIDIA H200 GPU VM/],
      ['/ops/skus', /^Prices of NVIDIA H200 GPU VM/],
      ['/ops/events?box=outbox', /^View/],
    ];
    const findings: string[] = [];
    for (const [path, button] of places) {
      for (const width of [1_440, 360]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(here.base + path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.locator('[role=status][aria-label^=Loading]').first().waitFor({ state: 'detached' });
        if (button) {
          await page.getByRole('button', { name: button }).first().click();
          await page.getByRole('dialog').waitFor();
          await page.getByRole('dialog').getByRole('status').waitFor({ state: 'detached' });
        }
        const where = `${path} ${button?.source ?? ''} ${width}`;
        findings.push(...(await seriousFindings(page)).map((finding) => `${where}: ${finding}`));
        const over = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
        if (over > 0) findings.push(`${where}: ${over} pixels too wide`);
      }
    }
    expect(findings).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('are told when what they see is no longer live, and it catches up by itself', async () => {
    const { context, page } = await here.enter('operator');
    await page.goto(`${here.base}/ops/nodes`);
    const live = page.getByRole('banner').getByText('Live', { exact: true });
    await live.waitFor();
    await context.setOffline(true);
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    // What happened meanwhile is there without a reload.
    const operator = await here.call('operator');
    const node = (await operator.adminNodes.list({ limit: 200 })).data.find(({ name }) => name === 'local-slice-1');
    await operator.adminNodes.cordon({ node_id: node?.id ?? '', reason: 'while nobody looked' });
    await context.setOffline(false);
    await live.waitFor();
    await page.getByRole('row', { name: /local-slice-1.*cordoned/ }).waitFor();
    await operator.adminNodes.uncordon({ node_id: node?.id ?? '' });
    await page.getByRole('row', { name: /local-slice-1.*cordoned/ }).waitFor({ state: 'detached' });
    await context.close();
  });

  it('deliver dead letters again, all of a kind at once and each with a key of its own', async () => {
    const { context, page } = await here.enter('operator');
    const letters = ['7', '8'].map((seq) => ({
      stream_seq: seq,
      event_id: '01960000-0000-7000-8000-000000000000',
      event_type: 'tenancy.invitation.created',
      subject: 'dlq.tenancy.invitation.created',
      origin: 'consume',
      consumer: 'email-worker',
      organization_id: null,
      correlation_id: 'a-request',
      attempts: 5,
      reason: `the mail server said ${seq}50`,
      state: 'open',
      created_at: '2026-01-01T00:00:00.000Z',
      settled_at: null,
    }));
    const asked: { path: string; key: string | undefined; reason: unknown }[] = [];
    await page.route('**/api/v1/admin/dlq/messages**', async (route) => {
      const request = route.request();
      if (request.method() === 'GET') {
        const left = letters.filter(({ stream_seq }) => !asked.some(({ path }) => path.includes(`/${stream_seq}/`)));
        return route.fulfill({ json: { data: left, next_cursor: null, has_more: false } });
      }
      const path = new URL(request.url()).pathname;
      const { reason } = request.postDataJSON() as { reason: string };
      asked.push({ path, key: request.headers()['idempotency-key'], reason });
      return route.fulfill({
        json: { ...letters.find(({ stream_seq }) => path.includes(`/${stream_seq}/`)), state: 'requeued' },
      });
    });
    await page.goto(`${here.base}/ops/events?box=dead`);
    await page.getByRole('button', { name: 'Deliver all again' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('the mail server is back');
    await page.getByRole('dialog').getByRole('button', { name: 'Deliver again' }).click();
    await page.getByText('No undelivered events').waitFor();
    expect(asked.map(({ path }) => path).sort()).toEqual([
      '/api/v1/admin/dlq/messages/7/requeue',
      '/api/v1/admin/dlq/messages/8/requeue',
    ]);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(2);
    expect(asked.every(({ reason }) => reason === 'the mail server is back')).toBe(true);
    await context.close();
  });

  it('scroll through 2,000 GPUs with only those in sight in the document, and go there by keyboard', {
    timeout: 90_000,
  }, async () => {
    const { context, page } = await here.enter('operator');
    await showFleetOf(page, 250);
    await page.goto(`${here.base}/ops`);
    await page.getByText('250 nodes').first().waitFor();
    const wall = page.getByRole('list', { name: /arrow keys/ });
    const { most, frames } = await scrollThrough(page);
    // A tile is a node of the document; two thousand of them would be more than four thousand.
    expect(most).toBeLessThan(900);
    expect(frames.length).toBeGreaterThan(20);
    const sorted = frames.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(1);
    process.stdout.write(
      `fleet wall, 2,000 GPUs: frames of ${at(0.5)} ms (median), ${at(0.95)} ms (95 of 100); ${most} elements at most\n`,
    );
    // The page may still be painting the way down: a key counts all the same, the first time it is pressed.
    await wall.getByRole('link').nth(1).focus();
    await page.keyboard.press('End');
    const focused = () => page.evaluate('document.activeElement?.textContent ?? ""');
    expect(await focused()).toContain('host-0250');
    // Whoever scrolls on by wheel has not left: the next key goes on from where they were.
    await wall.getByRole('link').last().hover();
    await page.mouse.wheel(0, -20_000);
    await page.getByRole('link', { name: /^host-0001/ }).waitFor();
    expect(await focused()).toContain('host-0250');
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toContain('host-0249');
    await page.goto(`${here.base}/ops?tile=trouble`);
    await page.getByText('25 of 250 nodes').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await context.close();
  });
});

/** A fleet that the browser is told of, since nobody starts 250 hosts for a test. */
async function showFleetOf(page: Page, count: number): Promise<void> {
  const nodes = Array.from({ length: count }, (_, index): FleetNode => {
    const broken = index % 10 === 9 ? 1 : 0;
    return {
      id: `01960000-0000-7000-8000-${String(index + 1).padStart(12, '0')}`,
      name: `host-${String(index + 1).padStart(4, '0')}`,
      region: index % 2 ? 'north' : 'south',
      sku: 'h200-sxm-slice',
      gpus_total: 8,
      onboarding_mode: 'manual',
      address: null,
      labels: {},
      simulated: false,
      abilities: null,
      state: 'active',
      state_reason: null,
      schedulable: true,
      cordon_reason: null,
      version: 1,
      enrolled_at: null,
      drain_deadline_at: null,
      topology_at: null,
      last_report_at: null,
      agent_version: null,
      slots: { in_use: index % 8, quarantined: broken, available: 8 - (index % 8) - broken },
      sellable_slots: 8 - (index % 8) - broken,
      alerts: [],
      actions: [],
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    };
  });
  await page.route('**/api/v1/admin/nodes?**', (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
    const data = nodes.slice(from, from + 200);
    const more = from + 200 < count;
    return route.fulfill({ json: { data, next_cursor: more ? String(from + 200) : null, has_more: more } });
  });
}

/** Scrolls the wall from its top to its end, a little in each frame, and notes how long each frame took. */
const scrollThrough = (page: Page): Promise<{ most: number; frames: number[] }> =>
  page.evaluate(`new Promise((resolve) => {
    const wall = [...document.querySelectorAll('ul')].find((list) => list.getAttribute('aria-label')?.includes('arrow keys')).parentElement;
    const frames = [];
    let most = 0;
    let before = performance.now();
    const step = (now) => {
      frames.push(now - before);
      before = now;
      most = Math.max(most, wall.querySelectorAll('*').length);
      const end = wall.scrollTop + wall.clientHeight >= wall.scrollHeight - 1;
      wall.scrollTop += 60;
      if (end) resolve({ most, frames: frames.slice(2) });
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
