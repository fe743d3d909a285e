import { isDeepStrictEqual } from 'node:util';
import { type LaunchOrder, mountsOf } from './argv.ts';
import { nameOf, type Places } from './settings.ts';

/** What podman says of a container, as far as anybody here reads it. */
export interface Inspection {
  readonly Id: string;
  readonly Image: string;
  readonly Path: string;
  readonly Args: readonly string[] | null;
  readonly State: {
    readonly Status: string;
    readonly ExitCode: number;
    readonly OOMKilled: boolean;
    readonly StartedAt: string;
    readonly FinishedAt: string;
  };
  readonly EffectiveCaps: readonly string[] | null;
  readonly BoundingCaps: readonly string[] | null;
  readonly Mounts: readonly {
    readonly Type: string;
    readonly Source: string;
    readonly Destination: string;
    readonly RW: boolean;
  }[];
  readonly Config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Labels: Readonly<Record<string, string>> | null;
  };
  readonly HostConfig: Readonly<Record<string, unknown>>;
}

export function parseInspection(text: string): Inspection | undefined {
  try {
    const [first] = JSON.parse(text) as Inspection[];
    return first?.State && first.HostConfig && first.Config ? first : undefined;
  } catch {
    return undefined;
  }
}

const mebibyte = 1_024 ** 2;
const nanosInMilli = 1_000_000;

/**
 * What of the container is not as it was ordered, before it has run for the first time. Podman is asked for what it made, so a setting
 * that it dropped, an image that brings its own, or a value that it read in another way is found here and not by a tenant.
 */
export function troubleWith(made: Inspection, order: LaunchOrder, imageId: string, places: Places): string | undefined {
  const { HostConfig: host, Config: config } = made;
  const security = host['SecurityOpt'];
  const expected: Readonly<Record<string, unknown>> = {
    Privileged: false,
    ReadonlyRootfs: order.root.kind === 'read_only',
    PidsLimit: order.limits.pids,
    Memory: order.limits.memory_mib * mebibyte,
    MemorySwap: order.limits.memory_mib * mebibyte,
    NanoCpus: order.limits.cpu_millis * nanosInMilli,
    ShmSize: order.limits.shm_mib * mebibyte,
    NetworkMode: `ns:/run/netns/${nameOf(order.workload_id)}`,
    ...{ PidMode: 'private', UTSMode: 'private', CgroupMode: 'private', UsernsMode: '' },
  };
  const wrong = Object.entries(expected).find(([name, value]) => !isDeepStrictEqual(host[name], value));
  if (wrong) return `${wrong[0]} is ${JSON.stringify(host[wrong[0]])} and not ${JSON.stringify(wrong[1])}`;
  // Older versions of podman call a namespace of its own `shareable`; only we could share it.
  if (host['IpcMode'] !== 'private' && host['IpcMode'] !== 'shareable') return 'its shared memory is not its own';
  if (made.Image.replace(/^sha256:/, '') !== imageId.replace(/^sha256:/, '')) return 'the image is another one';
  if ((made.EffectiveCaps ?? []).length > 0 || (made.BoundingCaps ?? []).length > 0) return 'it has capabilities';
  if (!Array.isArray(security) || !security.includes('no-new-privileges')) return 'it could gain privileges';
  if (security.some((one) => String(one).includes('unconfined'))) return 'its system calls are not filtered';
  if (config.User !== `${order.user.uid}:${order.user.gid}`) return 'its user is another one';
  const missing = order.env.find(({ name, value }) => !config.Env.includes(`${name}=${value}`));
  if (missing) return `the variable ${missing.name} has another value`;
  if (order.command && !isDeepStrictEqual([made.Path, ...(made.Args ?? [])], [...order.command, ...order.args])) {
    return 'its command is another one';
  }
  return troubleWithMounts(made, order, places);
}

function troubleWithMounts(made: Inspection, order: LaunchOrder, places: Places): string | undefined {
  const wanted = mountsOf(order, places);
  const foreign = made.Mounts.find(
    ({ Type, Source, Destination, RW }) =>
      Type !== 'bind' ||
      !wanted.some(({ from, to, how }) => from === Source && to === Destination && how.startsWith('rw') === RW),
  );
  if (foreign) return `something is mounted at ${foreign.Destination} that nobody ordered`;
  return made.Mounts.length === wanted.length ? undefined : 'a mount is missing';
}

/** Podman's time, which has more digits than ours, and a year 1 for never. */
export function timeOf(text: string): string | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) || ms <= 0 ? null : new Date(ms).toISOString();
}
const states: Readonly<Record<string, 'running' | 'exited' | 'making'>> = {
  running: 'running',
  paused: 'running',
  stopping: 'running',
  exited: 'exited',
  stopped: 'exited',
  removing: 'exited',
};
export const stateOf = ({ State }: Inspection): 'running' | 'exited' | 'making' => states[State.Status] ?? 'making';
