import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { putInstance } from '../../src/domains/app-instances/testing.ts';
import { putVersion } from '../../src/domains/apps/testing.ts';
import type { AppRig, Called } from '../../src/edge/apps/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, openWorld, publicUrl, type Tenant, type World } from '../../src/testing/world.ts';
import { makePython } from '../journeys/support/python-environment.ts';
import { openPath, type Program, startProgram } from './room.ts';

/** Programs that people run as apps, for real, through the public path. They are processes here, and no containers. */
const minuteMs = 60_000;
const soon = { timeout: minuteMs, interval: 250 };
let world: World;
let home: Tenant;
let folder: string;
let python: string;
beforeAll(async () => {
  python = await makePython(join(import.meta.dirname, 'requirements.txt'));
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-stock-apps-'));
  world = await openWorld();
  home = await world.found('home');
}, 15 * minuteMs);
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});
const write = (path: string, body: object) =>
  world.call('POST', path, {
    ...{ as: home.token, headers: { 'x-project-id': home.projectId }, key: systemIds.next(), body },
  });
const labelOf = async (id: string, endpoint: string) =>
  (
    await world.root.query('select label from app_routes where app_instance_id = $1 and endpoint_name = $2', [
      ...[id, endpoint],
    ])
  ).rows[0].label as string;
const cookieOf = ({ headers }: Called, name: string) =>
  (headers['set-cookie'] ?? []).find((one) => one.startsWith(`${name}=`))?.split(';', 1)[0] ?? '';

/** A token of a machine of the project, as a program gets it. */
async function machineToken(): Promise<string> {
  const slug = `robot-${systemIds.next().slice(-12)}`;
  const made = await write(`/api/v1/projects/${home.projectId}/service-accounts`, {
    ...{ name: 'Robot', slug, scopes: ['allocations:read', 'allocations:write'] },
  });
  expect(made.status, made.text).toBe(201);
  const key = await write(`/api/v1/service-accounts/${made.body.id}/keys`, { name: 'k', expires_in_days: 1 });
  const assertion = await new SignJWT({ iss: made.body.id, sub: made.body.id, jti: systemIds.next() })
    .setAudience(`${publicUrl}/api/v1/auth/service-accounts/token`)
    .setExpirationTime('1 minute')
    .setProtectedHeader({ alg: 'ES256', kid: key.body.id })
    .sign(await importJWK(key.body.private_key, 'ES256'));
  const given = await write('/api/v1/auth/service-accounts/token', {
    ...{ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion },
  });
  expect(given.status, given.text).toBe(200);
  return given.body.access_token;
}

describe('a model server with the API of OpenAI', () => {
  let program: Program;
  let path: AppRig;
  afterAll(async () => {
    await path?.close();
    await program?.close();
  });

  it(
    'streams to the public client with a token of a service account, and its tokens are counted for the project',
    async () => {
      const script = join(import.meta.dirname, '../../../apps/openai-cpu/server.py');
      program = await startProgram(python, (port) => [script, join(folder, 'noise.gguf'), String(port)], folder);
      const instance = await putInstance(world, home, { state: 'running' });
      const next = await putVersion(world, home, {
        ...{ appId: instance.appId, version: '1.1.0', trust: 'verified' },
        change: {
          metering: (['prompt', 'completion'] as const).map((kind) => ({
            ...{ name: kind, unit: 'token' },
            source: { kind: 'response_field' as const, endpoint: 'api', field: `usage.${kind}_tokens` },
          })),
        },
      });
      await asSystem(world.root, 'update app_instances set app_version_id = $2, version = version + 1 where id = $1', [
        instance.id,
        next.versionId,
      ]);
      path = await openPath(world, program);
      const [token, host] = [await machineToken(), `${await labelOf(instance.id, 'api')}.apps.localhost`];
      const health = () => path.call('/health', { host, headers: { authorization: `Bearer ${token}`, cookie: '' } });
      await expect.poll(async () => (await health()).status, soon).toBe(200);
      const { stdout } = await promisify(execFile)(
        python,
        [join(import.meta.dirname, 'ask_model.py'), `http://127.0.0.1:${path.proxy.port}`, host, token],
        { timeout: minuteMs },
      );
      const said = JSON.parse(stdout);
      expect(said).toMatchObject({ models: ['noise'], refused: 401 });
      expect(said.chunks).toBeGreaterThan(4);
      expect(said.output).toBe(12);
      const units = async () => {
        const { body } = await world.call('GET', `/api/v1/app-instances/${instance.id}/use`, { as: home.token });
        return body.data.map((hour: { units: object }) => hour.units);
      };
      await expect.poll(units, soon).toEqual([{ prompt: said.input, completion: said.output }]);
    },
    5 * minuteMs,
  );
});

