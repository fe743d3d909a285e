import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeAgent, openAgent } from '@gpuaas/agent';
import { controlPlaneSpiffeId } from '@gpuaas/contract/node';
import { openGpuaas, serviceAccountTokens } from '@gpuaas/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { parse, stringify } from 'yaml';
import { makeSigner } from '../../src/domains/apps/verification/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { freePort } from '../chaos/children.ts';
import { endAll, type Started, start } from '../journeys/support/npm-start.ts';
import { cookieOf, fetchHere, openPage } from './story/browser.ts';
import { buildImage } from './story/images.ts';
import { type LinuxStage, openLinuxStage } from './story/linux-host.ts';
import { openPerson, type Person } from './story/people.ts';
import { pushImage, signImage } from './story/push.ts';

/**
 * Two stock apps from a recipe to an open page: built, pushed to a registry, signed, published by a member with the command line, verified,
 * promoted, launched by another organization in containers of podman on a host of the Linux adapter, and opened through the app-proxy.
 * The GPUs, the driver, sshd and logins of the host are pretended (`story/linux-host.ts`); apps of processors need none of them.
 */
const minuteMs = 60_000;
const soon = { timeout: 3 * minuteMs, interval: 500 };
const isRoot = process.getuid?.() === 0;
const apps = join(import.meta.dirname, '../../../apps');

let folder: string;
let stage: LinuxStage;
let started: Started;
let url: string;
let agent: NodeAgent;
let publisher: Person;
let operator: Person;
let tenant: Person;
let project: string;
let allocation: string;
const signer = makeSigner();

/** An allowance that fits a small machine; everything else is as the stock manifest says it. */
async function writeManifest(app: string, image: string): Promise<string> {
  const manifest = parse(await readFile(join(apps, app, 'app.yaml'), 'utf8'));
  manifest.runtime.image = image;
  manifest.resources = { cpu_millis: 1_000, memory_mib: 1_024, shm_mib: 64 };
  for (const volume of manifest.storage ?? []) volume.size_mib = 256;
  const path = join(folder, `${app}.yaml`);
  await writeFile(path, stringify(manifest));
  return path;
}

/** From a recipe to a version that every organization may launch. */
async function bringToProd(app: string): Promise<void> {
  const repository = `apps/${app}`;
  const digest = await pushImage(stage, await buildImage(app), repository);
  await signImage(stage, signer.secret, { repository, digest });
  const path = await writeManifest(app, `${stage.registry}/${repository}@${digest}`);
  expect(await publisher.say('app', 'validate', path)).toBe('');
  const version = await publisher.gpuaas('app', 'publish', path, '--visibility', 'platform');
  const id = String(version['id']);
  const trust = async () => (await publisher.gpuaas('app', 'version', 'show', id))['trust_state'];
  await expect.poll(trust, soon).toBe('verified');
  for (const channel of ['test', 'staging', 'prod']) {
    expect(await publisher.gpuaas('app', 'promote', id)).toMatchObject({ channel });
  }
}

/** Takes the host into service, as an operator does it. */
async function enrol(): Promise<void> {
  const { adminNodes } = operator.api;
  const offer = await adminNodes.create({ name: 'podman-1', region: 'local', sku: 'h200-sxm-baremetal-8g' });
  const node_id = offer.node.id;
  agent = await openAgent({
    host: stage.host,
    settings: {
      url: new URL(offer.node_url),
      ...{ stateDir: join(folder, 'agent'), agentVersion: '1.0.0', peerId: controlPlaneSpiffeId, forcesToDisk: false },
      enrolment: { token: offer.token, ...(offer.ca_fingerprint !== null && { caFingerprint: offer.ca_fingerprint }) },
    },
  });
  const node = () => adminNodes.get({ node_id });
  await expect.poll(async () => (await node()).state, soon).toBe('active');
  await expect.poll(async () => (await node()).topology_at, soon).toBeTypeOf('string');
  await adminNodes.slotsApprove({ node_id });
  expect(await adminNodes.publish({ node_id })).toMatchObject({ schedulable: true });
}

