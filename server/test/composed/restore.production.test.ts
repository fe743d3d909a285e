import { type ChildProcess, execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, makeCaller } from '../../src/bin/all/caller.ts';
import { processes } from '../../src/bin/processes.ts';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { logins } from '../../src/ports/database/roles.ts';
import { storeSettings } from '../../src/ports/open.ts';
import { startPostgres } from '../../src/testing/servers/postgres.ts';
import { freePort, type TestServer } from '../../src/testing/servers/start.ts';
import type { AgentOrder } from '../chaos/agent-child.ts';
import { openForBusiness } from '../chaos/capacity.ts';
import { type Member, startMember } from './installation.ts';

/**
 * The loss of a database server, from the commands of the guide: an installation is backed up while it works, goes on selling, and
 * loses its server. A new one gets the backup. PostgreSQL carries every port, so all of it goes back in time together; the host
 * does not, and never stops. The host is simulated.
 */
const run = promisify(execFile);
const patience = 300_000;
const password = 'typed-by-a-test';
const secretsKey = `k1:${randomBytes(32).toString('base64')}`;
const control = join(import.meta.dirname, '../../src/bin/control/main.ts');
const slice = { sku: 'h200-sxm-slice', region: 'local', gpus: 1 };
const wanted = new Set(['api', 'provisioning-worker', 'billing-worker', 'outbox-relay']);

let folder: string;
let server: TestServer;
let root: pg.Pool;
let members: Member[] = [];
let agent: ChildProcess;
let [port, nodePort, internalPort] = [0, 0, 0];
let tokenOf: (subject: string) => Promise<string>;
let keysUrl = '';
let [buyer, operator] = [undefined, undefined] as unknown as [Call, Call];
let project = '';
const opened: { close(): Promise<unknown> }[] = [];

const addressOf = (role?: string) => {
  const address = new URL(server.url);
  if (role) Object.assign(address, { username: role, password });
  address.pathname = '/gpuaas';
  return address.href;
};
/** A command as an operator types it, with the settings of `migrate`. */
const type = (...args: string[]) =>
  run(process.execPath, ['--disable-warning=DeprecationWarning', control, ...args], {
    env: {
      GPUAAS_DATABASE_ADMIN_URL: server.url,
      GPUAAS_OBJECTS_FOLDER: join(folder, 'objects'),
      ...Object.fromEntries(
        logins.map((login) => [`GPUAAS_${login.replace('gpuaas_', '').toUpperCase()}_PASSWORD`, password]),
      ),
    },
  }).catch((error: { readonly code: number; readonly stdout: string; readonly stderr: string }) => error);

async function startProcesses(): Promise<void> {
  root = new pg.Pool({ connectionString: addressOf(), application_name: 'test', max: 2 });
  root.on('error', () => undefined);
  for (const { spec, login, stores, keys } of processes.filter(({ spec }) => wanted.has(spec.name))) {
    const isApi = spec.name === 'api';
    const env = {
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      GPUAAS_DATABASE_URL: addressOf(login),
      ...storeSettings(
        stores.filter((store) => store !== 'payments'),
        addressOf,
      ),
      ...(keys.length > 0 && { GPUAAS_SECRETS_KEY: secretsKey }),
      ...(isApi && { GPUAAS_AUTHORITY_URL: addressOf('gpuaas_authority') }),
      GPUAAS_OBJECTS_FOLDER: join(folder, 'objects'),
      GPUAAS_PORT: String(port),
      GPUAAS_NODE_PORT: String(nodePort),
      GPUAAS_NODE_NAMES: '127.0.0.1',
      GPUAAS_INTERNAL_PORT: String(internalPort),
      GPUAAS_REQUESTS_PER_MINUTE: '100000',
      GPUAAS_OIDC_ISSUER: 'https://issuer.test',
      GPUAAS_OIDC_KEYS_URL: keysUrl,
    };
    members.push(await startMember(spec.name, 0, env));
  }
}
async function loseServer(): Promise<void> {
  await Promise.all(members.map((member) => member.stop()));
  members = [];
  await root.end();
  await server.close();
}