describe('JupyterLab', () => {
  let program: Program;
  let path: AppRig;
  afterAll(async () => {
    await path?.close();
    await program?.close();
  });

  /** Signs a person in at the address of an app, as their browser does; answers the cookie of the session. */
  async function signIn(label: string, host: string): Promise<string> {
    const away = await path.call('/lab', { host, headers: { accept: 'text/html', cookie: '' } });
    expect(away.status).toBe(302);
    const to = new URL(String(away.headers.location));
    const made = await write('/api/v1/app-sign-ins', { label, state: to.searchParams.get('state'), to: '/lab' });
    expect(made.status, made.text).toBe(201);
    const { pathname, search } = new URL(made.body.redirect_url);
    const back = await path.call(`${pathname}${search}`, {
      ...{ host, headers: { cookie: cookieOf(away, 'gpuaas-app-state') } },
    });
    expect(back.status).toBe(302);
    return cookieOf(back, 'gpuaas-app');
  }

  it(
    'runs a cell for a person who signed in, over the WebSocket of its kernel, and nobody else gets there',
    async () => {
      program = await startProgram(
        python,
        (port) => [
          ...['-m', 'jupyterlab', '--allow-root', '--no-browser', '--ip=127.0.0.1', `--port=${port}`],
          ...['--IdentityProvider.token=', '--ServerApp.allow_remote_access=True', `--ServerApp.root_dir=${folder}`],
        ],
        folder,
      );
      const instance = await putInstance(world, home, { state: 'running' });
      path = await openPath(world, program);
      const label = await labelOf(instance.id, 'web');
      const [host, origin] = [`${label}.apps.localhost`, `http://${label}.apps.localhost`];
      const session = await signIn(label, host);
      const api = (cookie: string) => path.call('/api', { host, headers: { cookie } });
      await expect.poll(async () => (await api(session)).status, soon).toBe(200);
      expect(JSON.parse((await api(session)).body).version).toMatch(/^\d+\./);

      const page = await path.call('/lab', { host, headers: { cookie: session } });
      expect(page.body).toContain('JupyterLab');
      const xsrf = cookieOf(page, '_xsrf');
      const cookie = `${session}; ${xsrf}`;
      const made = await path.call('/api/kernels', {
        ...{ host, method: 'POST', body: '{}' },
        headers: { cookie, origin, 'x-xsrftoken': xsrf.split('=')[1] ?? '', 'content-type': 'application/json' },
      });
      expect(made.status, made.body).toBe(201);
      const channels = `ws://127.0.0.1:${path.proxy.port}/api/kernels/${JSON.parse(made.body).id}/channels`;

      const stranger = new WebSocket(channels, { headers: { host, origin } });
      const refused = new Promise((resolve) => {
        stranger.once('unexpected-response', (_request, answer) => resolve(answer.statusCode));
        stranger.on('error', () => undefined);
      });
      expect(await refused).toBe(401);

      const socket = new WebSocket(channels, { headers: { host, origin, cookie } });
      const results: unknown[] = [];
      socket.on('message', (data) => {
        const { msg_type, content } = JSON.parse(data.toString());
        if (msg_type === 'execute_result') results.push(content.data['text/plain']);
      });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      const header = {
        msg_id: systemIds.next(),
        msg_type: 'execute_request',
        username: '',
        session: 's',
        version: '5.3',
      };
      const content = { code: 'sum(range(10)) * 2', silent: false, store_history: false, allow_stdin: false };
      socket.send(JSON.stringify({ header, parent_header: {}, metadata: {}, content, channel: 'shell' }));
      await expect.poll(() => results, soon).toEqual(['90']);

      // The instance is stopped: the socket is closed within five seconds.
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const beganMs = performance.now();
      expect((await write(`/api/v1/app-instances/${instance.id}/stop`, {})).status).toBe(200);
      await closed;
      expect(performance.now() - beganMs).toBeLessThan(5_000);
      expect((await api(session)).status).toBe(503);
    },
    5 * minuteMs,
  );
});
