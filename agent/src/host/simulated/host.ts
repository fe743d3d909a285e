import { join } from 'node:path';
import type { ReadinessAttestation } from '@gpuaas/contract/node';
import type { Clock } from '../../clock.ts';
import { fingerprintOfKey } from '../fingerprint.ts';
import { type Host, HostFailure, type ShellOrder, type Work } from '../port.ts';
import { makeSimulatedConsole } from './console.ts';
import { makeSimulatedContainers } from './containers/containers.ts';
import { makeEvidence } from './evidence.ts';
import { type Faults, makeFaults } from './faults.ts';
import { type Guest, type UidRange, unusedUids } from './guests/guest.ts';
import { makeGuests } from './guests/guests.ts';
import { drawHardware, type Hardware, type HardwareOrder } from './hardware.ts';
import { ownedBy, slotIndexesOf } from './leases.ts';
import { measureSimulated } from './measure.ts';
import { nvidiaSmiScript } from './nvidia-smi.ts';
import { makeRest, type Pace } from './pace.ts';
import type { HostParts } from './parts.ts';
import { makeSlices } from './slices/slices.ts';
import { makeSimulatedStreams } from './ssh/open-stream.ts';
import { type HostState, type MachineState, openStore, type StateFile, stateFileIn, type UserState } from './state.ts';
import { makeStopping } from './stopping.ts';
import { topologyOf } from './topology.ts';
import { makeWholeNode } from './whole-node.ts';

/** A simulated host. It keeps the state of a host, takes the time that a host takes, and fails on demand. */
export interface SimulatedHost extends Host {
  readonly kind: 'simulated';
  readonly hardware: Hardware;
  readonly faults: Faults;
  /** What lies on its disk, for those who look from outside. */
  readonly state: Readonly<HostState>;
}

export interface SimulatedHostOrder extends HardwareOrder {
  readonly folder: string;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly uids?: UidRange;
  /** Stands in for the file where a test wants the host to stop in the middle of something. */
  readonly stateFile?: StateFile;
}

export async function openSimulatedHost(order: SimulatedHostOrder): Promise<SimulatedHost> {
  const { clock } = order;
  const hardware = drawHardware(order);
  const store = await openStore(order.stateFile ?? stateFileIn(order.folder), () => bareHost(hardware, clock.now()));
  const faults = makeFaults(store, clock);
  const evidence = makeEvidence({ hardware, store, faults, clock });
  const rest = makeRest(clock, order.pace);
  const guests = makeGuests(join(order.folder, 'guests'), order.uids ?? unusedUids);
  const console = makeSimulatedConsole(hardware);
  const parts = { hardware, store, faults, evidence, rest, console, endProcesses: guests.end };
  const slices = makeSlices(parts);
  const wholeNode = makeWholeNode(parts);
  const containers = makeSimulatedContainers(parts, clock);

  /** The machine or login of an allocation, as long as it lives. */
  const livingOf = (allocationId: string) => livingIn(store.now, allocationId);
  const guest = (order: ShellOrder) => guestOf(parts, livingOf(order.allocationId), order);
  const streams = makeSimulatedStreams({ guests, faults, clock, living: livingOf, guest });
  const attest = (allocationId: string): ReadinessAttestation =>
    store.now.machines[allocationId] ? slices.attest(allocationId) : wholeNode.attest(allocationId);
  const look = async (work: Work) => rest.seconds(2, work.signal);

  return {
    kind: 'simulated',
    hardware,
    faults,
    get state() {
      return store.now;
    },
    async topology(work) {
      await look(work);
      return topologyOf(parts);
    },
    async health(work) {
      await look(work);
      const checks = evidence.checks();
      return { checks, healthy: Object.values(checks).every(({ passed }) => passed) };
    },
    provisionSlice: slices.provision,
    releaseSlice: containers.afterwards(slices.release),
    provisionUser: wholeNode.provision,
    revokeUser: containers.afterwards(wholeNode.revoke),
    async installKeys(params, work) {
      await rest.seconds(1, work.signal);
      livingOf(params.allocation_id);
      await store.change((draft) => {
        const runtime = draft.machines[params.allocation_id] ?? draft.users[params.allocation_id];
        if (!runtime) return;
        runtime.authorized_keys = [...params.authorized_keys];
        runtime.trusted_authorities = [...(params.trusted_authorities ?? [])];
      });
      streams.recheck(params.allocation_id);
      return params.authorized_keys.map(fingerprintOfKey);
    },
    async attest(params, work) {
      await rest.seconds(6, work.signal);
      return attest(params.allocation_id);
    },
    ...makeStopping({ ...parts, attest, living: livingOf, endContainers: containers.endAll }),
    ...containers.methods,
    reimage: wholeNode.reimage,
    async endRuntime(allocationId) {
      await store.change((draft) => endIn(draft, allocationId));
      await guests.end(allocationId, false);
    },
    runtimes: async () => runtimesIn(store.now),
    gpusOf: async (allocationId) => gpusHeldBy(parts, allocationId),
    conditions: async () => evidence.conditions(),
    utilization: async () => evidence.utilization(),
    samples: async () => measureSimulated(parts, clock),
    consoles: async () => console.take(),
    images: async () => store.now.images,
    async openShell(shell) {
      const opened = await guests.open(shell, guest(shell));
      // The lease may have ended while the terminal was made.
      try {
        livingOf(shell.allocationId);
      } catch (error) {
        await opened.end();
        throw error;
      }
      return opened;
    },
    openStream: async (order) => streams.open(order),
    async close() {
      containers.close();
      await guests.close();
    },
  };
}

