import type { Clock } from '../../../kernel/clock.ts';
import { type MaasStatus, maasStatuses } from '../port.ts';

/**
 * The state of a simulated MAAS region: machines that do not exist, with the states, refusals and times of real ones. What takes
 * time is not driven by timers: a machine knows what it will be and when, and is brought up to date whenever someone looks.
 */
export interface SimulatedMachine {
  readonly systemId: string;
  hostname: string;
  status: MaasStatus;
  message: string;
  power: 'on' | 'off';
  owner: string | undefined;
  ownerData: Record<string, string>;
  osystem: string;
  series: string;
  userData: string | undefined;
  /** Whether its disks hold what an earlier deployment wrote. */
  isDirty: boolean;
  locked: boolean;
  readonly pool: string;
  readonly cpus: number;
  readonly memoryMib: number;
  readonly tags: readonly string[];
  coming:
    | { readonly at: number; readonly status: MaasStatus; readonly then: (machine: SimulatedMachine) => void }
    | undefined;
}

/** What a test or an operator has break next. */
export type MaasFault =
  /** The next answers have this status instead; `op` limits it to one operation. */
  | { readonly kind: 'status'; readonly status: number; readonly times: number; readonly op?: string }
  /** The next answers are no JSON. */
  | { readonly kind: 'garbage'; readonly times: number; readonly op?: string }
  /** The next answers never come. */
  | { readonly kind: 'silent'; readonly times: number; readonly op?: string }
  /** The operation happens, and its answer is lost. */
  | { readonly kind: 'lost_answer'; readonly times: number; readonly op?: string }
  /** The next commissioning, deployment or erasing of this machine fails. */
  | { readonly kind: 'fails'; readonly what: 'commission' | 'deploy' | 'erase'; readonly systemId: string };

export interface RegionTimes {
  readonly commissionMs: number;
  readonly deployMs: number;
  readonly eraseMs: number;
}
export interface RegionParts {
  readonly clock: Clock;
  readonly times: RegionTimes;
  /** A deployed machine starts with this document, as cloud-init would read it. */
  readonly onBoot?: (machine: SimulatedMachine) => void;
}

/** An answer of MAAS that is not 200. */
export class Refusal {
  readonly status: number;
  readonly text: string;
  constructor(status: number, text: string) {
    this.status = status;
    this.text = text;
  }
}

export const statusNumber = (status: MaasStatus): number =>
  Number(Object.entries(maasStatuses).find(([, name]) => name === status)?.[0] ?? -1);

const newMachine = (given: { readonly systemId: string } & Partial<SimulatedMachine>): SimulatedMachine => ({
  ...{ hostname: given.systemId, status: 'new', message: '', power: 'off', owner: undefined, ownerData: {} },
  ...{ osystem: '', series: '', userData: undefined, isDirty: false, locked: false, pool: 'default' },
  ...{ cpus: 192, memoryMib: 2_097_152, tags: ['gpu'], coming: undefined },
  ...given,
});

const demand = (machine: SimulatedMachine, op: string, allowed: readonly MaasStatus[]): Refusal | undefined => {
  if (machine.locked) return new Refusal(409, `Cannot ${op} node ${machine.systemId}: it is locked.`);
  return allowed.includes(machine.status)
    ? undefined
    : new Refusal(409, `Cannot ${op} node ${machine.systemId}: it is in the '${machine.status}' state.`);
};
const free = (machine: SimulatedMachine) => {
  machine.owner = undefined;
  machine.ownerData = {};
  machine.userData = undefined;
  machine.osystem = '';
  machine.series = '';
  machine.power = 'off';
};
function abortWork(machine: SimulatedMachine): Refusal | undefined {
  const back: Partial<Record<MaasStatus, MaasStatus>> = {
    commissioning: 'new',
    deploying: 'allocated',
    disk_erasing: 'failed_disk_erasing',
  };
  const status = back[machine.status];
  if (!status) return new Refusal(409, `Cannot abort node ${machine.systemId}: nothing is in progress.`);
  machine.status = status;
  machine.coming = undefined;
  machine.power = 'off';
  return undefined;
}

