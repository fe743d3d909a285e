/**
 * The progress rail: the phases of an allocation and their durations. It is computed from the timeline alone, so a page
 * that opens late shows the same as one that watched.
 */
export interface RailSource {
  readonly state: string;
  readonly capacity_shape: 'baremetal' | 'gpu_slice';
  readonly placement_status: string;
  readonly created_at: string;
  readonly active_at: string | null;
  readonly ended_at: string | null;
  /** The step at which the launch failed, as the server has it. */
  readonly failed_phase?: string | null;
}
export interface RailItem {
  readonly at: string;
  readonly kind: 'transition' | 'phase' | 'task' | 'note';
  readonly name: string;
  readonly to_state: string | null;
}
export interface RailStep {
  readonly name: string;
  readonly label: string;
  readonly status: 'pending' | 'running' | 'done' | 'failed';
  readonly beganAt: string | undefined;
  /** Undefined while it runs, and before. */
  readonly tookMs: number | undefined;
}

const labels: Readonly<Record<string, string>> = {
  placed: 'Scheduling',
  lease: 'Host accepted',
  host_check: 'Checking the host',
  vfio_bind: 'Attaching GPUs',
  image: 'Fetching the image',
  seed: 'Writing keys and settings',
  address: 'Assigning an address',
  disk: 'Verifying disk wipe',
  machine: 'Booting the machine',
  user: 'Creating your account',
  readiness: 'Verifying GPUs',
  shutdown: 'Shutting the machine down',
  destroy: 'Machine did not shut down: switching it off',
  wipe: 'Wiping the disk',
  unbind: 'Detaching GPUs',
  revoke: 'Removing the account',
};
export const labelOfPhase = (name: string): string => labels[name] ?? name.replaceAll('_', ' ');

const order: Readonly<Record<RailSource['capacity_shape'], readonly string[]>> = {
  gpu_slice: ['placed', 'lease', 'host_check', 'vfio_bind', 'image', 'seed', 'address', 'disk', 'machine', 'readiness'],
  baremetal: ['placed', 'lease', 'host_check', 'user', 'readiness'],
};

export function makeRail(source: RailSource, all: readonly RailItem[]): RailStep[] {
  // Entries of the last attempt only.
  const retried = all.findLastIndex(({ kind, name }) => kind === 'transition' && name === 'retry');
  const timeline = all.slice(retried + 1);
  const begun = new Map<string, string>([['placed', all[retried]?.at ?? source.created_at]]);
  for (const item of timeline) if (item.kind === 'phase') begun.set(item.name, item.at);
  const known = order[source.capacity_shape];
  const names = known.filter((name) => name === 'placed' || begun.has(name) || isStillToCome(name, known, begun));
  const failedAt = timeline.find(({ kind, to_state }) => kind === 'transition' && to_state === 'failed')?.at;
  const finishedAt = source.active_at ?? undefined;
  const isOver = finishedAt !== undefined || failedAt !== undefined;
  const stopped = source.failed_phase ? names.indexOf(source.failed_phase) : -1;
  const last = stopped >= 0 ? stopped : names.findLastIndex((name) => begun.has(name));
  return names.map((name, index): RailStep => {
    const beganAt = begun.get(name);
    const label = labelOfPhase(name);
    if (beganAt === undefined) {
      if (index === stopped) return { name, label, status: 'failed', beganAt, tookMs: undefined };
      return { name, label, status: finishedAt ? 'done' : 'pending', beganAt, tookMs: undefined };
    }
    const next = names
      .slice(index + 1)
      .map((later) => begun.get(later))
      .find((at) => at !== undefined);
    const endedAt = next ?? finishedAt ?? failedAt;
    if (index === last && failedAt && !finishedAt) {
      return { name, label, status: 'failed', beganAt, tookMs: Date.parse(failedAt) - Date.parse(beganAt) };
    }
    if (index === last && !isOver) return { name, label, status: 'running', beganAt, tookMs: undefined };
    // Two clocks write the timeline, the host's and ours: a duration is never negative.
    const tookMs = endedAt ? Math.max(0, Date.parse(endedAt) - Date.parse(beganAt)) : undefined;
    return { name, label, status: 'done', beganAt, tookMs };
  });
}

/** A phase that a host left out will not come once a later one has begun. */
const isStillToCome = (name: string, known: readonly string[], begun: ReadonlyMap<string, string>): boolean =>
  !known.slice(known.indexOf(name) + 1).some((later) => begun.has(later));

export const isUnderway = (state: string): boolean => state === 'requested' || state === 'provisioning';
export const isLive = (state: string): boolean => !['released', 'failed'].includes(state);
