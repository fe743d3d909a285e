import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processes } from '../processes.ts';
import { release } from '../release.ts';
import { runControl } from './run.ts';

let [argv, code] = [process.argv, process.exitCode];
beforeEach(() => {
  [argv, code] = [process.argv, process.exitCode];
  process.exitCode = undefined;
});
afterEach(() => {
  process.argv = argv;
  process.exitCode = code;
});

async function typed(line: string, env: Readonly<Record<string, string>> = {}) {
  const heard = { out: '', complaint: '', loaded: [] as { name: string; args: string[] }[] };
  await runControl(line.split(' ').filter(Boolean), env, {
    say: (text) => {
      heard.out += text;
    },
    complain: (text) => {
      heard.complaint += text;
    },
    load: async (name) => heard.loaded.push({ name, args: process.argv.slice(2) }),
  });
  return { ...heard, code: process.exitCode };
}

describe('gpuaas-control', () => {
  it('names every process and every command', async () => {
    const { out } = await typed('--help');
    for (const { spec } of processes) expect(out).toContain(`  ${spec.name}`);
    for (const name of ['migrate', 'bootstrap', 'secrets', 'process-identity']) expect(out).toContain(`  ${name}`);
  });

  it('loads the program of that name, with the arguments after it', async () => {
    expect((await typed('outbox-relay')).loaded).toEqual([{ name: 'outbox-relay', args: [] }]);
    expect((await typed('secrets only letters')).loaded).toEqual([{ name: 'secrets', args: ['only', 'letters'] }]);
  });

  it('refuses anything else, also a path', async () => {
    for (const name of ['nothing', '../bin/api', 'all', 'toString']) {
      const { loaded, complaint, code } = await typed(name);
      expect({ loaded, code }).toEqual({ loaded: [], code: 2 });
      expect(complaint).toContain(`${name} is neither a process nor a command`);
    }
  });

  it('says its version, and the digest of its contract', async () => {
    const said = JSON.parse((await typed('version')).out) as Record<string, string>;
    expect(said).toMatchObject({ version: release, contract: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  });

  it('asks a process whether it is ready', async () => {
    let isReady = true;
    const server = createServer((_, reply) => reply.writeHead(isReady ? 200 : 503).end('waits for the database'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const env = { GPUAAS_HEALTH_PORT: String((server.address() as { port: number }).port) };
    expect(await typed('ready', env)).toMatchObject({ out: 'ready\n', code: undefined });
    isReady = false;
    expect(await typed('ready', env)).toMatchObject({ complaint: 'waits for the database\n', code: 1 });
    await new Promise((resolve) => server.close(resolve));
    expect(await typed('ready', env)).toMatchObject({ complaint: expect.stringContaining('Nothing answers'), code: 1 });
    expect(await typed('ready')).toMatchObject({ complaint: expect.stringContaining('GPUAAS_HEALTH_PORT'), code: 2 });
  });
});
