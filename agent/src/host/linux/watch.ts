import { statfs } from 'node:fs/promises';
import type { GpuEvidence, NodeCondition, Proof, TaskOutput } from '@gpuaas/contract/node';
import type { Clock } from '../../clock.ts';
import { type Commands, complaintOf } from './commands.ts';
import type { GpuInventory } from './gpu-inventory.ts';
import { type GpuQuery, queryGpus } from './nvidia-smi.ts';
import { greetSsh, type SshDoor } from './ssh/ssh.ts';
import { readPciDevices } from './sysfs.ts';
import { findXids, type KernelLog } from './xids.ts';

/** The health of the host: for heartbeats every few seconds, probes and attestations now and then. */
export interface Watch {
  /** A look at the GPUs, at most this old. */
  gpus(freshness?: 'now' | 'recent'): Promise<{ readonly look: GpuQuery; readonly evidence: GpuEvidence[] }>;
  /**
   * UUIDs of the GPUs that are on the bus. The bus is the kernel's word, which nobody with a login can change; which UUID
   * belongs to which address the driver said when it last answered.
   */
  gpusOnBus(): Promise<readonly string[]>;
  health(): Promise<TaskOutput<'diag.health_probe'>>;
  conditions(): Promise<NodeCondition[]>;
  storage(): Promise<Proof>;
}

const recentMs = 10_000;
const slowMs = 60_000;
/** Below this a host cannot keep its own records and a home. */
const leastFreeBytes = 2 * 1_024 ** 3;
const proof = (passed: boolean, detail: string): Proof => ({ passed, detail: detail.slice(0, 500) });

export function makeWatch(parts: {
  readonly root: string;
  readonly homes: string;
  readonly commands: Commands;
  readonly kernelLog: KernelLog;
  readonly door: SshDoor;
  readonly clock: Clock;
  readonly inventory: GpuInventory;
}): Watch {
  const { commands, clock } = parts;
  const cached = <T>(maxAgeMs: number, ask: () => Promise<T>) => remember(clock, maxAgeMs, ask);
  const look = cached(recentMs, async () => {
    const seen = await queryGpus(commands);
    // GPUs that are handed through are known from before; those of them that the driver has left are not missed.
    await parts.inventory.complete(seen);
    return seen;
  });
  const log = cached(slowMs, () => parts.kernelLog.read());
  const onBus = cached(slowMs, async () => {
    const devices = await readPciDevices(parts.root);
    const gpus = devices.filter(({ vendor, class: kind }) => vendor === '10de' && /^030[02]/.test(kind));
    const away = gpus.filter(({ driver }) => driver === 'vfio-pci');
    return { expected: gpus.length - away.length, away: away.length };
  });
  const time = cached(slowMs, () => readTime(commands));
  const dated = makeDated(clock);

  const gpus: Watch['gpus'] = async (freshness = 'now') => {
    const now = freshness === 'now';
    const [seen, lines] = await Promise.all([look(now), log(now)]);
    return { look: seen, evidence: evidenceOf(seen, 'trouble' in lines ? [] : findXids(lines)) };
  };

  const byAddress = new Map<string, string>();
  const gpusOnBus = async (): Promise<readonly string[]> => {
    for (const { uuid, pciAddress } of (await look(false)).gpus) byAddress.set(busAddress(pciAddress), uuid);
    if (byAddress.size === 0) throw new Error('the driver has not yet said which GPUs there are');
    const devices = await readPciDevices(parts.root);
    return devices.flatMap(({ address }) => byAddress.get(busAddress(address)) ?? []);
  };

  const storage = async (): Promise<Proof> => {
    const { bavail, bsize } = await statfs(parts.homes);
    const free = bavail * bsize;
    return proof(free >= leastFreeBytes, `${Math.floor(free / 1_024 ** 2)} MiB are free for homes.`);
  };

  const checks = async (freshness: 'now' | 'recent'): Promise<Record<string, Proof>> => {
    const isNow = freshness === 'now';
    const [{ look: seen, evidence }, { expected, away }, lines, room, clockKept, answers] = await Promise.all([
      gpus(freshness),
      onBus(isNow),
      log(isNow),
      storage(),
      time(isNow),
      greetSsh(parts.door),
    ]);
    const sick = evidence.filter(({ healthy }) => !healthy);
    const isWhole = sick.length === 0 && evidence.length === expected && expected + away > 0;
    const given = away > 0 ? ` ${away} more are handed through to slices.` : '';
    const names = sick.map(({ pci_address, detail }) => `${pci_address}: ${detail}`).join(' ');
    return {
      nvidia_smi:
        expected === 0 && away > 0 ? proof(true, `All ${away} GPUs are handed through to slices.`) : seen.answers,
      gpus: proof(
        isWhole,
        `${evidence.length} of ${expected} GPUs answer, ${sick.length} are unwell.${given} ${names}`.trim(),
      ),
      kernel_log: 'trouble' in lines ? proof(false, lines.trouble) : proof(true, 'The kernel’s log can be read.'),
      storage: room,
      clock: clockKept,
      ssh: proof(answers, answers ? 'sshd answers.' : `Nobody answers at ${parts.door.address}:${parts.door.port}.`),
    };
  };

  return {
    gpus,
    gpusOnBus,
    storage,
    async health() {
      const found = await checks('now');
      return { checks: found, healthy: Object.values(found).every(({ passed }) => passed) };
    },
    async conditions() {
      const found = await checks('recent');
      const about = (type: string, check: string, reason: string) =>
        dated(type, found[check] ?? proof(false, 'Nobody looked.'), reason);
      return [
        about('DriverReady', 'nvidia_smi', 'DriverUnavailable'),
        about('GpusHealthy', 'gpus', 'GpusUnwell'),
        about('KernelLogReadable', 'kernel_log', 'Unreadable'),
        about('StorageReady', 'storage', 'DiskFull'),
        about('ClockKept', 'clock', 'NotSynchronized'),
        about('SshAnswers', 'ssh', 'NoAnswer'),
      ];
    },
  };
}

