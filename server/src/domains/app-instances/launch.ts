import type { DeclaredEvent } from '@gpuaas/contract';
import type { WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { type LeasedAllocation, readLeased } from '../allocations/index.ts';
import { findLaunchable, type Launchable } from '../apps/index.ts';
import { eventsOf } from './announce.ts';
import { pullSeconds, readyWaitSeconds } from './facts.ts';
import { moveTo } from './machine.ts';
import { makeOrder, readinessOf } from './order.ts';
import type { AppsPlace, InstanceParts } from './parts.ts';
import { type InstanceRow, noteProbe } from './store.ts';

type Refused = Fault<'app_not_launchable' | 'app_not_supported' | 'allocation_not_active' | 'illegal_transition'>;

export const addressOf = (place: AppsPlace | undefined, label: string): string | undefined => {
  if (!place) return undefined;
  const { protocol, host } = new URL(place.url);
  return `${protocol}//${label}.${host}`;
};

/** The version of an instance, if it may be launched now: what was revoked since the last start does not start again. */
export async function findVersion(
  tx: WriteTx,
  of: Pick<InstanceRow, 'organization_id' | 'project_id' | 'app_version_id'>,
  /** It ran before an upgrade that failed: it comes back while it may go on running. */
  mayReturn = false,
): Promise<Launchable | Fault<'app_not_launchable'>> {
  const found = await findLaunchable(
    tx,
    { organizationId: of.organization_id, projectId: of.project_id },
    { versionId: of.app_version_id },
  );
  if (!found) return new Fault('app_not_launchable', 'The app is not for this project any more.');
  if (mayReturn && found.keepsRunning) return found;
  return found.launch.allowed ? found : new Fault('app_not_launchable', found.launch.reason);
}

/** Why no container can run on an allocation; undefined when one can. */
export function whyNoContainers(
  leased: LeasedAllocation | undefined,
): Fault<'allocation_not_active' | 'app_not_supported'> | undefined {
  if (leased?.state !== 'active') {
    return new Fault(
      'allocation_not_active',
      `The allocation is ${leased?.state ?? 'not placed'}; apps run on an active one.`,
      {
        state: leased?.state ?? 'requested',
      },
    );
  }
  if (leased.shape === 'baremetal') return undefined;
  return new Fault(
    'app_not_supported',
    'Apps run on allocations of a whole node. Choose a SKU of a whole node; slices follow.',
  );
}

function orderOf(
  parts: InstanceParts,
  row: InstanceRow,
  of: {
    readonly version: Launchable;
    readonly leased: LeasedAllocation;
    readonly workloadId: string;
    readonly correlationId: string;
  },
) {
  return makeOrder(row, {
    ...{ manifest: of.version.manifest, image: of.version.image, workloadId: of.workloadId, ids: parts.ids },
    correlationId: of.correlationId,
    gpuUuids: of.leased.slots.map(({ gpu_uuid }) => gpu_uuid),
    addressOf(endpoint) {
      const route = row.routes.find(({ endpoint_name }) => endpoint_name === endpoint);
      return route && addressOf(parts.place, route.label);
    },
  });
}

/** Why a version cannot be launched for an instance where it is; undefined when it can. */
export async function checkOrder(
  tx: WriteTx,
  parts: InstanceParts,
  row: InstanceRow,
  of: { readonly version: Launchable; readonly correlationId: string },
): Promise<Fault<'allocation_not_active' | 'app_not_supported'> | undefined> {
  const leased = await readLeased(tx, row.allocation_id);
  const refused = whyNoContainers(leased);
  if (refused || !leased) return refused ?? new Fault('allocation_not_active', 'The allocation has no place.');
  const order = orderOf(parts, row, { ...of, leased, workloadId: row.id });
  return order instanceof Fault ? order : undefined;
}

/** Orders a container, with an id of its own, in the caller's transaction. */
export async function launch(
  tx: WriteTx,
  parts: InstanceParts,
  row: InstanceRow,
  about: { readonly correlationId: string; readonly isAskedAnew: boolean; readonly mayReturn?: boolean },
): Promise<{ readonly events: readonly DeclaredEvent[] } | Refused> {
  const version = await findVersion(tx, row, about.mayReturn);
  if (version instanceof Fault) return version;
  const leased = await readLeased(tx, row.allocation_id);
  const refused = whyNoContainers(leased);
  if (refused || !leased) return refused ?? new Fault('allocation_not_active', 'The allocation has no place.');
  const workloadId = parts.ids.next();
  const order = orderOf(parts, row, { version, leased, workloadId, correlationId: about.correlationId });
  if (order instanceof Fault) return order;
  const attempt = about.isAskedAnew ? 1 : row.attempts + 1;
  const moved = await moveTo(tx, row, 'launch', {
    ...{ ids: parts.ids, correlationId: about.correlationId },
    also: { workloadId, attempts: attempt, phase: 'ordered', isAskedAnew: about.isAskedAnew },
  });
  if (moved instanceof Fault) return moved;
  await parts.tasks.queueTask(tx, {
    ...taskOf(leased, about.correlationId),
    type: 'app.oci_launch',
    params: order,
    ttlSeconds: pullSeconds,
  });
  return { events: eventsOf(row, moved, { attempt }) };
}

const taskOf = (leased: LeasedAllocation, correlationId: string) => ({
  ...{ nodeId: leased.nodeId, generation: leased.generation, correlationId },
  allocation: { id: leased.id, organizationId: leased.organizationId },
});
interface Asked {
  readonly tx: WriteTx;
  readonly parts: InstanceParts;
  readonly row: InstanceRow;
  readonly correlationId: string;
}

/** A task about the container of an instance, for the host of its allocation; undefined when there is neither. */
async function prepare({ tx, row, correlationId }: Asked) {
  const leased = await readLeased(tx, row.allocation_id);
  if (leased?.state !== 'active' || row.workload_id === null) return undefined;
  return {
    task: taskOf(leased, correlationId),
    of: { allocation_id: row.allocation_id, workload_id: row.workload_id },
  };
}

/** Asks the host whether the container answers. Answers whether there is anything to ask for. */
export async function askReady(asked: Asked): Promise<boolean> {
  const { tx, parts, row } = asked;
  const version = await findLaunchable(
    tx,
    { organizationId: row.organization_id, projectId: row.project_id },
    { versionId: row.app_version_id },
  );
  const at = version && readinessOf(version.manifest);
  const ready = at && (await prepare(asked));
  if (!ready) return false;
  await parts.tasks.queueTask(tx, {
    ...ready.task,
    type: 'app.oci_ready',
    params: { ...ready.of, ...at, wait_seconds: readyWaitSeconds },
    ttlSeconds: parts.policies.number('node.task_ttl_seconds'),
  });
  await noteProbe(tx, row.id);
  return true;
}

export async function askStatus(asked: Asked): Promise<void> {
  const { tx, parts, row } = asked;
  const ready = await prepare(asked);
  await noteProbe(tx, row.id);
  if (!ready) return;
  await parts.tasks.queueTask(tx, {
    ...{ ...ready.task, type: 'app.oci_status', params: ready.of },
    ttlSeconds: parts.policies.number('node.task_ttl_seconds'),
  });
}

/** Orders the end of the container. Answers whether a host was asked: without a container there is nothing to end. */
export async function askStop(
  asked: Asked,
  how: {
    readonly removesVolumes: boolean;
    /** A launch of another container follows: the order to end this one stands for as long as that one. */
    readonly isBeforeLaunch?: boolean;
  },
): Promise<boolean> {
  const { tx, parts, row } = asked;
  const ready = await prepare(asked);
  await noteProbe(tx, row.id);
  if (!ready) return false;
  const version = await findLaunchable(
    tx,
    { organizationId: row.organization_id, projectId: row.project_id },
    { versionId: row.app_version_id },
  );
  await parts.tasks.queueTask(tx, {
    ...{ ...ready.task, type: 'app.oci_stop' },
    params: {
      ...ready.of,
      grace_seconds: version?.manifest.lifecycle.drain_seconds ?? 0,
      remove_volumes: how.removesVolumes,
    },
    ttlSeconds: how.isBeforeLaunch ? pullSeconds : parts.policies.number('node.task_ttl_seconds'),
  });
  return true;
}

export async function askLogs(asked: Asked, tailLines: number): Promise<boolean> {
  const ready = await prepare(asked);
  if (!ready) return false;
  await asked.parts.tasks.queueTask(asked.tx, {
    ...{ ...ready.task, type: 'app.oci_logs', params: { ...ready.of, tail_lines: tailLines } },
    ttlSeconds: asked.parts.policies.number('node.task_ttl_seconds'),
  });
  return true;
}