export function makeRegion(parts: RegionParts) {
  const machines = new Map<string, SimulatedMachine>();
  const faults: MaasFault[] = [];

  const later = (machine: SimulatedMachine, ms: number, status: MaasStatus, then: (of: SimulatedMachine) => void) => {
    machine.coming = { at: parts.clock.now().getTime() + ms, status, then };
  };
  const settle = (machine: SimulatedMachine): SimulatedMachine => {
    const { coming } = machine;
    if (coming && coming.at <= parts.clock.now().getTime()) {
      machine.coming = undefined;
      machine.status = coming.status;
      coming.then(machine);
    }
    return machine;
  };
  const doesFail = (what: 'commission' | 'deploy' | 'erase', { systemId }: SimulatedMachine): boolean => {
    const at = faults.findIndex((each) => each.kind === 'fails' && each.what === what && each.systemId === systemId);
    if (at >= 0) faults.splice(at, 1);
    return at >= 0;
  };

  return {
    machines,
    faults,
    add(given: { readonly systemId: string } & Partial<SimulatedMachine>): SimulatedMachine {
      const machine = newMachine(given);
      machines.set(machine.systemId, machine);
      return machine;
    },
    find(systemId: string): SimulatedMachine | undefined {
      const machine = machines.get(systemId);
      return machine && settle(machine);
    },
    all: (): SimulatedMachine[] => [...machines.values()].map(settle),

    commission(machine: SimulatedMachine): Refusal | undefined {
      const allowed: MaasStatus[] = ['new', 'ready', 'failed_commissioning', 'failed_testing', 'broken'];
      const refused = demand(machine, 'commission', allowed);
      if (refused) return refused;
      const fails = doesFail('commission', machine);
      machine.status = 'commissioning';
      machine.power = 'on';
      later(machine, parts.times.commissionMs, fails ? 'failed_commissioning' : 'ready', (of) => {
        of.power = 'off';
        of.message = fails ? 'Commissioning failed: a script returned 1' : '';
      });
      return undefined;
    },
    allocate(machine: SimulatedMachine, owner: string): Refusal | undefined {
      if (machine.status !== 'ready') return new Refusal(409, 'No available machine matches constraints.');
      machine.status = 'allocated';
      machine.owner = owner;
      return undefined;
    },
    deploy(
      machine: SimulatedMachine,
      order: { osystem: string; series: string; userData: string | undefined; owner: string },
    ) {
      const refused = demand(machine, 'deploy', ['ready', 'allocated']);
      if (refused) return refused;
      if (order.series === '') return new Refusal(400, '{"distro_series": ["This field is required."]}');
      const fails = doesFail('deploy', machine);
      machine.status = 'deploying';
      machine.power = 'on';
      machine.isDirty = true;
      machine.owner = order.owner;
      machine.osystem = order.osystem;
      machine.series = order.series;
      machine.userData = order.userData;
      later(machine, parts.times.deployMs, fails ? 'failed_deployment' : 'deployed', (of) => {
        of.message = fails ? "Node has not been deployed: the installer didn't answer" : '';
        if (!fails) parts.onBoot?.(of);
      });
      return undefined;
    },
    release(machine: SimulatedMachine, erases: boolean): Refusal | undefined {
      // As MAAS does: what is free already is left as it is.
      if (machine.status === 'ready' || machine.status === 'releasing' || machine.status === 'disk_erasing')
        return undefined;
      const refused = demand(machine, 'release', [
        ...(['allocated', 'reserved', 'deployed', 'deploying', 'failed_deployment', 'broken'] as const),
        ...(['failed_disk_erasing', 'failed_releasing'] as const),
      ]);
      if (refused) return refused;
      const fails = erases && doesFail('erase', machine);
      machine.status = erases ? 'disk_erasing' : 'releasing';
      later(machine, erases ? parts.times.eraseMs : 0, fails ? 'failed_disk_erasing' : 'ready', (of) => {
        of.message = fails ? 'Failed to erase disks.' : '';
        if (fails) return;
        if (erases) of.isDirty = false;
        free(of);
      });
      return undefined;
    },
    abort: abortWork,
  };
}
export type Region = ReturnType<typeof makeRegion>;
