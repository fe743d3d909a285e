import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { testManifest } from '../../src/domains/apps/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { endAll, type Started, start } from './support/npm-start.ts';
import { ask, signIn } from './support/sign-in.ts';

/** An app through the whole of `npm start`: published, launched with its allocation, called, opened, stopped and released. */
const patience = 300_000;
const soon = { timeout: 90_000, interval: 250 };
let folder: string;
let started: Started;
let token: string;
let projectId: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-app-'));
  // The database runs as another user where this runs as root.
  await chmod(folder, 0o755);
  started = await start(['--data', folder, '--host-speed', '1000']);
  const [password = ''] = started.fact('Password').split(' ');
  token = (await signIn(started.fact('URL'), { login: 'owner', password })).access_token;
  const { body } = await ask(started.fact('URL'), token);
  const demo = (body.organizations as { id: string; slug: string }[]).find(({ slug }) => slug === 'demo');
  const projects = await ask(started.fact('URL'), token, `/api/v1/organizations/${demo?.id}/projects`);
  projectId = projects.body.data[0].id;
}, patience);
afterAll(async () => {
  await endAll();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}, patience);

async function call(method: string, path: string, body?: object) {
  const said = await ask(started.fact('URL'), token, path, {
    method,
    headers: {
      ...{ authorization: `Bearer ${token}`, 'x-project-id': projectId },
      ...(method !== 'GET' && { 'idempotency-key': systemIds.next() }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(said.status, JSON.stringify(said.body)).toBeLessThan(300);
  return said.body;
}
/** Every name below localhost is this machine; not every resolver knows. */
function fetchApp(url: string, headers: Record<string, string> = {}) {
  const { host, port, pathname, search } = new URL(url);
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path: `${pathname}${search}`, headers: { host, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}
const cookieOf = (headers: NodeJS.Dict<string | string[]>) =>
  String([headers['set-cookie']].flat()[0] ?? '').split(';', 1)[0] ?? '';

describe('an app of a person who is no administrator of the platform', () => {
  it(
    'is launched with its allocation in one call, called with a token, opened by sign-in, stopped and released',
    async () => {
      const slug = `echo-${systemIds.next().slice(-8)}`;
      const app = await call('POST', `/api/v1/projects/${projectId}/apps`, { slug, name: 'Echo' });
      await call('POST', `/api/v1/apps/${app.id}/versions`, { manifest: testManifest({ slug }) });
      const made = await call('POST', '/api/v1/app-instances', {
        app: app.reference,
        parameters: { greeting: 'Hi' },
        allocation: { sku: 'h200-sxm-baremetal-8g', region: 'north', gpus: 8 },
      });
      expect(made).toMatchObject({ state: 'requested', owns_allocation: true });
      const path = `/api/v1/app-instances/${made.id}`;
      const state = async () => (await call('GET', path)).state;
      await expect.poll(state, soon).toBe('running');

      const routes: { family: string; url: string }[] = (await call('GET', path)).routes;
      const urlOf = (family: string) => routes.find((route) => route.family === family)?.url ?? '';
      const bearer = { authorization: `Bearer ${token}` };
      await expect.poll(async () => (await fetchApp(`${urlOf('api')}/v1/models`, bearer)).status, soon).toBe(200);
      expect((await fetchApp(`${urlOf('api')}/echo`)).status).toBe(401);
      const echoed = await fetchApp(`${urlOf('api')}/echo`, bearer);
      expect(echoed.body).not.toContain(token);

      const away = await fetchApp(`${urlOf('browser')}/`, { accept: 'text/html' });
      expect(away.status).toBe(302);
      const to = new URL(String(away.headers['location']));
      const signedIn = await call('POST', '/api/v1/app-sign-ins', {
        label: to.searchParams.get('label'),
        state: to.searchParams.get('state'),
        to: '/',
      });
      const back = await fetchApp(signedIn.redirect_url, { cookie: cookieOf(away.headers) });
      expect(back.status).toBe(302);
      const session = { cookie: cookieOf(back.headers) };
      expect((await fetchApp(`${urlOf('browser')}/`, session)).body).toContain('This is simulated.');
      expect((await fetchApp(signedIn.redirect_url, { cookie: cookieOf(away.headers) })).status).toBe(401);

      const { host, port, origin } = new URL(urlOf('browser'));
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { host, origin, ...session } });
      const heard: string[] = [];
      socket.on('message', (data) => heard.push(data.toString()));
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      socket.send('hello');
      await expect.poll(() => heard, soon).toContain('hello');

      await call('POST', `${path}/logs`, { tail_lines: 50 });
      await expect.poll(async () => (await call('GET', `${path}/logs`)).lines.length, soon).toBeGreaterThan(0);

      const closed = new Promise((resolve) => socket.once('close', resolve));
      await call('POST', `${path}/stop`);
      await closed;
      await expect.poll(state, soon).toBe('stopped');
      expect((await fetchApp(`${urlOf('browser')}/`, session)).status).toBe(503);

      expect(await call('POST', `${path}/release`)).toMatchObject({ state: 'released', end_reason: 'user' });
      const allocation = () => call('GET', `/api/v1/allocations/${made.allocation_id}`);
      await expect.poll(async () => (await allocation()).state, soon).toBe('released');
    },
    patience,
  );
});
