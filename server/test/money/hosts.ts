import { generateKeyPairSync, sign } from 'node:crypto';
import { type NodeUsageRecord, signedText } from '@gpuaas/contract/node';
import type pg from 'pg';
import type { makeLeases } from '../../src/domains/billing/testing.ts';
import { asSystem } from '../../src/testing/world.ts';
import type { Chance } from './chance.ts';
import type { RentedLife, SeenRecord } from './oracle.ts';

type Leases = Awaited<ReturnType<typeof makeLeases>>;
export interface Life extends RentedLife {
  releasedMs: number | undefined;
  readonly records: SeenRecord[];
  readonly allocationId: string;
  /** Signed and not yet taken by the server. */
  readonly waiting: NodeUsageRecord[];
  /** Whether the host has signed the last record that it ever will. */
  readonly isOver: boolean;
}
interface Living extends Life {
  isOver: boolean;
  cursorMs: number;
  sequence: number;
  readonly gpuIds: readonly string[];
  readonly endsMs: number;
  /** A host that dies signs nothing at its end, and nobody releases what it ran. */
  readonly dies: boolean;
  lastTaken: NodeUsageRecord | undefined;
}

const minuteMs = 60_000;
const longestRecordMs = 60 * minuteMs;
const lengths = [
  { below: 25, leastMs: 1, mostMs: 999 },
  { below: 55, leastMs: 1_000, mostMs: 40 * minuteMs },
  { below: 85, leastMs: 40 * minuteMs, mostMs: 12 * 60 * minuteMs },
  { below: 100, leastMs: 12 * 60 * minuteMs, mostMs: 3 * 24 * 60 * minuteMs },
] as const;
function lengthOf(chance: Chance): number {
  const at = chance.below(100);
  const kind = lengths.find(({ below }) => at < below) ?? lengths[0];
  return chance.between(kind.leastMs, kind.mostMs);
}

/** Hosts that run lives and sign what they saw: late, twice, with gaps after a reboot, or no more at all. */
export async function openHosts(root: pg.Client, leases: Leases, chance: Chance) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const stranger = generateKeyPairSync('ed25519').privateKey;
  const { x } = publicKey.export({ format: 'jwk' });
  await asSystem(root, 'update nodes set result_key = $2, version = version + 1 where id = $1', [leases.nodeId, x]);
  const lives: Living[] = [];
  const byId = new Map<string, Living>();
  let offlineUntilMs = 0;
  const signRecord = (life: Living, toMs: number, gpus: number, final: boolean, key = privateKey): NodeUsageRecord => {
    const record = {
      ...{ kind: 'usage' as const, node_id: leases.nodeId, allocation_id: life.allocationId, generation: 1 },
      ...{ sequence: life.sequence, from: new Date(life.cursorMs).toISOString(), to: new Date(toMs).toISOString() },
      ...{ gpus: life.gpuIds.slice(0, gpus), final },
    };
    return { ...record, signature: sign(null, Buffer.from(signedText(record)), key).toString('base64url') };
  };
  const measure = (life: Living, nowMs: number): void => {
    const untilMs = Math.min(nowMs, life.endsMs);
    if (chance.oneIn(40)) life.cursorMs = Math.min(untilMs, life.cursorMs + chance.between(1, 30 * minuteMs));
    while (life.cursorMs < untilMs) {
      const toMs = Math.min(untilMs, life.cursorMs + longestRecordMs);
      const final = toMs === life.endsMs && !life.dies;
      life.sequence += 1;
      const seen = chance.oneIn(15) ? chance.between(0, life.gpus) : life.gpus;
      life.waiting.push(signRecord(life, toMs, seen, final));
      life.cursorMs = toMs;
    }
    if (nowMs >= life.endsMs) life.isOver = true;
  };
  return {
    lives: lives as readonly Life[],
    /** A machine that was proven ready a moment ago. */
    async launch(of: { readonly organizationId: string; readonly projectId: string }, price: bigint, nowMs: number) {
      const attestedMs = nowMs - chance.between(0, minuteMs - 1);
      const gpus = chance.between(1, 4);
      const lease = await leases.lease(of, { gpus, unitPriceMinor: price, takenAt: new Date(attestedMs) });
      const dies = chance.oneIn(8);
      const endsMs = attestedMs + lengthOf(chance);
      const life: Living = {
        ...{ allocationId: lease.allocationId, gpus, gpuIds: lease.gpus, pricePerHour: price, attestedMs, dies },
        ...{ endsMs: dies ? endsMs : endsMs + chance.between(1, 20_000), releasedMs: undefined },
        // A host measures a little before or after the moment at which it proved the machine ready.
        ...{ cursorMs: attestedMs + chance.between(-2_000, 500), sequence: 0, isOver: false, lastTaken: undefined },
        ...{ records: [], waiting: [] },
      };
      lives.push(life);
      byId.set(life.allocationId, life);
      return { life, releaseAtMs: dies ? undefined : endsMs };
    },
    /** Signs everything up to now; a host that is offline keeps it. */
    measure(nowMs: number): void {
      for (const life of lives) if (!life.isOver) measure(life, nowMs);
    },
    goOffline(untilMs: number): void {
      offlineUntilMs = Math.max(offlineUntilMs, untilMs);
    },
    /** What a report has, in the order in which it was signed; and things that must not count. */
    report(nowMs: number, atLast = false): NodeUsageRecord[] {
      if (nowMs < offlineUntilMs && !atLast) return [];
      return lives.flatMap((life) => {
        const late = !atLast && chance.oneIn(6);
        const again = life.lastTaken && chance.oneIn(30) ? [life.lastTaken] : [];
        const forged =
          life.isOver || !chance.oneIn(30)
            ? []
            : [signRecord(life, life.cursorMs + minuteMs, life.gpus, false, stranger)];
        return [...again, ...(late ? [] : life.waiting), ...forged];
      });
    },
    /** What the server said about a report. */
    heard(records: readonly NodeUsageRecord[], outcomes: readonly string[]): void {
      records.forEach((record, at) => {
        const life = byId.get(record.allocation_id);
        const place = life?.waiting.indexOf(record) ?? -1;
        if (!life || place < 0 || outcomes[at] === 'later') return;
        life.waiting.splice(place, 1);
        if (outcomes[at] !== 'stored') throw new Error(`a record of ${record.allocation_id} was ${outcomes[at]}`);
        const { from, to, gpus } = record;
        life.records.push({ fromMs: Date.parse(from), toMs: Date.parse(to), gpus: gpus.length });
        life.lastTaken = record;
      });
    },
  };
}
export type Hosts = Awaited<ReturnType<typeof openHosts>>;
