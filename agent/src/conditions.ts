import type { NodeCondition } from '@gpuaas/contract/node';
import type { Host } from './host/port.ts';
import { inTime } from './in-time.ts';
import type { Leases } from './leases/leases.ts';
import type { Journal } from './tasks/journal.ts';

/** How the node is: what the host says, and what the agent knows about its own memory. */
export interface Conditions {
  read(): Promise<NodeCondition[]>;
  /** Compares what runs with what is leased. What runs without a lease is reported and left alone. */
  compare(): Promise<void>;
}

const mostConditions = 50;
type Seen = Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>;

export function makeConditions(parts: {
  readonly host: Host;
  readonly leases: Leases;
  readonly journal: Journal;
  readonly isDraining: () => boolean;
  readonly now: () => Date;
  /** GPUs that heat slows down, by their place. */
  readonly hot: () => readonly number[];
}): Conditions {
  const { host, leases, journal } = parts;
  const last = new Map<string, NodeCondition>();
  let orphans: readonly string[] = [];
  /** Since when it is so: as long as the truth does not change, the time does not either. */
  const dated = (seen: Seen): NodeCondition => {
    const before = last.get(seen.type);
    const since = before?.status === seen.status ? before.since : parts.now().toISOString();
    const condition = { ...seen, message: seen.message.slice(0, 500), since };
    last.set(seen.type, condition);
    return condition;
  };
  const claim = (type: string, holds: boolean, reason: string, message: string): NodeCondition =>
    dated({
      type,
      status: holds ? 'True' : 'False',
      reason: holds ? 'AsExpected' : reason,
      message: holds ? '' : message,
    });
  return {
    async read() {
      let theirs: readonly NodeCondition[] = [];
      let isResponsive = true;
      try {
        theirs = await inTime(host.conditions());
      } catch {
        isResponsive = false;
      }
      const names = (ids: readonly string[]) => ids.slice(0, 8).join(', ');
      const ours = [
        claim('HostResponsive', isResponsive, 'NoAnswer', 'The host did not say how it is.'),
        claim('LeasesReadable', leases.unreadable.length === 0, 'Damaged', `Unreadable: ${names(leases.unreadable)}`),
        claim(
          'JournalReadable',
          journal.unreadable.length === 0,
          'Damaged',
          `Unreadable: ${names(journal.unreadable)}`,
        ),
        claim('RuntimesLeased', orphans.length === 0, 'Orphans', `Running without a lease: ${names(orphans)}`),
        claim(
          'GpusCool',
          parts.hot().length === 0,
          'ThermalThrottling',
          `Heat slows down ${parts
            .hot()
            .map((at) => `slot ${at}`)
            .join(', ')}.`,
        ),
        claim('AcceptsLeases', !parts.isDraining(), 'Draining', 'The node takes no new lease.'),
      ];
      return [...ours, ...theirs].slice(0, mostConditions);
    },
    async compare() {
      const held = new Set(leases.held().map(({ allocation_id }) => allocation_id));
      const runtimes = await inTime(host.runtimes());
      orphans = runtimes.filter((one) => one.running && !held.has(one.allocationId)).map((one) => one.allocationId);
    },
  };
}