/** Nothing is built for the allocation any more, and what runs for it is over. */
function endIn(draft: HostState, allocationId: string): void {
  for (const address of ownedBy(draft, allocationId)) {
    const owner = draft.devices[address]?.owner;
    if (owner) owner.ended = true;
  }
  const runtime = draft.machines[allocationId] ?? draft.users[allocationId];
  if (runtime) runtime.state = 'ended';
}

function livingIn({ machines, users }: HostState, allocationId: string): MachineState | UserState {
  const runtime = machines[allocationId] ?? users[allocationId];
  if (runtime?.state !== 'running') {
    throw new HostFailure('not_found', `Nothing runs for allocation ${allocationId}.`);
  }
  return runtime;
}

/** A machine as it comes out of its box, imaged once. */
function bareHost(hardware: Hardware, now: Date): HostState {
  return {
    format: 1,
    born_at: now.toISOString(),
    image_generation: 1,
    image_digest: null,
    reimaging: null,
    devices: Object.fromEntries(
      hardware.slots.map(({ pci_address }) => [pci_address, { driver: 'nvidia', owner: null }]),
    ),
    disks: Object.fromEntries(
      hardware.slots.map(({ nvme_device }) => [
        nvme_device,
        { content: 'clean', tenant: null, wipes: 0, image_generation: 1 },
      ]),
    ),
    images: [],
    machines: {},
    users: {},
    faults: [],
  };
}

const runtimesIn = ({ machines, users }: HostState) => {
  const of = (shape: 'slice' | 'bare_metal', found: HostState['users']) =>
    Object.entries(found).map(([allocationId, { state }]) => ({
      allocationId,
      shape,
      running: state === 'running' || state === 'making',
    }));
  return [...of('slice', machines), ...of('bare_metal', users)];
};

/** What a person finds who opens a shell: the name of the machine, and a tool that shows its GPUs. */
function guestOf(
  { hardware, store, faults, evidence }: HostParts,
  { login }: UserState | MachineState,
  shell: ShellOrder,
): Guest {
  if (login.username !== shell.username) {
    throw new HostFailure('not_found', `There is no user ${shell.username}.`);
  }
  const machine = store.now.machines[shell.allocationId];
  const addresses = machine?.slots.map(({ pci_address }) => pci_address);
  const indexes = addresses && slotIndexesOf(hardware, addresses);
  const load = evidence.utilization();
  const gpus = evidence.gpus(indexes).map((gpu) => ({
    ...gpu,
    utilization: load[hardware.slots.findIndex(({ pci_address }) => pci_address === gpu.pci_address)] ?? 0,
  }));
  const failure = faults.find('wrong_driver')
    ? 'Failed to initialize NVML: Driver/library version mismatch'
    : faults.find('driver_unavailable')
      ? "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."
      : undefined;
  return {
    hostname: machine?.hostname ?? hardware.hostname,
    banner: 'The GPUs of this machine are simulated. nvidia-smi shows them; nothing can compute on them.',
    programs: hardware.vendor === 'nvidia' ? { 'nvidia-smi': nvidiaSmiScript({ hardware, gpus, failure }) } : {},
  };
}

/** The GPUs that the host sees at work for an allocation. */
function gpusHeldBy({ hardware, store, evidence }: HostParts, allocationId: string): string[] {
  const machine = store.now.machines[allocationId];
  const runtime = machine ?? store.now.users[allocationId];
  if (!runtime || runtime.state === 'ended' || runtime.state === 'stopped') return [];
  const addresses = machine?.slots.map(({ pci_address }) => pci_address);
  const indexes = addresses && slotIndexesOf(hardware, addresses);
  return evidence.gpus(indexes).flatMap(({ uuid, healthy }) => (healthy ? [uuid] : []));
}
