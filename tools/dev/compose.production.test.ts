import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { processes } from '../../server/src/bin/processes.ts';
import { openKeyring } from '../../server/src/kernel/secrets/keyring.ts';
import { startPostgres } from '../../server/src/testing/servers/postgres.ts';
import { startSmtp } from '../../server/src/testing/servers/smtp.ts';
import { freePort, goProgram, type TestServer } from '../../server/src/testing/servers/start.ts';
import { makePython } from '../../server/test/journeys/support/python-environment.ts';
import { imageUser } from '../lib/packages/control/image.ts';
import { root } from '../lib/tree.ts';
import { makePackages } from './package.ts';

/**
 * The Compose file: judged by the validator of the specification, and started by podman-compose with the settings of its guide. Only
 * addresses, ports, passwords and keys of the guide are replaced. Limits of open files are those that this machine allows.
 */
const run = promisify(execFile);
const patience = 15 * 60_000;
const file = join(root, 'deploy/compose/compose.yaml');
const guide = join(root, 'docs/guides/run-with-compose.md');
/** The file as Compose sees it once variables have their values. */
const fill = (text: string, values: Readonly<Record<string, string>>) =>
  text.replaceAll(/\$\{([A-Z_]+):[-?]([^}]*)\}/g, (_, name: string, usual: string) => values[name] ?? usual);
// biome-ignore lint/suspicious/noExplicitAny: a Compose file has every shape
const readCompose = async (): Promise<any> => parse(await readFile(file, 'utf8'), { merge: true });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-compose-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('the Compose file', { timeout: patience }, () => {
  const judge = async (text: string): Promise<string> => {
    const program = await goProgram('cmd', 'github.com/compose-spec/compose-go/v2/cmd', 'v2.10.1');
    const path = join(folder, 'judged.yaml');
    await writeFile(path, fill(text, { GPUAAS_IMAGE: `registry.example.com/a@sha256:${'ab'.repeat(32)}` }));
    return run(program, ['-no-interpolation', path]).then(
      () => '',
      (error: { stderr: string }) => error.stderr,
    );
  };

  it('is one by the validator of the specification, which refuses a misspelt field', async () => {
    const text = await readFile(file, 'utf8');
    expect(await judge(text)).toBe('');
    expect(await judge(text.replace('read_only:', 'readonly:'))).toContain("'readonly' not allowed");
  });

  it('runs every process once, from the files of settings of the units, with as few rights', async () => {
    const { services } = await readCompose();
    for (const { spec } of processes) {
      const service = services[spec.name];
      expect(service, spec.name).toMatchObject({
        command: [spec.name],
        ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], restart: 'unless-stopped' },
      });
      const settings = service.env_file.map((path: string) => fill(path, {}));
      expect(settings).toEqual(['/etc/gpuaas/shared.env', `/etc/gpuaas/${spec.name}.env`]);
    }
    const others = Object.keys(services).filter((name) => !processes.some(({ spec }) => spec.name === name));
    expect(others.sort()).toEqual([
      ...['app-proxy-identity', 'migrate', 'node-log-gateway-identity', 'postgres', 'terminal-gateway-identity'],
    ]);
  });
});

