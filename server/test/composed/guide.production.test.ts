import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, makeCaller } from '../../src/bin/all/caller.ts';
import { processes } from '../../src/bin/processes.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { makeBrowser } from '../../src/ports/identity-provider/conformance-browser.ts';
import { freePort, type TestServer } from '../../src/testing/servers/start.ts';
import type { AgentOrder } from '../chaos/agent-child.ts';
import { signIn } from '../journeys/support/sign-in.ts';
import { startEmptyServers } from './servers.ts';

/**
 * The commands and files of the guide "run it on your own servers", from an empty PostgreSQL to the first GPU, as they stand
 * there, in one shell after the other with what the ones before have set. Addresses, ports and passwords of the guide are
 * replaced by those of the servers of this test. In place of systemd the test starts the line of the unit; in place of a real
 * host it starts the agent on a simulated one; there is no balancer.
 */
const top = join(import.meta.dirname, '../../..');
const page = join(top, 'docs/guides/run-on-your-own-servers.md');
const unitFile = join(top, 'deploy/systemd/gpuaas@.service');
const run = promisify(execFile);
const patience = 300_000;

let servers: Awaited<ReturnType<typeof startEmptyServers>>;
let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-guide-'));
  servers = await startEmptyServers(folder);
  server = servers.postgres;
  for (const name of ['server', 'node_modules', 'cli', 'tools']) await symlink(join(top, name), join(folder, name));
  await mkdir(join(folder, 'bin'));
  await writeFile(
    join(folder, 'bin/npx'),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${top}/cli/bin/gpuaas.cjs" "$@"\n`,
    { mode: 0o755 },
  );
  [port, nodePort, internalPort] = [await freePort(), await freePort(), await freePort()];
  // On a new machine the servers are built first.
}, 3 * patience);
afterAll(async () => {
  await Promise.all(running.map(end));
  await servers?.close();
  await rm(folder, { recursive: true, force: true });
}, patience);

let [port, nodePort, internalPort] = [0, 0, 0];
let token = '';
const running: ChildProcess[] = [];
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

/** The blocks that a shell reads, below one heading. */
async function blocksOf(heading: string): Promise<string> {
  const sections = (await readFile(page, 'utf8')).split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`));
  if (!section) throw new Error(`the guide has no section "${heading}"`);
  const blocks = [...section.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  if (blocks.length === 0) throw new Error(`"${heading}" has no command`);
  return blocks.join('\n');
}
const password = 'typed-by-a-test';
const here = (text: string) =>
  text
    .replaceAll('/opt/gpuaas', folder)
    .replaceAll('postgres://admin:…@10.0.0.3:5432/postgres', server.url)
    .replaceAll(/(GPUAAS_[A-Z]+_PASSWORD)=…/g, `$1=${password}`)
    .replaceAll(
      /postgres:\/\/(gpuaas_\w+):…@10\.0\.0\.3:5432/g,
      `${new URL(server.url).protocol}//$1:${password}@${new URL(server.url).host}`,
    )
    .replaceAll('/etc/gpuaas', folder)
    .replaceAll('nodes.example.com,10.0.0.11', '127.0.0.1')
    .replaceAll('https://gpu.example.com', `http://127.0.0.1:${port}`);

