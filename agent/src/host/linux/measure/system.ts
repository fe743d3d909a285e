import { statfs } from 'node:fs/promises';
import type { HostValues } from '@gpuaas/contract/node';
import { readText } from '../sysfs.ts';

/** Counters of the kernel since the machine was started. */
export interface SystemCounters {
  readonly busyTicks: number;
  readonly allTicks: number;
  readonly readKib: number;
  readonly writtenKib: number;
  readonly receivedKib: number;
  readonly sentKib: number;
}
const kibibyte = 1_024;
const sectorsPerKib = 2;
const idleColumns = [3, 4];
/** `guest` and `guest_nice` are in `user` and `nice` already. */
const countedColumns = 8;

/** Whole disks; partitions and what is built upon disks would count the same bytes again. */
const wholeDisk = /^(?:sd[a-z]{1,3}|vd[a-z]{1,3}|xvd[a-z]{1,3}|nvme\d{1,3}n\d{1,3})$/;
/** Ways inside the machine. */
const inside = /^(?:lo|veth|docker|br-|virbr|tap|tun|vnet|cni|flannel)/;

const numbersOf = (line: string): number[] => line.trim().split(/\s+/).map(Number);
const linesOf = (text: string): string[] => text.split('\n');

export async function readCounters(root: string): Promise<SystemCounters> {
  const [stat, disks, net] = await Promise.all([
    readText(root, 'proc/stat'),
    readText(root, 'proc/diskstats'),
    readText(root, 'proc/net/dev'),
  ]);
  return countersIn({ stat, disks, net });
}

/** The counters in the files of a kernel, of this machine or of another. */
export function countersIn({
  stat,
  disks,
  net,
}: {
  readonly stat: string;
  readonly disks: string;
  readonly net: string;
}): SystemCounters {
  const ticks = numbersOf((linesOf(stat)[0] ?? '').replace(/^cpu\s+/, '')).slice(0, countedColumns);
  const sum = (values: readonly number[]) => values.reduce((whole, each) => whole + (each || 0), 0);
  const ofDisks = linesOf(disks)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , name = '']) => wholeDisk.test(name));
  const ofNet = linesOf(net).flatMap((line) => {
    const [, name = '', rest = ''] = /^\s*([^:\s]+):(.*)$/.exec(line) ?? [];
    return name === '' || inside.test(name) ? [] : [numbersOf(rest)];
  });
  const allTicks = sum(ticks);
  return {
    allTicks,
    busyTicks: allTicks - sum(idleColumns.map((at) => ticks[at] ?? 0)),
    readKib: sum(ofDisks.map((cells) => Number(cells[5]))) / sectorsPerKib,
    writtenKib: sum(ofDisks.map((cells) => Number(cells[9]))) / sectorsPerKib,
    receivedKib: sum(ofNet.map(([received = 0]) => received)) / kibibyte,
    sentKib: sum(ofNet.map((cells) => cells[8] ?? 0)) / kibibyte,
  };
}

/** How much of memory and of the disk of homes is used now. */
export async function readLevels(root: string, homes: string): Promise<HostValues> {
  const [memory, disk] = await Promise.all([readText(root, 'proc/meminfo'), statfs(homes).catch(() => undefined)]);
  const mib = (bytes: number) => Math.round(bytes / kibibyte ** 2);
  return {
    ...levelsIn(memory),
    ...(disk && {
      disk_total_mib: mib(disk.blocks * disk.bsize),
      disk_used_mib: mib((disk.blocks - disk.bfree) * disk.bsize),
    }),
  };
}

/** How much memory is used, by the words of a kernel. */
export function levelsIn(memory: string): HostValues {
  const after = (name: string) =>
    memory
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1);
  const kib = (name: string) => Number(/^\s+(\d{1,15}) kB$/.exec(after(name) ?? '')?.[1] ?? Number.NaN);
  const [total, available] = [kib('MemTotal'), kib('MemAvailable')];
  return total > 0 && available >= 0
    ? {
        memory_total_mib: Math.round(total / kibibyte),
        memory_used_mib: Math.round(Math.max(0, total - available) / kibibyte),
      }
    : {};
}

/** What happened between two looks. A counter that went back means another boot: nothing is said then. */
export function ratesBetween(before: SystemCounters, after: SystemCounters, seconds: number): HostValues {
  if (!(seconds > 0)) return {};
  const tenth = (value: number) => Math.round(value * 10) / 10;
  const rate = (name: 'readKib' | 'writtenKib' | 'receivedKib' | 'sentKib') => (after[name] - before[name]) / seconds;
  const [reads, writes, receives, sends] = [rate('readKib'), rate('writtenKib'), rate('receivedKib'), rate('sentKib')];
  const ticks = after.allTicks - before.allTicks;
  return {
    ...(ticks > 0 && {
      cpu_percent: tenth(Math.min(100, Math.max(0, (100 * (after.busyTicks - before.busyTicks)) / ticks))),
    }),
    ...(reads >= 0 && { disk_read_kib_s: tenth(reads) }),
    ...(writes >= 0 && { disk_write_kib_s: tenth(writes) }),
    ...(receives >= 0 && { network_receive_kib_s: tenth(receives) }),
    ...(sends >= 0 && { network_transmit_kib_s: tenth(sends) }),
  };
}
