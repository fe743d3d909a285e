import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openGpuaas } from '@gpuaas/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../chaos/children.ts';
import { endAll, start } from './support/npm-start.ts';
import { signIn } from './support/sign-in.ts';

/**
 * An agent is replaced by another release while it runs: the bundle that ships, under its own supervisor, against
 * everything that `npm start` starts. The only thing that is not real is the hardware.
 */
let folder: string;
let operator: ReturnType<typeof openGpuaas>;
let supervisor: ChildProcess;
let nodeId: string;
const bundler = join(import.meta.dirname, '../../../tools/dev/bundle-agent.ts');
const within = { timeout: 60_000, interval: 200 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-update-'));
  const started = await start(['--ephemeral', '--bare', '--fleet', 'none', '--port', String(await freePort())]);
  const baseUrl = started.fact('URL');
  const [password = ''] = started.fact('Password').split(' ');
  const { access_token: token } = await signIn(baseUrl, { login: 'operator', password });
  operator = openGpuaas({ baseUrl, token });
  const offer = await operator.adminNodes.create({ name: 'updated-01', region: 'local', sku: 'h200-sxm-slice' });
  nodeId = offer.node.id;
  const word = (name: string) => new RegExp(`--${name} (\\S+)`).exec(offer.install_command)?.[1] ?? '';
  supervisor = spawn(process.execPath, [await bundle('1.0.0'), 'supervise'], {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      GPUAAS_HOST: 'simulated',
      GPUAAS_API_URL: word('url'),
      GPUAAS_CA_FINGERPRINT: word('ca-fingerprint'),
      GPUAAS_ENROLMENT_TOKEN: offer.token,
      GPUAAS_STATE_DIR: join(folder, 'state'),
      GPUAAS_LOG_DIR: join(folder, 'log'),
    },
  });
}, 120_000);
afterAll(async () => {
  if (supervisor?.exitCode === null) {
    const gone = new Promise((resolve) => supervisor.once('exit', resolve));
    supervisor.kill('SIGTERM');
    await gone;
  }
  await endAll();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

async function bundle(version: string): Promise<string> {
  const file = join(folder, `node-agent-${version}.mjs`);
  await promisify(execFile)(process.execPath, [bundler, file, version]);
  return file;
}
const node = () => operator.adminNodes.get({ node_id: nodeId });
const agentVersion = async () => (await node()).agent_version;

/** Hands a release over and gives it to the node; answers how its task ended. */
async function update(version: string, file: string) {
  const bytes = await readFile(file);
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const release = await operator.adminFleet.agentReleaseAdd({
    ...{ version, digest, size_bytes: bytes.length },
    bundle: new Blob([bytes]),
  });
  const { task_id } = await operator.adminNodes.agentUpdate({ node_id: nodeId, release_id: release.id });
  const find = async () =>
    (await operator.adminNodes.taskList({ node_id: nodeId })).data.find(({ id }) => id === task_id);
  await expect.poll(async () => (await find())?.finished_at, within).toBeTypeOf('string');
  const trial = JSON.parse(await readFile(join(folder, 'state/releases/update.json'), 'utf8')) as object;
  return { task: await find(), trial };
}

describe('the agent of a host', () => {
  it('is replaced by a release that the host fetched over its own connection and counted itself', {
    timeout: 120_000,
  }, async () => {
    await expect.poll(async () => (await node()).state, within).toBe('active');
    expect(await agentVersion()).toBe('1.0.0');
    const { task, trial } = await update('1.1.0', await bundle('1.1.0'));
    expect(task).toMatchObject({ task_type: 'node.self_update', state: 'succeeded', failure_code: null });
    expect(trial).toMatchObject({ state: 'healthy', from_version: '1.0.0', to_version: '1.1.0' });
    await expect.poll(agentVersion, within).toBe('1.1.0');
    expect(supervisor.exitCode).toBeNull();
  });

  it('is back by itself when the release does not work, and says why', { timeout: 120_000 }, async () => {
    const broken = join(folder, 'broken.mjs');
    await writeFile(broken, '#!/usr/bin/env node\nprocess.exit(3);\n');
    const { task, trial } = await update('1.2.0', broken);
    expect(task).toMatchObject({ task_type: 'node.self_update', state: 'failed', failure_code: 'rolled_back' });
    expect(trial).toMatchObject({ state: 'rolled_back', from_version: '1.1.0', to_version: '1.2.0' });
    // It answered that task, so it is there; and it still takes others.
    const { task_id } = await operator.adminNodes.healthProbe({ node_id: nodeId });
    const probe = async () =>
      (await operator.adminNodes.taskList({ node_id: nodeId })).data.find(({ id }) => id === task_id)?.state;
    await expect.poll(probe, within).toBe('succeeded');
    expect(await agentVersion()).toBe('1.1.0');
  });
});