/** What differs on one machine: every port is free, every address is this one. What other programs carry is left out. */
const onThisMachine = async (name: string): Promise<Readonly<Record<string, string | undefined>>> => ({
  ...servers.settings,
  GPUAAS_HOST: '127.0.0.1',
  GPUAAS_PORT: String(port),
  GPUAAS_NODE_HOST: '127.0.0.1',
  GPUAAS_NODE_PORT: String(nodePort),
  GPUAAS_NODE_URL: `https://127.0.0.1:${nodePort}`,
  GPUAAS_NODE_NAMES: '127.0.0.1',
  GPUAAS_INTERNAL_HOST: '127.0.0.1',
  GPUAAS_INTERNAL_PORT: String(internalPort),
  GPUAAS_INTERNAL_NAMES: '127.0.0.1',
  GPUAAS_INTERNAL_URL: `https://127.0.0.1:${internalPort}`,
  GPUAAS_TERMINAL_HOST: '127.0.0.1',
  GPUAAS_TERMINAL_PORT: '0',
  GPUAAS_TERMINAL_NODE_HOST: '127.0.0.1',
  GPUAAS_TERMINAL_NODE_PORT: '0',
  GPUAAS_TERMINAL_PEER_URL: undefined,
  GPUAAS_NODE_LOG_HOST: '127.0.0.1',
  GPUAAS_NODE_LOG_PORT: '0',
  GPUAAS_NODE_LOGS_URL: undefined,
  GPUAAS_APPS_HOST: '127.0.0.1',
  GPUAAS_APPS_PORT: '0',
  GPUAAS_APP_TUNNEL_HOST: '127.0.0.1',
  GPUAAS_APP_TUNNEL_PORT: '0',
  GPUAAS_APP_TUNNEL_URLS: undefined,
  GPUAAS_HEALTH_HOST: '127.0.0.1',
  GPUAAS_TRUSTED_PROXIES: '127.0.0.1',
  GPUAAS_CONSOLE_FOLDER: undefined,
  GPUAAS_DOCS_FOLDER: undefined,
  ...(name === 'shared' ? {} : { GPUAAS_HEALTH_PORT: String(await freePort()) }),
});
/** A file of settings as the guide has it, in the folder that stands for /etc/gpuaas; only values are replaced. */
async function writeSettings(name: string, keys: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const block = new RegExp(`\`/etc/gpuaas/${name}.env\`:\\n\\n\`\`\`\\n([\\s\\S]*?)\`\`\``).exec(
    await readFile(page, 'utf8'),
  )?.[1];
  if (!block) throw new Error(`the guide has no ${name}.env`);
  const values = await onThisMachine(name);
  const settings = here(block)
    .trim()
    .split('\n')
    .map((line): [string, string | undefined] => {
      const [key = '', ...rest] = line.split('=');
      const value = rest.join('=');
      if (key === 'GPUAAS_SECRETS_KEY') return [key, keys[value.replace(':…', '')]];
      return [key, key in values ? values[key] : value];
    })
    .filter((each): each is [string, string] => each[1] !== undefined);
  // The mail server of this test has no certificate.
  if (name === 'email-worker') settings.push(['GPUAAS_SMTP_PLAIN', 'true']);
  await writeFile(join(folder, `${name}.env`), settings.map(([key, value]) => `${key}=${value}\n`).join(''));
  return Object.fromEntries(settings);
}
const type = (text: string) =>
  run('bash', ['-euo', 'pipefail', '-c', here(text)], {
    cwd: folder,
    env: { PATH: `${join(folder, 'bin')}:/usr/local/bin:/usr/bin:/bin`, HOME: folder, NO_COLOR: '1' },
  });

