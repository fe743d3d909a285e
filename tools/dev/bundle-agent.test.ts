import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestControlPlane, resultOf, type TestControlPlane } from '../../agent/src/testing/control-plane.ts';
import { bundleAgent } from './bundle-agent.ts';

/** The agent as hosts get it: one file, in processes of its own, watched over by a supervisor. */
let folder: string;
const bundles = new Map<string, Buffer>();
const keep = (text: Buffer) => {
  const digest = createHash('sha256').update(text).digest('hex');
  bundles.set(digest, text);
  return `sha256:${digest}`;
};
const versions: Record<string, string> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-bundle-'));
  for (const version of ['1.0.0', '2.0.0']) {
    const file = join(folder, `node-agent-${version}.mjs`);
    const { digest } = await bundleAgent(file, version);
    versions[version] = digest;
    bundles.set(digest, await readFile(file));
  }
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 5 }));

const planes: TestControlPlane[] = [];
const programs: ChildProcess[] = [];
afterEach(async () => {
  for (const program of programs.splice(0)) {
    const gone = new Promise((resolve) => program.once('exit', resolve));
    if (program.exitCode === null && program.signalCode === null) {
      program.kill('SIGTERM');
      await gone;
    }
  }
  for (const plane of planes.splice(0)) await plane.close();
});

async function supervised(healthySeconds: number) {
  const plane = await openTestControlPlane({ download: (path) => bundles.get(path.split('/').at(-1) ?? '') });
  planes.push(plane);
  const home = await mkdtemp(join(folder, 'host-'));
  const program = spawn(process.execPath, [join(folder, 'node-agent-1.0.0.mjs'), 'supervise'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      GPUAAS_API_URL: plane.url.href,
      GPUAAS_STATE_DIR: join(home, 'state'),
      GPUAAS_LOG_DIR: join(home, 'log'),
      GPUAAS_LOG_LEVEL: 'error',
      GPUAAS_ENROLMENT_TOKEN: plane.issueToken(),
      GPUAAS_CA_FINGERPRINT: plane.authority.fingerprint,
      GPUAAS_UPDATE_HEALTHY_SECONDS: String(healthySeconds),
    },
  });
  programs.push(program);
  const runs = () => plane.seen.heartbeats.map(({ agent_version }) => agent_version);
  await plane.until(() => runs().length === 1);
  const update = async (version: string, digest: string) => {
    const params = { version, digest };
    const task = plane.signer.task({ nodeId: plane.nodeId, type: 'node.self_update', params });
    plane.give(task);
    await plane.until(() => resultOf(plane, task) !== undefined);
    return resultOf(plane, task);
  };
  return { plane, program, runs, update, home };
}