describe('an installation in containers', { timeout: patience }, () => {
  let postgres: TestServer;
  let smtp: Awaited<ReturnType<typeof startSmtp>>;
  let compose: (...args: string[]) => Promise<{ stdout: string; stderr: string }>;
  const password = randomBytes(12).toString('hex');
  const keyring = `k1:${randomBytes(32).toString('base64')}`;
  const ports = new Map<string, number>();
  const portFor = async (usual: string) => {
    const known = ports.get(usual) ?? (await freePort());
    ports.set(usual, known);
    return known;
  };

  /** The files of the guide, in a folder that stands for /etc/gpuaas. */
  async function writeSettings(): Promise<string[]> {
    const page = await readFile(guide, 'utf8');
    const files = [...page.matchAll(/^`\/etc\/gpuaas\/([a-z-]+)\.env`.*:\n\n```\n([\s\S]*?)```$/gm)];
    const used = new Set(page.match(/\b(?:8[45]\d\d|91\d\d)\b/g));
    for (const usual of used) await portFor(usual);
    for (const [, name = '', block = ''] of files) {
      const lines = block.trim().split('\n').map(here);
      if (name === 'email-worker') lines.push('GPUAAS_SMTP_PLAIN=true');
      await writeFile(join(folder, `${name}.env`), `${lines.join('\n')}\n`, { mode: 0o600 });
    }
    return files.map(([, name = '']) => name);
  }
  function here(line: string): string {
    const { host } = new URL(postgres.url);
    const [, purpose] = /^GPUAAS_SECRETS_KEY=k1(?:\/([a-z-]+))?:…$/.exec(line) ?? [];
    if (line.startsWith('GPUAAS_SECRETS_KEY=')) {
      const cut = purpose ? openKeyring(keyring, 'the test').only(purpose as 'letters') : keyring;
      return `GPUAAS_SECRETS_KEY=${cut}`;
    }
    if (line.startsWith('GPUAAS_DATABASE_ADMIN_URL=')) return `GPUAAS_DATABASE_ADMIN_URL=${postgres.url}`;
    return line
      .replace(/:…@127\.0\.0\.1:5432/, `:${password}@${host}`)
      .replace(/=…$/, `=${password}`)
      .replace(/^GPUAAS_SMTP_URL=.*/, `GPUAAS_SMTP_URL=${smtp.url}`)
      .replaceAll(/\b(?:8[45]\d\d|91\d\d)\b/g, (usual) => String(ports.get(usual)));
  }

  /** podman with a store of its own; another runtime refuses machines that have both kinds of control groups. */
  async function writePodman(): Promise<string> {
    const path = join(folder, 'podman');
    const own = `--root ${folder}/store --runroot ${folder}/run --cgroup-manager=cgroupfs --runtime=runc`;
    await writeFile(path, `#!/bin/sh\nexec podman ${own} "$@"\n`, { mode: 0o755 });
    return path;
  }

  async function writeLimits(): Promise<string> {
    const { services } = await readCompose();
    const limits = { nofile: { soft: 4_096, hard: 4_096 }, nproc: { soft: 1_024, hard: 1_024 } };
    const names = Object.keys(services).filter((name) => name !== 'postgres');
    const path = join(folder, 'limits.yaml');
    await writeFile(
      path,
      stringify({ services: Object.fromEntries(names.map((name) => [name, { ulimits: limits }])) }),
    );
    return path;
  }

  beforeAll(async () => {
    [postgres, smtp] = await Promise.all([startPostgres(), startSmtp()]);
    const [python, podman] = [
      await makePython(join(import.meta.dirname, 'compose-requirements.txt')),
      await writePodman(),
    ];
    await makePackages({ out: join(folder, 'dist'), arch: process.arch as 'x64', only: 'image', say: () => undefined });
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    const archive = join(folder, 'dist', `gpuaas-control-plane-${version}-linux-${process.arch}.oci.tar`);
    await run(podman, ['load', '--input', archive]);
    const image = (await run(podman, ['images', '--quiet', '--no-trunc'])).stdout.trim();
    await writeSettings();
    for (const name of ['terminal-gateway', 'node-log-gateway', 'app-proxy', 'data']) {
      await mkdir(join(folder, name), { mode: 0o700 });
      await chown(join(folder, name), imageUser.id, imageUser.id);
    }
    await chmod(folder, 0o711);
    const files = ['--file', file, '--file', await writeLimits()];
    compose = (...args) =>
      run(python, ['-m', 'podman_compose', '--podman-path', podman, '--in-pod=0', ...files, ...args], {
        env: {
          ...process.env,
          ...{ GPUAAS_IMAGE: image, GPUAAS_SETTINGS: folder, GPUAAS_DATA: join(folder, 'data') },
          GPUAAS_NODE_NAMES: '127.0.0.1',
        },
        maxBuffer: 16 << 20,
      });
  }, patience);
  afterAll(async () => {
    await compose?.('down', '--timeout', '30').catch(() => undefined);
    await run(join(folder, 'podman'), ['rmi', '--all', '--force']).catch(() => undefined);
    await Promise.all([postgres?.close(), smtp?.close()]);
  }, patience);

  it('starts, and every process becomes ready', async () => {
    await compose('up', '--detach');
    for (const { spec } of processes) {
      const settings = await readFile(join(folder, `${spec.name}.env`), 'utf8');
      const port = /GPUAAS_HEALTH_PORT=(\d+)/.exec(settings)?.[1];
      const isReady = async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        return answer ? answer.text() : (await compose('logs', '--tail', '5', spec.name)).stderr.slice(-500);
      };
      await expect.poll(isReady, { timeout: patience, interval: 2_000 }).toContain('"ready":true');
    }
    const answer = await fetch(`http://127.0.0.1:${ports.get('8443')}/api/v1/sign-in`);
    expect(answer.status).toBe(200);
  });

  it('runs as the account of the image, without capabilities, and says that it is well', async () => {
    const podman = join(folder, 'podman');
    const listed = async () => {
      const { stdout } = await run(podman, ['ps', '--all', '--format', '{{.Names}}|{{.Pid}}|{{.Status}}']);
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => line.split('|'));
      return lines.filter(([name]) => processes.some(({ spec }) => name === `gpuaas_${spec.name}_1`));
    };
    const whatIsDown = async () => (await listed()).filter(([, , status]) => !status?.startsWith('Up'));
    await expect.poll(whatIsDown, { timeout: 120_000, interval: 2_000 }).toEqual([]);
    const running = await listed();
    expect(running).toHaveLength(processes.length);
    for (const [name = '', pid = ''] of running) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      expect(status, name).toMatch(new RegExp(`^Uid:\\s+${imageUser.id}\\s`, 'm'));
      expect(status, name).toMatch(/^CapEff:\s+0+$/m);
    }
    await expect(run(podman, ['healthcheck', 'run', 'gpuaas_api_1'])).resolves.toBeDefined();
  });
});