beforeAll(async () => {
  if (!isRoot) return;
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-app-story-'));
  // The account of the database passes through.
  await chmod(folder, 0o711);
  for (const app of ['openai-cpu', 'jupyterlab']) await buildImage(app);
  stage = await openLinuxStage();
  started = await start(
    ['--data', join(folder, 'data'), '--bare', '--fleet', 'none', '--port', String(await freePort())],
    {
      env: {
        GPUAAS_NODE_PORT: String(await freePort()),
        GPUAAS_REGISTRY: 'distribution',
        GPUAAS_REGISTRY_LOGINS: await readFile(stage.logins, 'utf8'),
        NODE_EXTRA_CA_CERTS: join(stage.certificates, 'ca.crt'),
      },
    },
  );
  url = started.fact('URL');
  const [password = ''] = started.fact('Password').split(' ');
  operator = await openPerson(url, { login: 'operator', password });
  const someone = await openPerson(url, { login: 'member', password });
  const { data } = (await someone.gpuaas('project', 'list')) as { data?: { id: string }[] };
  publisher = await openPerson(url, { login: 'member', password }, data?.[0]?.id ?? 'playground');
  const viewer = await openPerson(url, { login: 'viewer', password });
  const home = await viewer.api.organizations.create({ name: 'Second', slug: 'second' });
  project = (await viewer.api.projects.create({ organization_id: home.id, name: 'Lab', slug: 'lab' })).id;
  await operator.say('ops', 'billing', 'grant', 'second', '--amount', '500', '--reason', 'to try apps');
  tenant = await openPerson(url, { login: 'viewer', password }, project);
}, 30 * minuteMs);
afterAll(async () => {
  await agent?.close();
  await endAll();
  await stage?.close();
  if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}, 5 * minuteMs);

/** Waits until an instance runs. One that has failed does not run later. */
async function untilRunning(id: string): Promise<void> {
  const look = async () => {
    const { state, failure_reason } = await tenant.gpuaas('app', 'get', id);
    return state === 'failed' ? `failed: ${failure_reason}` : String(state);
  };
  await expect.poll(look, { ...soon, timeout: 5 * minuteMs }).toMatch(/^(?:running|failed.*)$/);
  expect(await look()).toBe('running');
}
const urlOf = async (id: string) => (await tenant.say('app', 'open', id, '--print')).trim();

describe.runIf(isRoot)('a stock app', () => {
  let service: string;

  it(
    'is published by a member who administers nothing, verified by its signature, and promoted for everybody',
    async () => {
      await operator.say('ops', 'app', 'source', 'add', stage.registry);
      await publisher.say('app', 'key', 'add', 'release', signer.pem);
      await bringToProd('openai-cpu');
      await bringToProd('jupyterlab');
      const found = await tenant.say('app', 'catalog');
      expect(found).toContain('demo/openai-cpu');
      expect(found).toContain('demo/jupyterlab');
    },
    10 * minuteMs,
  );

  it(
    'is launched by another organization with an allocation of its own, in a container of podman',
    async () => {
      await enrol();
      const sku = ['--sku', 'h200-sxm-baremetal-8g', '--yes'];
      const made = await tenant.gpuaas('app', 'launch', 'demo/openai-cpu', ...sku);
      [service, allocation] = [String(made['id']), String(made['allocation_id'])];
      await untilRunning(service);
      expect(await tenant.gpuaas('app', 'get', service)).toMatchObject({ simulated: false });
      expect(await stage.containers()).toHaveLength(1);
    },
    10 * minuteMs,
  );

  it(
    'streams a chat completion to the client of OpenAI with a token of a service account, and its tokens are counted',
    async () => {
      const { serviceAccounts } = tenant.api;
      const robot = await serviceAccounts.create({
        ...{ project_id: project, name: 'Robot', slug: 'robot', scopes: ['allocations:read', 'allocations:write'] },
      });
      const { id, private_key = {} } = await serviceAccounts.keyCreate({
        ...{ service_account_id: robot.id, name: 'k', expires_in_days: 1 },
      });
      const token = await serviceAccountTokens({ baseUrl: url, account: robot.id, key: { id, private_key } })();
      const address = new URL(await urlOf(service));
      const client = (apiKey: string) =>
        new OpenAI({
          ...{ apiKey, baseURL: `${address.origin}/v1`, maxRetries: 0, fetch: fetchHere },
        });
      const stream = await client(token).chat.completions.create({
        ...{ model: 'noise', messages: [{ role: 'user', content: 'hello' }], max_tokens: 8 },
        ...{ stream: true, stream_options: { include_usage: true } },
      });
      let chunks = 0;
      let usage: { prompt_tokens: number; completion_tokens: number } | undefined;
      for await (const chunk of stream) {
        chunks += 1;
        if (chunk.usage) usage = chunk.usage;
      }
      expect(chunks).toBeGreaterThan(4);
      expect(usage?.completion_tokens).toBe(8);
      await expect(client('nobody').models.list()).rejects.toMatchObject({ status: 401 });
      const strangers = { headers: { authorization: `Bearer ${publisher.token}` } };
      expect((await openPage(`${address.origin}/v1/models`, strangers)).status).toBe(404);

      const units = async () => {
        const { data } = await tenant.api.appInstances.use({ app_instance_id: service });
        return data.map((hour) => hour.units);
      };
      const counted = { 'input-tokens': usage?.prompt_tokens, 'output-tokens': 8 };
      await expect.poll(units, soon).toEqual([counted]);
      expect(await tenant.say('app', 'use', service)).toContain('output-tokens');
    },
    10 * minuteMs,
  );

  it(
    'with pages is opened in a browser by who launched it, and runs cells over the WebSocket of its kernel',
    async () => {
      const made = await tenant.gpuaas('app', 'launch', 'demo/jupyterlab', '--on', allocation);
      const id = String(made['id']);
      await untilRunning(id);
      const address = await urlOf(id);
      const session = await openSession(address);
      const page = await openPage(`${address}/lab`, { headers: { cookie: session } });
      expect(page.body).toContain('JupyterLab');
      const xsrf = cookieOf(page, '_xsrf');
      const cookie = `${session}; ${xsrf}`;
      const headers = { 'x-xsrftoken': xsrf.split('=')[1] ?? '', 'content-type': 'application/json' };
      const kernel = await openPage(`${address}/api/kernels`, {
        ...{ method: 'POST', body: '{}', headers: { cookie, origin: address, ...headers } },
      });
      expect(kernel.status, kernel.body).toBe(201);
      const code = 'import os; (os.getuid(), open("/home/work/kept", "w").write("kept"), sum(range(10)) * 2)';
      expect(await runCell(address, JSON.parse(kernel.body).id, cookie, code)).toBe('(1000, 4, 90)');
      expect(await stage.containers()).toHaveLength(2);
      await tenant.say('app', 'release', id, '--yes');
      await expect.poll(() => stage.containers().then(({ length }) => length), soon).toBe(1);
    },
    10 * minuteMs,
  );

  it(
    'is gone with its allocation when it is released, and its container too',
    async () => {
      await tenant.say('app', 'release', service, '--yes');
      const released = async () => (await tenant.api.allocations.get({ allocation_id: allocation })).state;
      await expect.poll(released, { ...soon, timeout: 5 * minuteMs }).toBe('released');
      expect(await stage.containers()).toEqual([]);
    },
    10 * minuteMs,
  );
});

