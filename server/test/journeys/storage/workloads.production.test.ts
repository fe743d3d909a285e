import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGpuaas } from '@gpuaas/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../src/domains/outbox/testing.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { freePort } from '../../chaos/children.ts';
import { endAll, type Started, start } from '../support/npm-start.ts';
import { signIn } from '../support/sign-in.ts';

/**
 * Files that outlive a machine. The hosts are simulated, so what a program in the machine would do is done by the real command line
 * with nothing but the three variables that the machine gets.
 */
const program = join(import.meta.dirname, '../../../../cli/bin/gpuaas.cjs');
const patience = 240_000;
const lookEveryMs = 200;
let started: Started;
let folder: string;
let owner: ReturnType<typeof openGpuaas>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-workload-'));
  const port = String(await freePort());
  started = await start(['--ephemeral', '--bare', '--port', port, '--host-speed', '500']);
  const [password = ''] = started.fact('Password').split(' ');
  const baseUrl = started.fact('URL');
  const tokenOf = async (login: string) => (await signIn(baseUrl, { login, password })).access_token;
  const operator = openGpuaas({ baseUrl, token: await tokenOf('operator') });
  const token = await tokenOf('owner');
  const visitor = openGpuaas({ baseUrl, token });
  const organization_id = (await visitor.me.get()).organizations.find(({ slug }) => slug === 'demo')?.id ?? '';
  const project = (await visitor.projects.list({ organization_id })).data.find(({ slug }) => slug === 'playground')?.id;
  owner = openGpuaas({ baseUrl, token, project });
  await eventually(async () => {
    await systemClock.sleep(lookEveryMs);
    return (await operator.adminNodes.list()).data.every(({ schedulable }) => schedulable) || undefined;
  });
}, patience);
afterAll(async () => {
  await started?.kill('SIGTERM');
  await endAll();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** What a shell in the machine is given. */
interface Machine {
  readonly id: string;
  readonly env: Readonly<Record<string, string>>;
}
async function launch(level: 'read' | 'write'): Promise<Machine> {
  const wish = { sku: 'h200-sxm-slice', gpus: 1, region: 'local', max_duration_seconds: 3_600 };
  const { id } = await owner.allocations.create(wish);
  await eventually(async () => {
    await systemClock.sleep(lookEveryMs);
    return (await owner.allocations.get({ allocation_id: id })).state === 'active' || undefined;
  });
  const made = await owner.storage.tokenCreate({ allocation_id: id, level });
  const env = { GPUAAS_TOKEN: made.token, GPUAAS_BASE_URL: made.base_url, GPUAAS_PROJECT: made.project_id };
  return { id, env };
}
async function run(machine: Machine, ...args: readonly string[]) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...machine.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, said };
}

describe('a checkpoint', () => {
  it(
    'is written with the token of one allocation, outlives it, and is read with the token of the next one',
    async () => {
      const weights = join(folder, 'step-100.bin');
      await writeFile(weights, 'what was learnt');
      const first = await launch('write');
      const stored = await run(first, 'cp', weights, 'storage:checkpoints/run-1/');
      expect(stored.code, stored.said).toBe(0);
      await owner.allocations.release({ allocation_id: first.id });
      // At once: the token is refused by the request after the release, not when the host has been cleaned.
      const refused = await run(first, 'ls', 'checkpoints/run-1/');
      expect(refused.code, refused.said).not.toBe(0);
      expect(refused.said).toContain('The storage token is not valid');
      const second = await launch('read');
      const synced = await run(second, 'sync', 'storage:checkpoints/run-1/', join(folder, 'restored'));
      expect(synced.code, synced.said).toBe(0);
      expect(await readFile(join(folder, 'restored', 'step-100.bin'), 'utf8')).toBe('what was learnt');
      const kept = await run(second, 'cp', weights, 'storage:checkpoints/run-1/other.bin');
      expect(kept.code).not.toBe(0);
      expect(kept.said).toContain('storage:write');
    },
    patience,
  );
});
