import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../server/src/testing/servers/postgres.ts';
import { freePort, type TestServer } from '../../server/src/testing/servers/start.ts';
import { makeControlPackages } from '../lib/packages/control/control-package.ts';
import { imageUser } from '../lib/packages/control/image.ts';
import { root } from '../lib/tree.ts';
import { makePackages } from './package.ts';

/** What `npm run package` makes, used as an operator uses it: unpacked, read by dpkg, and run by podman. */
const run = promisify(execFile);
const patience = 10 * 60_000;
const arch = process.arch as 'x64' | 'arm64';
let folder: string;
let out: string;
let image: string;
const made = new Map<string, string>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-packages-'));
  out = join(folder, 'out');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  await writeFile(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(join(folder, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  const say = (line: string) => {
    const [path = '', , , digest] = line.split(/ +/);
    if (digest) image = digest;
    if (path.includes('control-plane')) made.set(path.replace(/^.*linux-[a-z0-9]+\./, ''), path);
  };
  await makePackages({ out, arch, signWith: join(folder, 'key.pem'), say });
}, patience);
afterAll(async () => {
  await podman('rm', '--all', '--force', '--time=1').catch(() => undefined);
  await podman('rmi', '--all', '--force').catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
}, patience);
const pathOf = (ending: string): string => made.get(ending) ?? `no ${ending} among ${[...made.keys()].join(', ')}`;

/** A store of its own, so that images of the machine stay as they are. */
const podman = (...args: string[]) =>
  run('podman', [
    ...['--root', join(folder, 'store'), '--runroot', join(folder, 'run')],
    // Another runtime refuses machines that have both kinds of control groups.
    ...['--cgroup-manager=cgroupfs', '--runtime=runc', ...args],
  ]);
const apart = [
  ...['--network=host', '--ulimit=nofile=4096:4096', '--ulimit=nproc=1024:1024'],
  ...['--read-only', '--tmpfs=/tmp', '--cap-drop=all', '--security-opt=no-new-privileges'],
];

describe('the packages of the control plane', { timeout: patience }, () => {
  it('have the same bytes when they are made again', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    const { commit } = await saidBy(await unpacked());
    const provenance = { version, commit: String(commit) };
    let count = 0;
    for await (const again of makeControlPackages({ arch, provenance, kinds: ['image', 'bill'] })) {
      const before = await readFile(join(out, again.name));
      expect(again.bytes.equals(before), again.name).toBe(true);
      if (again.kind === 'image') expect(again.digest).toBe(image);
      count += 1;
    }
    expect(count).toBe(2);
  });

  it('are all in the list of sums, whose signature openssl accepts', async () => {
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: out });
    expect(stdout.trim().split('\n')).toHaveLength(6);
    const verify = ['pkeyutl', '-verify', '-pubin', '-inkey', join(folder, 'public.pem'), '-rawin'];
    const files = ['-in', 'SHA256SUMS', '-sigfile', 'SHA256SUMS.sig'];
    expect((await run('openssl', [...verify, ...files], { cwd: out })).stdout).toContain('Verified Successfully');
    await writeFile(join(out, 'changed'), 'another list');
    const changed = ['-in', 'changed', '-sigfile', 'SHA256SUMS.sig'];
    await expect(run('openssl', [...verify, ...changed], { cwd: out })).rejects.toThrow();
  });

  it('run from any folder with nothing installed, and say commit and contract', async () => {
    const said = await saidBy(await unpacked());
    const description = await readFile(join(root, 'api/openapi.json'));
    expect(said).toMatchObject({
      commit: expect.stringMatching(/^[0-9a-f]{40}(?:-changed)?$/),
      contract: `sha256:${createHash('sha256').update(description).digest('hex')}`,
    });
  });

  it('hold no test and nothing that only builds, and the bill names every package that is there', async () => {
    const home = await unpacked();
    const { stdout } = await run('find', [home, '-name', '*.test.ts', '-o', '-path', '*/node_modules/vite*']);
    expect(stdout).toBe('');
    const { stdout: found } = await run('sh', [
      '-c',
      `cd "$1" && find node_modules */node_modules -name package.json -not -path '*/.*' -print0 | xargs -0 cat | jq -r 'select(.name != null and .version != null) | "\\(.name)@\\(.version)"' | sort -u`,
      'sh',
      home,
    ]);
    const bill = JSON.parse(await readFile(pathOf('cdx.json'), 'utf8')) as {
      components: { name: string; version: string }[];
    };
    const there = new Set(found.trim().split('\n'));
    const named = bill.components.filter(({ name }) => !/^(?:node|lib|gcc)/.test(name));
    expect(named.length).toBeGreaterThan(100);
    expect(bill.components.map(({ name }) => name)).toEqual(expect.arrayContaining(['node', 'libc6', 'fastify', 'pg']));
    expect(named.filter(({ name, version }) => !there.has(`${name}@${version}`))).toEqual([]);
  });

  it('are a Debian package with the unit, the account and two commands', async () => {
    const { stdout } = await run('dpkg-deb', ['--contents', pathOf('deb')], { maxBuffer: 64 << 20 });
    for (const path of [
      './opt/gpuaas/server/src/bin/api/main.ts',
      './opt/gpuaas/db/migrations/0001-foundation.up.sql',
      './opt/gpuaas/web/dist/index.html',
      './opt/gpuaas/web/dist-docs/index.html',
      './usr/lib/systemd/system/gpuaas@.service',
      './usr/bin/gpuaas-control -> /opt/gpuaas/bin/gpuaas-control',
      './opt/gpuaas/node_modules/.bin/node -> ../../bin/node',
    ]) {
      expect(stdout).toContain(path);
    }
    await run('dpkg-deb', ['--control', pathOf('deb'), join(folder, 'about')]);
    expect(await readFile(join(folder, 'about/postinst'), 'utf8')).toContain('gpuaas');
  });

  it('make the account with the number of the image, and leave one alone that is there', async () => {
    const script = join(root, 'deploy/control-plane/debian/postinst');
    // In a namespace where /etc is a copy.
    const typed = [
      ...['cp -a /etc "$1/etc"', 'mount --bind "$1/etc" /etc', 'userdel gpuaas 2>/dev/null || true'],
      ...['rm -rf /etc/gpuaas', 'sh "$2" configure', 'sh "$2" configure', 'getent passwd gpuaas', 'id gpuaas'],
      'stat -c "%a %U %G" /etc/gpuaas',
    ].join(' && ');
    const own = await mkdtemp(join(folder, 'account-'));
    const { stdout } = await run('unshare', ['--mount', 'sh', '-euc', typed, 'sh', own, script]);
    const number = imageUser.id;
    expect(stdout).toContain(`gpuaas:x:${number}:${number}::/opt/gpuaas:/usr/sbin/nologin\n`);
    expect(stdout).toContain('750 root gpuaas\n');
  });
});

