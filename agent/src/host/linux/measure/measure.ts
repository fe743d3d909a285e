import type { GpuValues } from '@gpuaas/contract/node';
import type { HostSample } from '../../port.ts';
import type { Commands } from '../commands.ts';
import { findAllXids, type KernelLog } from '../xids.ts';
import { type GpuValueQuery, queryGpuValues } from './gpu-values.ts';
import { nvlinkQuery, readNvlink } from './nvlink.ts';
import { ratesBetween, readCounters, readLevels, type SystemCounters } from './system.ts';

interface Parts {
  readonly root: string;
  readonly homes: string;
  readonly commands: Commands;
  readonly kernelLog: KernelLog;
  readonly elapsedMs: () => number;
}
const nvlinkLimitMs = 8_000;
const second = 1_000;
/** The kernel's log is long; a new Xid is seen within a minute. */
const logEveryMs = 60_000;

/** Measures the machine: its GPUs as the driver tells, the rest as the kernel counts it. One look at a time. */
export function makeMeasure(parts: Parts): () => Promise<HostSample> {
  let before: { readonly atMs: number; readonly counters: SystemCounters } | undefined;
  let links: { readonly atMs: number; readonly of: ReturnType<typeof readNvlink> } | undefined;
  let xids: { readonly atMs: number; readonly of: ReturnType<typeof findAllXids> } | undefined;

  const hostValues = async () => {
    const [counters, levels] = await Promise.all([readCounters(parts.root), readLevels(parts.root, parts.homes)]);
    const atMs = parts.elapsedMs();
    const rates = before ? ratesBetween(before.counters, counters, (atMs - before.atMs) / second) : {};
    before = { atMs, counters };
    return { ...levels, ...rates };
  };
  const nvlinkRates = async (uuids: readonly string[]): Promise<GpuValues> => {
    const { stdout } = await parts.commands.run(nvlinkQuery, { limitMs: nvlinkLimitMs });
    const [earlier, now] = [links, { atMs: parts.elapsedMs(), of: readNvlink(stdout) }];
    links = now;
    if (now.of.size === 0 || !earlier || now.atMs <= earlier.atMs) return {};
    const rate = (uuid: string, which: 'receivedKib' | 'sentKib') => {
      const [was, is] = [earlier.of.get(uuid)?.[which], now.of.get(uuid)?.[which]];
      if (was === undefined || is === undefined || is < was) return null;
      return Math.round((is - was) / ((now.atMs - earlier.atMs) / second));
    };
    return {
      nvlink_receive_kib_s: uuids.map((uuid) => rate(uuid, 'receivedKib')),
      nvlink_transmit_kib_s: uuids.map((uuid) => rate(uuid, 'sentKib')),
    };
  };
  const lastXids = async ({ addresses }: GpuValueQuery): Promise<(number | null)[]> => {
    if (!xids || parts.elapsedMs() - xids.atMs >= logEveryMs) {
      const lines = await parts.kernelLog.read();
      if ('trouble' in lines) return addresses.map(() => null);
      xids = { atMs: parts.elapsedMs(), of: findAllXids(lines) };
    }
    const known = xids.of;
    return addresses.map(
      (address) => known.findLast(({ device }) => address.startsWith(`${shortOf(device)}.`))?.code ?? 0,
    );
  };
  return async () => {
    const [host, looks] = await Promise.all([hostValues(), queryGpuValues(parts.commands)]);
    if ('trouble' in looks) {
      const unavailable = `The driver does not answer: ${looks.trouble}.`.slice(0, 200);
      return { source: 'host', gpus: [], host, gpu: {}, unavailable };
    }
    const [nvlink, xid] = await Promise.all([nvlinkRates(looks.uuids), lastXids(looks)]);
    return { source: 'host', gpus: [...looks.uuids], host, gpu: { ...looks.values, ...nvlink, xid } };
  };
}

/** Drivers may write the domain with eight digits; the kernel writes four. */
const shortOf = (device: string): string => device.replace(/^0{4}(?=[0-9a-f]{4}:)/, '');