/** The guide that this one leads on to, by the calls that it names: the host enrols, its slots are approved, it is published. */
async function serve(call: Call, enrolment: NonNullable<AgentOrder['enrolment']>): Promise<void> {
  const order: AgentOrder = { folder, url: `https://127.0.0.1:${nodePort}`, speed: 200, enrolment };
  const agent = fork(join(top, 'server/test/chaos/agent-child.ts'), [JSON.stringify(order)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  running.push(agent);
  const allowed = { level: 'global', value: true, reason: 'the host of this test is simulated' };
  await call('PUT', '/api/v1/admin/policies/node.simulated_allowed', allowed);
  const later = { level: 'global', value: false, reason: 'organizations of this test pay by invoice' };
  await call('PUT', '/api/v1/admin/policies/billing.enforce_balance', later);
  const { data } = (await call('GET', '/api/v1/admin/nodes')) as { data: { id: string }[] };
  const path = `/api/v1/admin/nodes/${data[0]?.id}`;
  const node = () => call('GET', path) as Promise<{ state: string; topology_at: string | null }>;
  const isKnown = async () => {
    const { state, topology_at } = await node();
    return { state, isKnown: topology_at !== null };
  };
  await expect.poll(isKnown, { timeout: patience, interval: 500 }).toEqual({ state: 'active', isKnown: true });
  await call('POST', `${path}/slots/approve`, {});
  await call('POST', `${path}/publish`, {});
}

/** A tenant asks for the whole host; answers where the allocation is. */
async function launch(call: Call): Promise<string> {
  const named = { name: 'First', slug: 'first' };
  const { id: organization } = (await call('POST', '/api/v1/organizations', named)) as { id: string };
  const { id: project } = (await call('POST', `/api/v1/organizations/${organization}/projects`, named)) as {
    id: string;
  };
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/allocations`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': systemIds.next(),
      'content-type': 'application/json',
      'x-project-id': project,
    },
    body: JSON.stringify({ name: 'first', sku: 'h200-sxm-baremetal-8g', region: 'eu-1', gpus: 8 }),
  });
  const made = (await response.json()) as { id: string };
  expect(response.status, JSON.stringify(made)).toBe(201);
  return `/api/v1/allocations/${made.id}`;
}

const chosen = 'a sentence that nobody guesses';
const keys: Record<string, string> = {};
const settings = new Map<string, Record<string, string>>();
let shared: Record<string, string> = {};
let link = '';

describe('the guide for your own servers', { timeout: patience }, () => {
  it('makes a keyring, and cuts it for the workers', async () => {
    const { stdout } = await type(await blocksOf('Sealing keys'));
    expect(await readFile(join(folder, 'keyring'), 'utf8')).toMatch(/^k1:[A-Za-z0-9+/=]{43,}\s*$/);
    const cut = stdout.trim().split('\n');
    expect(cut).toHaveLength(3);
    for (const line of cut) keys[line.split(':')[0] ?? ''] = line;
    keys['k1'] = (await readFile(join(folder, 'keyring'), 'utf8')).trim();
  });

  it('sets an empty PostgreSQL up, and may be typed again', async () => {
    const path = `export PATH=${folder}/node_modules/.bin:$PATH\n`;
    const block = await blocksOf('Set the database up');
    for (let time = 0; time < 2; time += 1) await type(`${path}${block}`);
    const address = new URL(server.url);
    address.pathname = '/gpuaas';
    Object.assign(address, { username: 'gpuaas_api', password: 'typed-by-a-test' });
    const client = new pg.Client({ connectionString: address.href });
    await client.connect();
    const { rows } = await client.query('select count(*)::int as tables from pg_tables where schemaname = $1', [
      'public',
    ]);
    await client.end();
    expect(rows[0].tables).toBeGreaterThan(50);
  });

  it('makes the first operator, and prints a link to choose a password', async () => {
    shared = await writeSettings('shared', keys);
    settings.set('api', await writeSettings('api', keys));
    const { stdout } = await type(
      `export PATH=${folder}/node_modules/.bin:$PATH\n${await blocksOf('The first operator')}`,
    );
    link = new RegExp(`http://127.0.0.1:${port}/\\S+`).exec(stdout)?.[0] ?? '';
    expect(link, stdout).not.toBe('');
  });

  it('makes the identities of the gateways, which step-ca signs', async () => {
    const path = `export PATH=${folder}/node_modules/.bin:$PATH\n`;
    const { stdout } = await type(`${path}${await blocksOf('The identity of the gateways')}`);
    for (const name of ['terminal-gateway', 'node-log-gateway', 'app-proxy']) {
      expect(stdout).toContain(`${name} has an identity`);
      expect(await readFile(join(folder, name, 'identity.pem'), 'utf8')).toContain('BEGIN PRIVATE KEY');
    }
  });

  it('starts every process of the units from its file of settings, and each is ready', async () => {
    const text = await readFile(page, 'utf8');
    const units = [...text.matchAll(/^systemctl enable --now (.*)$/gm)].flatMap(([, names = '']) =>
      names.split(' ').map((unit) => unit.replace('gpuaas@', '')),
    );
    expect([...units].sort()).toEqual(processes.map(({ spec }) => spec.name).sort());
    const line = /^ExecStart=(.*)$/m.exec(await readFile(unitFile, 'utf8'))?.[1] ?? '';
    for (const name of units) {
      const own = settings.get(name) ?? (await writeSettings(name, keys));
      const [program = '', ...args] = here(line).replaceAll('%i', name).split(' ');
      let said = '';
      const child = spawn(program, args, {
        cwd: folder,
        env: { ...shared, ...own },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      running.push(child);
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          said = (said + chunk.toString()).slice(-4_000);
        });
      }
      const isReady = async () => {
        if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${said}`);
        const answer = await fetch(`http://127.0.0.1:${own['GPUAAS_HEALTH_PORT']}/readyz`).catch(() => undefined);
        return answer?.status;
      };
      await expect.poll(isReady, { timeout: patience, interval: 500 }).toBe(200);
    }
  });

  it('lets the first operator choose a password and sign in', async () => {
    const browser = makeBrowser(`http://127.0.0.1:${port}`);
    await browser.submit(await browser.open(link), { password: chosen });
    ({ access_token: token } = await signIn(`http://127.0.0.1:${port}`, { login: 'ada', password: chosen }));
    await writeFile(join(folder, 'token'), token, { mode: 0o600 });
    const typed = await type(`npx gpuaas login --base-url https://gpu.example.com --token - < ${folder}/token`);
    expect(typed.stdout + typed.stderr).toContain('Signed in to');
  });

  it('announces a host, which enrols, is published and gives a tenant the first GPU', async () => {
    const [, ...lines] = (await blocksOf('The first GPU')).trim().split('\n');
    const { stdout } = await type(lines.join('\n'));
    const [, enrolmentToken = ''] = /echo (\S+) \| sudo node-agent enrol/.exec(stdout) ?? [];
    const [, caFingerprint = ''] = /--ca-fingerprint (\S+)/.exec(stdout) ?? [];
    expect({ enrolmentToken, caFingerprint }, stdout).not.toMatchObject({ enrolmentToken: '' });
    const call = makeCaller(`http://127.0.0.1:${port}`, async () => token);
    await serve(call, { token: enrolmentToken, caFingerprint });
    const launched = await launch(call);
    await expect
      .poll(async () => ((await call('GET', launched)) as { state: string }).state, {
        timeout: patience,
        interval: 500,
      })
      .toBe('active');
  });
});
