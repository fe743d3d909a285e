import type { HeldLease, NodeUsageRecord } from '@gpuaas/contract/node';
import type { Chance } from '../chance.ts';
import { jittered } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { Host } from '../host/port.ts';
import type { ResultSigner } from '../identity/keys.ts';
import { inTime } from '../in-time.ts';
import type { Leases } from '../leases/leases.ts';
import type { ServerTime } from '../server-time.ts';
import type { Log } from '../telemetry/log.ts';
import type { Cursor, UsageFiles } from './usage-files.ts';

/**
 * Measures leases: for each one that runs it signs, every so often, from when to when it ran and which of its GPUs the host
 * saw. The time is the control plane's, as this host counts it. A lease is measured from the moment at which it runs until it
 * does not, whatever happens inside the machine; time in which this host was switched off, or the machine was stopped, is not
 * measured.
 */
export interface Meter {
  /** A lease was taken, moved or ended: look again. */
  look(): void;
  run(signal: AbortSignal): Promise<void>;
}

const spread = 0.1;
/** A lease whose GPUs are not at work yet is looked at again after this time: its machine may be on in a moment. */
const darkMs = 5_000;
/** A record is made longer, while nobody was sent it, up to this: an outage leaves few records. */
const longestMs = 60 * 60_000;

interface MeterParts {
  readonly nodeId: string;
  readonly bootId: string;
  readonly host: Host;
  readonly leases: Leases;
  readonly files: UsageFiles;
  readonly sign: ResultSigner;
  readonly time: ServerTime;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly everyMs: number;
  /** How many times as fast GPU time passes: 1 on every real host. */
  readonly speed: number;
  /** Whether a record was on its way already, so that it must stay as it is. */
  readonly wasSent: (record: NodeUsageRecord) => boolean;
  readonly onRecord: () => void;
}

export function makeMeter(parts: MeterParts): Meter {
  const { files, leases, host, log } = parts;
  let wake = new AbortController();
  let isWanted = false;
  const nowMs = () => Math.floor(parts.time.nowMs());

  const { write, begin, end } = makeRecords(parts, nowMs);
  const measure = async (lease: HeldLease, isDue: boolean): Promise<void> => {
    const cursor = files.cursor(lease.allocation_id);
    const isKnown =
      cursor !== undefined &&
      !cursor.ended &&
      cursor.generation === lease.generation &&
      cursor.boot_id === parts.bootId;
    if (isKnown && !isDue && cursor.gpus.length > 0) return;
    const gpus = await inTime(host.gpusOf(lease.allocation_id));
    if (!isKnown) return begin(lease, gpus);
    if (!isDue) return gpus.length > 0 ? files.move({ ...cursor, gpus: [...gpus] }) : undefined;
    const toMs = nowMs();
    if (toMs > cursor.to_ms) await write(cursor, toMs, gpus, { final: false, ended: false });
  };
  const isDark = () =>
    leases.held().some((lease) => lease.state === 'running' && files.cursor(lease.allocation_id)?.gpus.length === 0);
  const round = async (isDue: boolean): Promise<void> => {
    const held = leases.held();
    const running = new Map(
      held.flatMap((lease) => (lease.state === 'running' ? [[lease.allocation_id, lease] as const] : [])),
    );
    // A stopped machine may run again under its lease: its last record for now is not final.
    const stopped = new Set(held.flatMap(({ state, allocation_id }) => (state === 'stopped' ? [allocation_id] : [])));
    for (const cursor of files.cursors()) {
      if (cursor.ended || running.has(cursor.allocation_id)) continue;
      await end(cursor, !stopped.has(cursor.allocation_id));
    }
    for (const lease of running.values()) {
      await measure(lease, isDue).catch((error: unknown) =>
        log.warn(
          { allocation_id: lease.allocation_id, err: error },
          'a lease could not be measured; it is tried again',
        ),
      );
    }
  };
  return {
    look() {
      isWanted = true;
      wake.abort();
    },
    async run(signal) {
      const stop = () => wake.abort();
      signal.addEventListener('abort', stop);
      let dueAtMs = 0;
      while (!signal.aborted) {
        isWanted = false;
        const isDue = parts.clock.now().getTime() >= dueAtMs;
        if (isDue) dueAtMs = parts.clock.now().getTime() + jittered(parts.everyMs, spread, parts.chance);
        await round(isDue).catch((error: unknown) => log.error({ err: error }, 'leases could not be measured'));
        wake = new AbortController();
        if (isWanted || signal.aborted) continue;
        const restMs = Math.min(dueAtMs - parts.clock.now().getTime(), isDark() ? darkMs : Number.POSITIVE_INFINITY);
        await sleepWell(parts.clock, Math.max(1, restMs), wake.signal);
      }
      signal.removeEventListener('abort', stop);
    },
  };
}

/** Writes the records of leases: a first mark, a record for each stretch of time, and a last one. */
function makeRecords(parts: MeterParts, nowMs: () => number) {
  const { files } = parts;
  const write = async (
    cursor: Cursor,
    toMs: number,
    gpus: readonly string[],
    { final, ended }: { readonly final: boolean; readonly ended: boolean },
  ): Promise<void> => {
    const last = files.pending().findLast(({ allocation_id }) => allocation_id === cursor.allocation_id);
    const grows =
      last !== undefined &&
      !parts.wasSent(last) &&
      last.generation === cursor.generation &&
      Date.parse(last.to) === cursor.to_ms &&
      toMs - Date.parse(last.from) <= longestMs &&
      last.gpus.join() === gpus.join() &&
      (last.speed ?? 1) === parts.speed;
    const sequence = grows ? last.sequence : cursor.sequence + 1;
    const record = parts.sign({
      kind: 'usage' as const,
      node_id: parts.nodeId,
      allocation_id: cursor.allocation_id,
      generation: cursor.generation,
      sequence,
      from: grows ? last.from : new Date(cursor.to_ms).toISOString(),
      to: new Date(toMs).toISOString(),
      gpus: [...gpus],
      ...(parts.speed > 1 && { speed: parts.speed }),
      final,
    });
    await files.keep(record);
    await files.move({ ...cursor, sequence, to_ms: toMs, gpus: [...gpus], ended });
    parts.onRecord();
  };
  /** Begins to measure a lease, or goes on where this machine left off. */
  const begin = async (lease: HeldLease, gpus: readonly string[]): Promise<void> => {
    const before = files.cursor(lease.allocation_id);
    const isSame = before?.generation === lease.generation;
    await files.move({
      allocation_id: lease.allocation_id,
      generation: lease.generation,
      sequence: isSame ? before.sequence : 0,
      to_ms: Math.max(nowMs(), isSame ? before.to_ms : 0),
      boot_id: parts.bootId,
      gpus: [...gpus],
      ended: false,
    });
  };
  const end = async (cursor: Cursor, final: boolean): Promise<void> => {
    // What another boot of this machine began is over since nobody knows when: what was recorded stands.
    if (cursor.boot_id !== parts.bootId) return files.move({ ...cursor, ended: true });
    // A lease that ends in the moment of its last record gets a final one of a millisecond: the end is said in any case.
    return write(cursor, Math.max(nowMs(), cursor.to_ms + 1), cursor.gpus, { final, ended: true });
  };
  return { write, begin, end };
}