const allocation = (id: string) => buyer('GET', `/api/v1/allocations/${id}`) as Promise<{ state: string }>;
async function launch(name: string): Promise<string> {
  const { id } = (await buyer('POST', '/api/v1/allocations', { ...slice, name })) as { id: string };
  return id;
}
const becomes = (id: string, state: string) =>
  expect.poll(async () => (await allocation(id)).state, { timeout: patience, interval: 300 }).toBe(state);
const rows = async <T>(text: string, values: readonly unknown[] = []): Promise<T[]> =>
  (await root.query(text, [...values])).rows as T[];
const slotsOf = async (id: string) =>
  rows<{ id: string; generation: string }>(
    `select id, generation::text as generation from slots where allocation_id = $1`,
    [id],
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-restore-'));
  server = await startPostgres();
  [port, nodePort, internalPort] = [await freePort(), await freePort(), await freePort()];
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = join(folder, 'keys.json');
  await writeFile(keys, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }));
  keysUrl = pathToFileURL(keys).href;
  tokenOf = (subject) =>
    new SignJWT({ auth_time: Math.floor(Date.now() / 1_000) })
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer('https://issuer.test')
      .setAudience('gpuaas')
      .setSubject(subject)
      .setJti(systemIds.next())
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
  const made = await type('migrate');
  expect(made.stderr).toBe('');
  await startProcesses();
  const url = `http://127.0.0.1:${port}`;
  await openForBusiness({ url, token: tokenOf, schema: { url: addressOf() } }, root, async (enrolment) => {
    const order: AgentOrder = {
      ...{ folder, url: `https://127.0.0.1:${nodePort}`, speed: 200, usageEveryMs: 500, enrolment },
    };
    agent = fork(join(import.meta.dirname, '../chaos/agent-child.ts'), [JSON.stringify(order)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await new Promise((resolve) => agent.once('message', resolve));
  });
  operator = makeCaller(url, () => tokenOf('operator'));
  const person = makeCaller(url, () => tokenOf('buyer'));
  const named = { name: 'Restored', slug: 'restored' };
  const { id } = (await person('POST', '/api/v1/organizations', named)) as { id: string };
  ({ id: project } = (await person('POST', `/api/v1/organizations/${id}/projects`, named)) as { id: string });
  buyer = makeCaller(url, () => tokenOf('buyer'), { 'x-project-id': project });
}, 3 * patience);
afterAll(async () => {
  agent?.kill('SIGKILL');
  await loseServer().catch(() => undefined);
  await Promise.all(opened.map((each) => each.close()));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}, patience);

let [before, after] = ['', ''];
let [lastPosition, lostGeneration] = [0n, 0n];
let slotsOfBefore: { id: string; generation: string }[] = [];
let backedUpAt = 0;
const backup = () => join(folder, 'backup');