describe('the image', { timeout: patience }, () => {
  let server: TestServer;
  let name: string;
  const names: string[] = [];
  const password = randomBytes(12).toString('hex');
  beforeAll(async () => {
    server = await startPostgres();
    await podman('load', '--input', pathOf('oci.tar'));
    name = (await podman('images', '--quiet', '--no-trunc')).stdout.trim();
  }, patience);
  afterAll(async () => {
    await Promise.all(names.map((each) => podman('rm', '--force', '--time=5', each)));
    await server?.close();
  }, patience);
  const passwords = [
    'API',
    'WORKER',
    'RELAY',
    'MAILER',
    'BILLING',
    'NOTIFIER',
    'WEBHOOKS',
    'CACHE',
    'AUTHORITY',
    'ISSUER',
  ];
  const urlOf = (login: string) => {
    const url = new URL(server.url);
    Object.assign(url, { username: login, password, pathname: '/gpuaas' });
    return url.href;
  };
  const given = (env: Readonly<Record<string, string>>) =>
    Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);

  it('sets a database up, after saying what it would do', async () => {
    const env = given({
      GPUAAS_DATABASE_ADMIN_URL: server.url,
      ...Object.fromEntries(passwords.map((each) => [`GPUAAS_${each}_PASSWORD`, password])),
    });
    const asked = await podman('run', '--rm', ...apart, ...env, name, 'migrate', '--check');
    expect(asked.stdout).toContain('The database is empty or not there.');
    expect(asked.stdout).toContain('0001-foundation');
    const done = await podman('run', '--rm', ...apart, ...env, name, 'migrate');
    expect(done.stdout).toContain('Applied foundation, ');
    const again = await podman('run', '--rm', ...apart, ...env, name, 'migrate', '--check');
    expect(again.stdout).toContain('Nothing would be applied');
  });

  it('runs the api as an account of its own, on a root that cannot be written, and ends in order', async () => {
    const [port, healthPort, nodePort, internalPort] = await Promise.all([1, 2, 3, 4].map(() => freePort()));
    const env = given({
      GPUAAS_DATABASE_URL: urlOf('gpuaas_api'),
      GPUAAS_CACHE_URL: urlOf('gpuaas_cache'),
      GPUAAS_AUTHORITY_URL: urlOf('gpuaas_authority'),
      GPUAAS_ISSUER_URL: urlOf('gpuaas_issuer'),
      GPUAAS_SECRETS_KEY: `k1:${randomBytes(32).toString('base64')}`,
      GPUAAS_OBJECTS_FOLDER: '/tmp/objects',
      GPUAAS_PORT: String(port),
      GPUAAS_NODE_PORT: String(nodePort),
      GPUAAS_INTERNAL_PORT: String(internalPort),
      GPUAAS_HEALTH_PORT: String(healthPort),
      GPUAAS_CONSOLE_FOLDER: '/opt/gpuaas/web/dist',
      GPUAAS_DOCS_FOLDER: '/opt/gpuaas/web/dist-docs',
    });
    const started = await podman('run', '--detach', ...apart, ...env, name, 'api');
    const id = started.stdout.trim();
    names.push(id);
    const answers = async () => {
      const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => undefined);
      return (await answer?.text()) ?? (await podman('logs', id)).stdout.slice(-500);
    };
    await expect.poll(answers, { timeout: 120_000, interval: 500 }).toContain('"ready":true');
    const asked = await podman('exec', id, '/opt/gpuaas/bin/node', 'server/src/bin/control/main.ts', 'ready');
    expect(asked.stdout).toBe('ready\n');
    const version = await (await fetch(`http://127.0.0.1:${port}/api/v1/version`)).json();
    expect(version).toEqual(await saidBy(await unpacked()));
    const docs = await fetch(`http://127.0.0.1:${port}/docs/`);
    expect(await docs.text()).toContain('GPUaaS');
    const { stdout } = await podman('inspect', '--format', '{{.State.Pid}}', id);
    const status = await readFile(`/proc/${stdout.trim()}/status`, 'utf8');
    expect(status).toMatch(new RegExp(`^Uid:\\s+${imageUser.id}\\s`, 'm'));
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    await podman('stop', '--time=30', id);
    expect((await podman('inspect', '--format', '{{.State.ExitCode}}', id)).stdout.trim()).toBe('0');
  });
});

let home: Promise<string> | undefined;
function unpacked(): Promise<string> {
  home ??= (async () => {
    const into = await mkdtemp(join(folder, 'unpacked-'));
    await run('tar', ['-xzf', pathOf('tar.gz'), '--strip-components=1', '-C', into]);
    return into;
  })();
  return home;
}
async function saidBy(folder: string): Promise<Record<string, unknown>> {
  const { stdout } = await run(join(folder, 'bin/gpuaas-control'), ['version'], { env: { PATH: '/usr/bin:/bin' } });
  return JSON.parse(stdout) as Record<string, unknown>;
}
