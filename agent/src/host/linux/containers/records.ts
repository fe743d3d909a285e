import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { nodeTaskKinds, type TaskParams } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Disk } from '../../../disk.ts';
import { HostFailure } from '../../port.ts';
import { firstHost, mostNetworks } from './settings.ts';

const order = nodeTaskKinds['app.oci_launch'].params.properties;

const WorkloadRecord = Type.Object({
  workload_id: order.workload_id,
  /** `stopped` is for good: the same id is never launched again. */
  state: Type.Enum(['making', 'running', 'stopped']),
  /** What was ordered, as a digest: an order may carry secrets. */
  spec: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  image_digest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
  host: Type.Integer({ minimum: firstHost, maximum: 254 }),
  component: order.labels.properties.component,
  ports: order.ports,
  egress: order.egress,
  volumes: Type.Array(Type.String()),
});
export type WorkloadRecord = Static<typeof WorkloadRecord>;

/**
 * The containers, volumes and network of one allocation: written before anything is made, removed after the last trace is gone. The
 * agent finds its containers by this after a restart, and touches none that is not in it.
 */
const ContainerRecord = Type.Object({
  allocation_id: order.allocation_id,
  generation: Type.Integer({ minimum: 1 }),
  /** `ended` is for good: only a release comes after it. */
  state: Type.Enum(['open', 'ended']),
  index: Type.Integer({ minimum: 0, maximum: mostNetworks }),
  workloads: Type.Array(WorkloadRecord),
  volumes: Type.Array(Type.Object({ name: order.volumes.items.properties.name, size_mib: Type.Integer() })),
});
export type ContainerRecord = Static<typeof ContainerRecord>;
const isRecord = Compile(ContainerRecord);
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface ContainerRecords {
  all(): Promise<ContainerRecord[]>;
  get(allocationId: string): Promise<ContainerRecord | undefined>;
  /** One change at a time, of what is there then. If it throws, everything stays as it was. */
  change<T extends ContainerRecord | undefined>(
    allocationId: string,
    edit: (now: ContainerRecord | undefined, others: readonly ContainerRecord[]) => T,
  ): Promise<T>;
  remove(allocationId: string): Promise<void>;
}

export function makeContainerRecords({
  disk,
  folder,
}: {
  readonly disk: Disk;
  readonly folder: string;
}): ContainerRecords {
  const pathOf = (allocationId: string) => {
    if (!uuid.test(allocationId)) throw new TypeError('An allocation is named by a UUID.');
    return join(folder, `${allocationId}.json`);
  };
  const read = async (path: string): Promise<ContainerRecord | undefined> => {
    const text = await disk.read(path);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (isRecord.Check(value)) return value;
    // What is not known cannot be removed, so the host must not go to another tenant.
    throw new HostFailure('host_not_ready', `${path} cannot be read; an operator has to look.`);
  };
  const all = async () => {
    const names = (await disk.list(folder)).filter((name) => name.endsWith('.json'));
    const found = await Promise.all(names.map((name) => read(join(folder, name))));
    return found.filter((one) => one !== undefined);
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    all,
    get: (allocationId) => read(pathOf(allocationId)),
    change(allocationId, edit) {
      const turn = last.then(async () => {
        const known = await all();
        const next = edit(
          known.find(({ allocation_id }) => allocation_id === allocationId),
          known.filter(({ allocation_id }) => allocation_id !== allocationId),
        );
        if (next) await disk.write(pathOf(allocationId), JSON.stringify(next));
        return next;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    remove: (allocationId) => disk.remove(pathOf(allocationId)),
  };
}

/** The same order has the same digest. Who asks for it, and how long it may take, is no part of it. */
export function specOf(params: TaskParams<'app.oci_launch'>): string {
  const { labels, pull_seconds: _seconds, ...rest } = params;
  const { correlation_id: _correlation, ...kept } = labels;
  return createHash('sha256')
    .update(JSON.stringify(sorted({ ...rest, labels: kept })))
    .digest('hex');
}
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/** The smallest number from here on that nobody has. */
export function firstFree(taken: readonly number[], from: number, most: number): number | undefined {
  for (let number = from; number <= most; number += 1) if (!taken.includes(number)) return number;
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