describe('the loss of the database', { timeout: 2 * patience }, () => {
  it('is prepared for by a backup that is made while everything works', async () => {
    before = await launch('before');
    await becomes(before, 'active');
    await eventually(async () => ((await rows(`select from ledger_entries limit 1`)).length > 0 ? true : undefined));
    slotsOfBefore = await slotsOf(before);
    const done = await type('backup', backup());
    expect(done.stderr).toBe('');
    backedUpAt = Date.now();
    expect(done.stdout).toContain(backup());
    expect((await type('verify', backup())).stdout).toContain('is whole');
    expect((await type('backup', backup())).stderr).not.toBe('');
  });

  it('takes with it what happened since the backup', async () => {
    after = await launch('after');
    await becomes(after, 'active');
    const [found] = await rows<{ last: string; generation: string }>(
      `select (select max("position")::text from outbox_events) as last, (select max(generation)::text from slots) as generation`,
    );
    lastPosition = BigInt(found?.last ?? 0);
    lostGeneration = BigInt(found?.generation ?? 0);
    const refused = await type('restore', backup());
    expect(refused.stderr).toContain('a restore writes over none');
    expect((await allocation(after)).state).toBe('active');
    await loseServer();
  });

  it('is mended by a restore, whose figures are those of the backup', async () => {
    server = await startPostgres();
    const damaged = join(folder, 'damaged');
    await run('cp', ['-r', backup(), damaged]);
    await writeFile(join(damaged, 'database.dump'), 'something else');
    expect((await type('verify', damaged)).stderr).toContain('database.dump is not what was written');
    expect((await type('restore', damaged)).stderr).toContain('is damaged');
    const began = Date.now();
    const done = await type('restore', backup());
    expect(done.stderr).toBe('');
    expect(done.stdout).toContain('its figures are those of the backup');
    expect(done.stdout).toContain('Epoch 2:');
    const restoredMs = Date.now() - began;
    await startProcesses();
    const readyMs = Date.now() - began;
    const manifest = JSON.parse(await readFile(join(backup(), 'manifest.json'), 'utf8')) as { takenAt: string };
    process.stdout.write(
      `restored in ${restoredMs} ms, every process ready after ${readyMs} ms; the backup was ${backedUpAt - Date.parse(manifest.takenAt)} ms old when it was finished\n`,
    );
    expect((await type('restore', backup())).stderr).toContain('a restore writes over none');
  });

  it('leaves a host that reconnects as who it is, and whose machine of before goes on', async () => {
    const enrolments = () => rows<{ n: number }>('select count(*)::int as n from node_enrolments');
    const [known] = await enrolments();
    await eventually(async () => ((await rows('select from node_reports')).length > 0 ? true : undefined));
    expect(await enrolments()).toEqual([known]);
    expect(agent.exitCode).toBeNull();
    expect((await allocation(before)).state).toBe('active');
    expect(await slotsOf(before)).toEqual(slotsOfBefore);
  });

  it('shows what the host holds and no row knows, and keeps its slot from being sold', async () => {
    await expect(allocation(after)).rejects.toThrow();
    type Alert = { kind: string; effect: string; message: string; slot_id: string | null };
    const drift = async () => ((await operator('GET', '/api/v1/admin/alerts?source=drift')) as { data: Alert[] }).data;
    const leftovers = await eventually(async () => {
      const found = await drift();
      const isCompared = !found.some(({ kind }) => kind === 'restored_unchecked');
      const left = found.filter(({ kind }) => kind.startsWith('leftover_'));
      return isCompared && left.length > 0 ? left : undefined;
    });
    expect(leftovers).toMatchObject([{ effect: 'blocks_sale', message: expect.stringContaining(after) }]);
    const [slot] =
      (await eventually(async () => {
        const found = await rows<{ state: string; reserved: boolean }>('select state from slots where id = $1', [
          leftovers?.[0]?.slot_id,
        ]);
        return found[0]?.state === 'quarantined' ? found : undefined;
      })) ?? [];
    expect(slot).toEqual({ state: 'quarantined' });
    // Eight slots: one of a machine that goes on, one that is set aside. The others are sold, and none of these two.
    const sold: string[] = [];
    for (let count = 0; count < 6; count += 1) sold.push(await launch(`next-${count}`));
    for (const id of sold) await becomes(id, 'active');
    const held = (await Promise.all(sold.map(slotsOf))).flat();
    expect(held).toHaveLength(6);
    expect(held.map(({ id }) => id)).not.toContain(leftovers?.[0]?.slot_id);
    for (const { generation } of held) expect(BigInt(generation)).toBeGreaterThan(lostGeneration + 1_000n);
    await expect(launch('too-much')).rejects.toThrow(/capacity/i);
  });

  it('continues positions above all that were seen, with chains that verify and a ledger that adds up', async () => {
    const [first] = await rows<{ position: string }>(
      `select min("position")::text as position from outbox_events where created_at > (select began_at from installation_epochs)`,
    );
    expect(BigInt(first?.position ?? 0)).toBeGreaterThan(lastPosition);
    const isSealed = () =>
      eventually(async () => {
        const [found] = await rows<{ waiting: number }>(
          `select count(*)::int as waiting from audit_logs a
           where a.action = 'installation.restore' and not exists (select from audit_seals s where s.audit_id = a.id)`,
        );
        return found?.waiting === 0 ? true : undefined;
      });
    await isSealed();
    const verdict = (await operator('GET', '/api/v1/admin/audit-logs/verify')) as { verified: boolean };
    expect(verdict).toMatchObject({ broken: null });
    const [sum] = await rows<{ sum: string }>(
      `select coalesce(sum(a), 0)::text as sum from ledger_entries l, unnest(l.amounts) as a`,
    );
    expect(sum).toEqual({ sum: '0' });
  });
});