describe('the bundled agent under its supervisor', { timeout: 60_000 }, () => {
  it('is replaced by digest, answers for it as the new release, and is put back when the next one breaks', async () => {
    const { plane, runs, update } = await supervised(50);
    const good = await update('2.0.0', `sha256:${versions['2.0.0']}`);
    expect(good).toMatchObject({ outcome: 'succeeded', output: { from_version: '1.0.0', to_version: '2.0.0' } });
    // A result may overtake the first heartbeat of whoever sends it.
    await plane.until(() => runs().at(-1) === '2.0.0');
    const before = runs().length;

    const broken = await update('3.0.0', keep(Buffer.from('process.exit(3);\n')));
    expect(broken).toMatchObject({ outcome: 'failed', failure: { code: 'rolled_back' } });
    await plane.until(() => runs().length > before);
    expect(runs().slice(before)).not.toContain('3.0.0');
    expect(runs().at(-1)).toBe('2.0.0');
  });

  it('is put back when the new release starts and never reports that it is well', async () => {
    const { plane, runs, update } = await supervised(1);
    const silent = await update('3.0.0', keep(Buffer.from('setInterval(() => undefined, 1000);\n')));
    expect(silent).toMatchObject({ outcome: 'failed', failure: { code: 'rolled_back' } });
    expect(silent?.failure?.message).toContain('not healthy in time');
    await plane.until(() => runs().length > 1);
    expect(new Set(runs())).toEqual(new Set(['1.0.0']));
  });

  it('takes nothing that has another digest, and goes on', async () => {
    const { plane, runs, update } = await supervised(50);
    const asked = 'f'.repeat(64);
    bundles.set(asked, Buffer.from('process.exit(0);\n'));
    expect(await update('3.0.0', `sha256:${asked}`)).toMatchObject({ failure: { code: 'digest_mismatch' } });
    expect(await update('3.0.0', `sha256:${'e'.repeat(64)}`)).toMatchObject({
      failure: { code: 'bundle_unavailable' },
    });
    expect(new Set(runs())).toEqual(new Set(['1.0.0']));
    expect(plane.seen.results.length).toBe(2);
  });

  it('is started again after kill -9, and is the same node', async () => {
    const { plane, program, runs } = await supervised(50);
    const [child] = readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, 'utf8').trim().split(' ');
    process.kill(Number(child), 'SIGKILL');
    await plane.until(() => runs().length >= 2);
    const task = plane.signer.task({ nodeId: plane.nodeId, type: 'node.drain', params: { deadline_at: null } });
    plane.give(task);
    await plane.until(() => resultOf(plane, task) !== undefined);
    expect(resultOf(plane, task)).toMatchObject({ outcome: 'succeeded', output: { running: [] } });
    expect(plane.seen.enrolments.length).toBe(1);
  });

  it('leaves no key and no token in its logs', async () => {
    const { plane, home } = await supervised(50);
    const token = plane.seen.enrolments[0]?.token ?? 'none was seen';
    const { key } = JSON.parse(await readFile(join(home, 'state', 'identity.json'), 'utf8')) as { key: string };
    const log = await readFile(join(home, 'log', 'node-agent.log'), 'utf8');
    expect(log).not.toContain(token);
    expect(log).not.toContain(key.split('\n')[1]);
    expect(token.length).toBeGreaterThan(20);
  });
});

describe('node-agent on the command line', () => {
  const run = (args: readonly string[], env: Record<string, string> = {}, input = '') =>
    new Promise<{ readonly status: number | null; readonly out: string }>((resolve) => {
      const program = spawn(process.execPath, [join(folder, 'node-agent-1.0.0.mjs'), ...args], { env });
      program.stdin.on('error', () => undefined).end(input);
      let out = '';
      program.stdout.on('data', (text) => {
        out += String(text);
      });
      program.stderr.on('data', (text) => {
        out += String(text);
      });
      program.once('close', (status) => resolve({ status, out }));
    });

  it('explains itself', async () => {
    const help = await run(['--help']);
    expect(help.status).toBe(0);
    for (const word of ['enrol', 'run', 'supervise', 'status', 'doctor', 'GPUAAS_NODE_CERT_CA_BUNDLE_PATH']) {
      expect(help.out).toContain(word);
    }
    expect((await run(['--version'])).out).toBe('1.0.0\n');
    const wrong = await run(['dance']);
    expect(wrong).toMatchObject({ status: 2 });
    expect(wrong.out).toContain('there is no command dance');
  });

  it('enrols with a token and a fingerprint, says what it is, and finds nothing wrong', async () => {
    const plane = await openTestControlPlane();
    planes.push(plane);
    const env = {
      GPUAAS_API_URL: plane.url.href,
      // What this machine has or lacks is not the test's.
      GPUAAS_HOST: 'simulated',
      GPUAAS_STATE_DIR: join(await mkdtemp(join(folder, 'cli-')), 'state'),
    };
    const before = await run(['doctor'], env);
    expect(before.status).toBe(1);
    expect(before.out).toContain('not enrolled');
    const token = plane.issueToken();
    const args = (word: string) => ['enrol', '--token', word, '--ca-fingerprint', plane.authority.fingerprint];
    // Every user of the host could read it there.
    expect(await run(args(token), env)).toMatchObject({ status: 2, out: expect.stringContaining('standard input') });
    expect(await run(args('-'), env, `${token}\n`)).toMatchObject({
      status: 0,
      out: expect.stringContaining(plane.nodeId),
    });
    const status = await run(['status'], env);
    expect(JSON.parse(status.out)).toMatchObject({ enrolled: true, node_id: plane.nodeId, leases: [], tasks: [] });
    const after = await run(['doctor'], env);
    expect(after.out).not.toContain('missing ');
    expect(after.status).toBe(0);
  });
});
