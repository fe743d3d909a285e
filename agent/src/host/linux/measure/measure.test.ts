import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { namesOfThrottle } from '@gpuaas/contract/node';
import { afterEach, describe, expect, it } from 'vitest';
import type { Argv } from '../commands.ts';
import { type Fixture, makeFixture } from '../testing/fixture.ts';
import { gpuValuesQuery, readGpuValues } from './gpu-values.ts';
import { makeMeasure } from './measure.ts';
import { nvlinkQuery, readNvlink } from './nvlink.ts';
import { ratesBetween, readCounters } from './system.ts';

/** What an H200 (driver 580.159.04) answered to `gpuValuesQuery`, at rest and under a matrix product. The UUID is replaced. */
const uuid = 'GPU-00000000-1111-2222-3333-444444444444';
const atRest = `${uuid}, 00000000:00:06.0, 0, 0, 0, 143771, 77.25, 700.00, 36, 38, 345, 3201, 0, 0, 0x0000000000000001\n`;
const atWork = `${uuid}, 00000000:00:06.0, 100, 23, 883, 143771, 696.13, 700.00, 57, 47, 1395, 3201, 0, 0, 0x0000000000000004\n`;

let fixture: Fixture | undefined;
const folders: string[] = [];
const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpuaas-measure-'));
  folders.push(folder);
  return folder;
};
afterEach(async () => {
  await fixture?.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('the values of GPUs', () => {
  it('are read from what a driver answers, at rest and at work', () => {
    expect(readGpuValues(atRest)).toEqual({
      uuids: [uuid],
      addresses: ['0000:00:06.0'],
      values: {
        ...{ utilization: [0], memory_utilization: [0], memory_used_mib: [0], memory_total_mib: [143_771] },
        ...{ power_watts: [77.25], power_limit_watts: [700], temperature_celsius: [36] },
        ...{ memory_temperature_celsius: [38], sm_clock_mhz: [345], memory_clock_mhz: [3_201] },
        ...{ ecc_corrected_total: [0], ecc_uncorrected_total: [0], throttle: [1] },
      },
    });
    const { values } = readGpuValues(atWork);
    expect(values).toMatchObject({ utilization: [100], power_watts: [696.13], sm_clock_mhz: [1_395] });
    // Clocks of an idle GPU are low, which is no throttling; a power cap is.
    expect(namesOfThrottle(1)).toEqual([]);
    expect(namesOfThrottle(values.throttle?.[0] ?? 0)).toEqual(['software_power_cap']);
  });

  it('are null where a GPU does not tell, and a GPU that is lost spoils no other', () => {
    const lost = 'Unable to determine the device handle for GPU0000:18:00.0: GPU is lost.';
    const silent = `${uuid}, 00000000:00:06.0, [N/A], 5, [Not Supported], 143771, [GPU is lost], 1e3, -4, 0x, 1, 2, 3, 4, 5`;
    const { values, uuids } = readGpuValues(`${lost}\n${silent}\n`);
    expect(uuids).toEqual([uuid]);
    expect(values).toMatchObject({ utilization: [null], memory_utilization: [5], memory_used_mib: [null] });
    expect(values).toMatchObject({ power_watts: [null], power_limit_watts: [null], temperature_celsius: [null] });
  });

  it('include what went over NVLink, where there are links', () => {
    const gpu = (line: string) => `GPU 0: NVIDIA H100 (UUID: ${uuid})\n${line}`;
    const text = gpu('\t Link 0: Data Tx: 100 KiB\n\t Link 0: Data Rx: 40 KiB\n\t Link 1: Data Tx: 11 KiB\n');
    expect(readNvlink(text).get(uuid)).toEqual({ sentKib: 111, receivedKib: 40 });
    // A machine with one GPU and no switch prints nothing, and one whose links are off only names the GPU.
    expect(readNvlink('').size).toBe(0);
    expect(readNvlink(gpu('')).size).toBe(0);
  });
});

const put = async (root: string, path: string, text: string) => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
};
const stat = (user: number, idle: number) => `cpu  ${user} 0 0 ${idle} 0 0 0 0 0 0\ncpu0 1 1 1 1\n`;
const disks = (sectors: number) =>
  ` 259 0 nvme0n1 1 0 ${sectors} 0 1 0 ${2 * sectors} 0 0 0 0\n 259 1 nvme0n1p1 1 0 ${sectors} 0 1 0 9 0\n 7 0 loop0 1 0 9999 0 1 0 9 0\n`;
const net = (bytes: number) =>
  `Inter-| Receive | Transmit\n face |bytes\n    lo: 999999 1 0 0 0 0 0 0 999999 1\n  eth0: ${bytes} 1 0 0 0 0 0 0 ${3 * bytes} 1\n veth1: 777777 1 0 0 0 0 0 0 7 1\n`;

describe('the machine around the GPUs', () => {
  it('is measured by what the kernel counts between two looks, each byte once', async () => {
    const root = makeFolder();
    await put(root, 'proc/stat', stat(100, 900));
    await put(root, 'proc/diskstats', disks(1_000));
    await put(root, 'proc/net/dev', net(10_240));
    const before = await readCounters(root);
    await put(root, 'proc/stat', stat(125, 975));
    await put(root, 'proc/diskstats', disks(1_200));
    await put(root, 'proc/net/dev', net(20_480));
    const after = await readCounters(root);
    expect(ratesBetween(before, after, 10)).toEqual({
      cpu_percent: 25,
      ...{ disk_read_kib_s: 10, disk_write_kib_s: 20, network_receive_kib_s: 1, network_transmit_kib_s: 3 },
    });
    // A machine that was started anew counts from zero: the time between is not known.
    expect(ratesBetween(after, before, 10)).toEqual({});
  });

  it('is one sample: values, rates since the last look, and the last Xid of each GPU', async () => {
    const root = makeFolder();
    await put(root, 'proc/stat', stat(100, 900));
    await put(root, 'proc/meminfo', 'MemTotal:       2048000 kB\nMemFree: 1 kB\nMemAvailable:   1024000 kB\n');
    let elapsed = 0;
    const asked: Argv[] = [];
    const measure = makeMeasure({
      ...{ root, homes: root, elapsedMs: () => elapsed },
      kernelLog: {
        read: async () => ['NVRM: Xid (PCI:0000:00:06): 43, pid=1', 'NVRM: Xid (PCI:0000:00:06): 94, pid=2'],
      },
      commands: {
        async run(argv) {
          asked.push(argv);
          const links = `GPU 0: x (UUID: ${uuid})\n\t Link 0: Data Tx: ${elapsed} KiB\n\t Link 0: Data Rx: 1 KiB\n`;
          return { status: 0, stdout: argv === gpuValuesQuery ? atWork : links, stderr: '' };
        },
      },
    });
    await measure();
    elapsed = 10_000;
    await put(root, 'proc/stat', stat(200, 900));
    const sample = await measure();
    expect(sample).toMatchObject({ source: 'host', gpus: [uuid], host: { cpu_percent: 100, memory_used_mib: 1_000 } });
    expect(sample.gpu).toMatchObject({ xid: [94], nvlink_transmit_kib_s: [1_000], nvlink_receive_kib_s: [0] });
    expect(asked).toEqual([gpuValuesQuery, nvlinkQuery, gpuValuesQuery, nvlinkQuery]);
    expect(sample).not.toHaveProperty('unavailable');
  });

  it('says why there are no values when the driver does not answer', async () => {
    fixture = await makeFixture({ gpus: 1 });
    fixture.answer = () => ({ status: 9, stdout: '', stderr: 'NVIDIA-SMI has failed' });
    const [sample] = await (await fixture.open()).samples();
    expect(sample?.unavailable).toContain('NVIDIA-SMI has failed');
    expect(sample).toMatchObject({ gpus: [], gpu: {} });
  });
});