/** Signs a person in at the address of an app, as their browser does; answers the cookie of the session. */
async function openSession(address: string): Promise<string> {
  const away = await openPage(`${address}/lab`, { headers: { accept: 'text/html' } });
  expect(away.status).toBe(302);
  const { searchParams } = new URL(String(away.headers.location));
  const [label, state] = [searchParams.get('label') ?? '', searchParams.get('state') ?? ''];
  const { redirect_url } = await openGpuaas({ baseUrl: url, token: tenant.token }).appInstances.signInCreate({
    ...{ label, state, to: '/lab' },
  });
  const back = await openPage(redirect_url, { headers: { cookie: cookieOf(away, 'gpuaas-app-state') } });
  expect(back.status).toBe(302);
  return cookieOf(back, 'gpuaas-app');
}

/** What a cell answers, over the WebSocket of its kernel. */
async function runCell(address: string, kernel: string, cookie: string, code: string): Promise<string> {
  const { host, port, origin } = new URL(address);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/kernels/${kernel}/channels`, {
    headers: { host, origin, cookie },
  });
  const answer = new Promise<string>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', (data) => {
      const { msg_type, content } = JSON.parse(data.toString());
      if (msg_type === 'error') reject(new Error(`${content.ename}: ${content.evalue}`));
      if (msg_type === 'execute_result') resolve(content.data['text/plain']);
    });
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const header = { msg_id: systemIds.next(), msg_type: 'execute_request', username: '', session: 's', version: '5.3' };
  const content = { code, silent: false, store_history: false, allow_stdin: false };
  socket.send(JSON.stringify({ header, parent_header: {}, metadata: {}, content, channel: 'shell' }));
  try {
    return await answer;
  } finally {
    socket.close();
  }
}

if (!isRoot) {
  it('is tried as root: containers need namespaces and loop devices', () => {
    expect.fail('Run the production suites as root: stock apps were not tried in containers on this machine.');
  });
}
