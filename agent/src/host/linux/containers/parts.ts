import type { OciWorkload } from '@gpuaas/contract/node';
import type { Clock } from '../../../clock.ts';
import { HostFailure } from '../../port.ts';
import { type CommandResult, type Commands, complaintOf, statusMissing } from '../commands.ts';
import { inspect, podmanIn } from './argv.ts';
import type { Images } from './images.ts';
import { type Inspection, parseInspection, stateOf, timeOf } from './inspection.ts';
import type { ContainerNetwork } from './network.ts';
import type { ContainerRecord, ContainerRecords, WorkloadRecord } from './records.ts';
import { addressOf, type ContainerSettings, type Places } from './settings.ts';
import type { Volumes } from './volumes.ts';

/** What launching, looking at and ending containers have in common. */
export interface ContainerParts {
  /** Programs in the namespaces of the machine. */
  readonly commands: Commands;
  readonly clock: Clock;
  readonly settings: ContainerSettings;
  readonly places: Places;
  readonly records: ContainerRecords;
  readonly images: Images;
  readonly volumes: Volumes;
  readonly network: ContainerNetwork;
  readonly turns: Turns;
  /** Throws for an allocation that does not live on this host as a whole. */
  readonly living: (allocationId: string) => Promise<unknown>;
  /** The GPUs of the whole host, which are those of the allocation that has it. */
  readonly gpus: () => Promise<readonly string[]>;
  /** What the host lacks, in sentences. */
  readonly missing: () => Promise<readonly string[]>;
}

/** One piece of work at a time for each allocation. */
export interface Turns {
  /** The signal says that the end of what runs waits for this turn: what can be given up is given up. */
  take<T>(allocationId: string, work: (ending: AbortSignal) => Promise<T>): Promise<T>;
  /** Says so to the turns that were taken until now. */
  hurry(allocationId: string): void;
}
export function makeTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  const endings = new Map<string, AbortController>();
  return {
    hurry(allocationId) {
      endings.get(allocationId)?.abort();
      endings.delete(allocationId);
    },
    take(allocationId, work) {
      const ending = endings.get(allocationId) ?? new AbortController();
      endings.set(allocationId, ending);
      const turn = (last.get(allocationId) ?? Promise.resolve()).then(() => work(ending.signal));
      const settled = turn.catch(() => undefined);
      last.set(allocationId, settled);
      settled
        .finally(() => {
          if (last.get(allocationId) !== settled) return;
          last.delete(allocationId);
          endings.delete(allocationId);
        })
        .catch(() => undefined);
      return turn;
    },
  };
}

export const conflict = (message: string) => new HostFailure('lease_conflict', message);
export const overtaken = (record: ContainerRecord, generation: number) =>
  conflict(`Generation ${generation} is over; generation ${record.generation} holds the lease.`);

/** Podman waits for its own locks, and a busy host is slow. */
const usualMs = 120_000;

/** Runs podman. What it says when it fails is for operators. */
export async function podman(
  { commands, places, settings }: Pick<ContainerParts, 'commands' | 'places' | 'settings'>,
  words: readonly string[],
  limitMs = usualMs,
): Promise<CommandResult> {
  const result = await commands.run(podmanIn(places, settings)(...words), { limitMs });
  if (result.status !== statusMissing) return result;
  throw new HostFailure('host_not_ready', 'podman is missing: install podman.');
}

/** A container as podman has it, or nothing. Trouble with looking is thrown. */
export async function look(parts: ContainerParts, workloadId: string): Promise<Inspection | undefined> {
  const result = await podman(parts, inspect(workloadId));
  if (result.status === 0) {
    const found = parseInspection(result.stdout);
    if (found) return found;
    throw new HostFailure('host_not_ready', 'podman says something about a container that cannot be read.');
  }
  if (/no such (?:container|object)/i.test(result.stderr)) return undefined;
  throw new HostFailure('host_not_ready', `podman does not say how a container is: ${complaintOf(result)}.`);
}

/** What the control plane hears about a workload: what was meant, from its record, and what is, from podman. */
export function workloadOf(
  settings: ContainerSettings,
  { index }: ContainerRecord,
  record: WorkloadRecord,
  found: Inspection | undefined,
): OciWorkload {
  const seen = found && stateOf(found);
  const state = record.state === 'stopped' ? 'stopped' : (seen ?? (record.state === 'making' ? 'making' : 'lost'));
  const isOver = state === 'exited' && found !== undefined;
  return {
    workload_id: record.workload_id,
    state,
    place: 'host',
    simulated: false,
    image_digest: record.image_digest,
    started_at: found ? timeOf(found.State.StartedAt) : null,
    finished_at: isOver ? timeOf(found.State.FinishedAt) : null,
    exit_code: isOver ? found.State.ExitCode : null,
    out_of_memory: isOver && found.State.OOMKilled,
    address: state === 'running' ? addressOf(settings, index, record.host) : null,
    ports: record.ports,
  };
}
