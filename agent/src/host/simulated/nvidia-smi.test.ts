import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { drawHardware } from './hardware.ts';
import { nvidiaSmiScript, type SmiPicture, smiTable } from './nvidia-smi.ts';

const hardware = drawHardware({ seed: 'smi-1' });
const picture: SmiPicture = {
  hardware,
  gpus: hardware.slots.slice(0, 2).map((slot, index) => ({
    uuid: slot.gpu_uuid,
    model: slot.gpu_model,
    pci_address: slot.pci_address,
    memory_mib: slot.gpu_memory_mib,
    healthy: true,
    utilization: index * 80,
  })),
};
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
const scriptOf = (shown: SmiPicture): string => {
  const folder = mkdtempSync(join(tmpdir(), 'gpuaas-smi-'));
  folders.push(folder);
  writeFileSync(join(folder, 'nvidia-smi'), nvidiaSmiScript(shown), { mode: 0o755 });
  return join(folder, 'nvidia-smi');
};
const run = (...args: string[]): string => execFileSync(scriptOf(picture), args, { encoding: 'utf8' });

describe('the table of a simulated machine', () => {
  it('is drawn as the real one is, line for line', () => {
    const lines = smiTable(picture).split('\n');
    expect(new Set(lines.filter((line) => line !== '').map((line) => line.length))).toEqual(new Set([91]));
    expect(lines[1]).toBe(
      '| NVIDIA-SMI 580.159.04             Driver Version: 580.159.04     CUDA Version: 13.0     |',
    );
    expect(lines[7]).toBe(
      '|   0  NVIDIA H200                    On  |   00000000:18:00.0 Off |                    0 |',
    );
    expect(lines[8]).toBe(
      '| N/A   31C    P0             81W /  700W |       0MiB / 143771MiB |      0%      Default |',
    );
  });

  it('is what the program prints when it is asked nothing, after the time', () => {
    const [time, ...rest] = run().trimEnd().split('\n');
    expect(time).toMatch(/^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4} {7}$/);
    expect(rest.join('\n')).toBe(smiTable(picture));
  });
});

describe('the program', () => {
  it('lists GPUs', () => {
    expect(run('-L')).toBe(
      picture.gpus.map(({ uuid }, index) => `GPU ${index}: NVIDIA H200 (UUID: ${uuid})\n`).join(''),
    );
  });

  it('answers queries with and without heading and units', () => {
    const fields = '--query-gpu=index, uuid,name,memory.total,utilization.gpu,power.limit';
    expect(run(fields, '--format=csv').split('\n')).toEqual([
      'index, uuid, name, memory.total [MiB], utilization.gpu [%], power.limit [W]',
      `0, ${picture.gpus[0]?.uuid}, NVIDIA H200, 143771 MiB, 0 %, 700.00 W`,
      `1, ${picture.gpus[1]?.uuid}, NVIDIA H200, 143771 MiB, 80 %, 700.00 W`,
      '',
    ]);
    expect(run('--query-gpu=name,memory.total', '--format=csv,noheader,nounits', '-i', '1')).toBe(
      'NVIDIA H200, 143771\n',
    );
  });

  it('refuses what it does not know', () => {
    expect(spawnSync(scriptOf(picture), ['--query-gpu=secrets', '--format=csv']).status).toBe(2);
    expect(spawnSync(scriptOf(picture), ['--reset']).status).toBe(6);
    expect(spawnSync(scriptOf(picture), ['-i', '7', '-L']).status).toBe(6);
  });

  it('fails as the real one does when a GPU has fallen off the bus', () => {
    const gpus = picture.gpus.map((gpu, index) => ({ ...gpu, healthy: index !== 1 }));
    const { status, stdout } = spawnSync(scriptOf({ ...picture, gpus }), [], { encoding: 'utf8' });
    expect(status).toBe(15);
    expect(stdout).toContain('GPU is lost');
  });
});
