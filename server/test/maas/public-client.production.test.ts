import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { type SimulatedMaas, startSimulatedMaas } from '../../src/ports/maas/simulated/server.ts';
import { makePython } from '../journeys/support/python-environment.ts';

let python: string;
let server: SimulatedMaas;
const booted: (string | undefined)[] = [];
beforeAll(async () => {
  python = await makePython(join(import.meta.dirname, 'requirements.txt'));
  server = await startSimulatedMaas({
    apiKey: 'aaaa:bbbb:cccc',
    clock: systemClock,
    times: { commissionMs: 50, deployMs: 50, eraseMs: 50 },
    onBoot: ({ userData }) => booted.push(userData),
  });
}, 600_000);
afterAll(() => server?.close());

describe('the simulated region', () => {
  it('is driven by the public client of MAAS from a new machine to an erased one', async () => {
    server.region.add({ systemId: 'abc123', hostname: 'gpu-1' });
    const script = join(import.meta.dirname, 'drive.py');
    const { stdout } = await promisify(execFile)(python, [script, `${server.url}/`, server.apiKey, 'abc123'], {
      timeout: 60_000,
    });
    expect(JSON.parse(stdout)).toEqual({
      listed: ['abc123'],
      seen: [
        ['New', 'off'],
        ['Ready', 'off'],
        ['Deployed', 'on'],
        ['Ready', 'off'],
      ],
      asked: 'on',
      refused: 401,
    });
    expect(booted).toEqual(['#cloud-config\n{}\n']);
    expect(server.region.find('abc123')).toMatchObject({ isDirty: false, owner: undefined, ownerData: {} });
  });
});
