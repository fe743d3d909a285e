import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChosenPort, chooseNodePort, choosePort } from './address.ts';

let dataDir: string;
const servers: Server[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gpuaas-port-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  await rm(dataDir, { recursive: true, force: true });
});

/** Takes a port, unless somebody else has it: taken it is either way. */
const take = (port: number): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(port));
    server.listen(port, '127.0.0.1', () => {
      servers.push(server);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });

describe('the port of a local start', () => {
  it('is the next free one when the first choice is taken on a first start, and is kept', async () => {
    await take(8_443);
    const { port, close } = await choosePort(dataDir, undefined);
    expect(port).toBeGreaterThan(8_443);
    expect(await readFile(join(dataDir, 'port'), 'utf8')).toBe(String(port));
    await close();
    const again = await choosePort(dataDir, undefined);
    expect(again.port).toBe(port);
    await again.close();
  });

  it('is another one for each of several starts that begin together, before any of them listens', async () => {
    const folders = await Promise.all(Array.from({ length: 6 }, () => mkdtemp(join(tmpdir(), 'gpuaas-port-'))));
    const chosen: ChosenPort[] = await Promise.all(
      folders.flatMap((folder) => [choosePort(folder, undefined), chooseNodePort(folder)]),
    );
    expect(new Set(chosen.map(({ port }) => port)).size).toBe(chosen.length);
    await Promise.all(chosen.map(({ close }) => close()));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
  });

  it('is not changed behind anybody on a later start', async () => {
    const port = await take(0);
    await writeFile(join(dataDir, 'port'), String(port));
    await expect(choosePort(dataDir, undefined)).rejects.toThrow(
      `Port ${port}, which this data folder has used so far, is taken by another program.`,
    );
    await expect(choosePort(dataDir, port)).rejects.toThrow(`Port ${port} is taken by another program.`);
  });
});