/** Whether the clock is synchronised. systemd knows it from the kernel, whichever program does the work. */
async function readTime(commands: Commands): Promise<Proof> {
  const result = await commands.run(['timedatectl', 'show', '--property=NTPSynchronized', '--value']);
  if (result.status !== 0)
    return proof(false, `timedatectl cannot tell whether the clock is kept: ${complaintOf(result)}.`);
  const isKept = result.stdout.trim() === 'yes';
  return proof(isKept, isKept ? 'The clock is synchronized.' : 'The clock is not synchronized.');
}

/** The last answer while it is young enough, and one question at a time. */
function remember<T>(clock: Clock, maxAgeMs: number, ask: () => Promise<T>): (now: boolean) => Promise<T> {
  let last: { readonly atMs: number; readonly answer: Promise<T> } | undefined;
  let asking: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    const answer = ask();
    last = { atMs: clock.now().getTime(), answer };
    asking = answer;
    answer.then(
      () => (asking = undefined),
      // A question that failed is asked again, not remembered.
      () => (asking = last = undefined),
    );
    return answer;
  };
  return (now) => {
    if (asking && !now) return asking;
    if (asking) {
      // Who wants to know how it is now waits for the question under way, then asks once for all who wait.
      next ??= asking
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return begin();
        });
      return next;
    }
    const isYoung = last && clock.now().getTime() - last.atMs < maxAgeMs;
    return last && isYoung && !now ? last.answer : begin();
  };
}

/** Drivers write the domain with eight digits and kernels with four. */
const busAddress = (address: string): string => address.toLowerCase().replace(/^0{4}(?=[0-9a-f]{4}:)/, '');

/** Each GPU as the driver shows it: one that the kernel or its own counters complain about is not healthy. */
function evidenceOf(seen: GpuQuery, xids: ReturnType<typeof findXids>): GpuEvidence[] {
  return seen.gpus.map(({ uuid, model, pciAddress, memoryMib, uncorrectedErrors = 0 }) => {
    const xid = xids.findLast(({ device }) => pciAddress.startsWith(`${device.replace(/^0{4}(?=[0-9a-f]{4}:)/, '')}.`));
    const detail = xid
      ? `Xid ${xid.code}: ${xid.text}.`
      : uncorrectedErrors > 0
        ? `${uncorrectedErrors} memory errors could not be corrected.`
        : undefined;
    const common = { uuid, model, pci_address: pciAddress, memory_mib: memoryMib, healthy: detail === undefined };
    return { ...common, ...(detail !== undefined && { detail }) };
  });
}

/** Conditions with the time since when each has its status. */
function makeDated(clock: Clock) {
  const since = new Map<string, NodeCondition>();
  return (type: string, { passed, detail }: Proof, reason: string): NodeCondition => {
    const status = passed ? 'True' : 'False';
    const before = since.get(type);
    const changed = before?.status === status ? before.since : clock.now().toISOString();
    const condition = {
      type,
      status,
      reason: passed ? 'AsExpected' : reason,
      message: detail,
      since: changed,
    } as const;
    since.set(type, condition);
    return condition;
  };
}
