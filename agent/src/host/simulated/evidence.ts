import type { GpuEvidence, NodeCondition, Proof, ReadinessAttestation } from '@gpuaas/contract/node';
import type { Clock } from '../../clock.ts';
import type { Faults } from './faults.ts';
import { drawBytes, gpuModels, type Hardware } from './hardware.ts';
import { drawHostKey } from './ssh/host-key.ts';
import type { MachineState, Store, UserState } from './state.ts';

/**
 * What an inspection of the host finds: every answer is made from the state and the faults, never from what the caller
 * expects, so that a receipt says what is there.
 */
export interface Evidence {
  gpus(slotIndexes?: readonly number[]): GpuEvidence[];
  attestation(spec: {
    readonly allocationId: string;
    readonly runtime: MachineState | UserState;
    readonly slotIndexes: readonly number[];
  }): ReadinessAttestation;
  conditions(): NodeCondition[];
  checks(): Record<string, Proof>;
  utilization(): number[];
}

const oldDriver = '570.86.15';
const passed = (detail: string): Proof => ({ passed: true, detail });
const failed = (detail: string): Proof => ({ passed: false, detail });

interface Parts {
  readonly hardware: Hardware;
  readonly store: Store;
  readonly faults: Faults;
  readonly clock: Clock;
}
export const makeEvidence = (parts: Parts): Evidence => ({
  gpus: (slotIndexes) => gpusOf(parts, slotIndexes),
  attestation: (spec) => attestationOf(parts, spec),
  conditions: () => conditionsOf(parts),
  checks: () => checksOf(parts),
  utilization: () => utilizationOf(parts),
});

const toolOf = ({ vendor }: Hardware): string => (vendor === 'nvidia' ? 'nvidia-smi' : 'rocm-smi');

const gpusOf = (
  { hardware, faults }: Parts,
  slotIndexes: readonly number[] = hardware.slots.map(({ slot_index }) => slot_index),
): GpuEvidence[] =>
  hardware.slots.flatMap((slot) => {
    const struck = (name: 'xid_79' | 'gpu_missing' | 'gpu_mismatch' | 'memory_errors') =>
      faults.find(name)?.slot_index === slot.slot_index;
    if (!slotIndexes.includes(slot.slot_index) || struck('gpu_missing')) return [];
    const detail = struck('xid_79')
      ? `Xid 79: GPU at ${slot.pci_address} has fallen off the bus.`
      : struck('memory_errors')
        ? '2 memory errors could not be corrected.'
        : undefined;
    return [
      {
        uuid: struck('gpu_mismatch') ? swapped(slot.gpu_uuid) : slot.gpu_uuid,
        model: slot.gpu_model,
        pci_address: slot.pci_address,
        memory_mib: slot.gpu_memory_mib,
        healthy: detail === undefined,
        ...(detail !== undefined && { detail }),
      },
    ];
  });

/** What the vendor's tool says about these GPUs. */
const driverOf = ({ hardware, faults }: Parts, found: readonly GpuEvidence[]) => {
  const tool = toolOf(hardware);
  if (faults.find('driver_unavailable')) {
    return {
      version: '',
      answers: failed(`${tool} cannot talk to the driver: it is not loaded, and the package mirror does not answer.`),
    };
  }
  if (faults.find('wrong_driver')) {
    return {
      version: oldDriver,
      answers: failed(`Failed to initialize NVML: driver ${oldDriver} and library ${hardware.driverVersion} differ.`),
    };
  }
  const sick = found.filter(({ healthy }) => !healthy);
  const answers =
    sick.length > 0
      ? failed(`${tool} cannot reach ${sick.map(({ pci_address }) => pci_address).join(', ')}.`)
      : passed(`${tool} answers for ${found.length} GPUs.`);
  return { version: hardware.driverVersion, answers };
};

const isolationOf = ({ faults }: Parts): Proof =>
  faults.find('leaky_bridge')
    ? failed('A frame that was sent to the neighbour on the bridge arrived.')
    : passed('Neighbours on the bridge, the host and its metadata address could not be reached.');

const conditionsOf = ({ hardware, store, faults }: Parts): NodeCondition[] => {
  const born = store.now.born_at;
  const about = (type: string, reason: string, message: string, ...names: Parameters<Faults['find']>[0][]) => {
    const fault = names.map((name) => faults.find(name)).find((found) => found !== undefined);
    return {
      type,
      status: fault ? ('False' as const) : ('True' as const),
      reason: fault ? (conditionReasons[fault.fault] ?? 'Fault') : reason,
      message: fault ? `Slot ${fault.slot_index}: ${conditionWords[fault.fault] ?? fault.fault}.` : message,
      since: fault?.since ?? born,
    };
  };
  return [
    about(
      'GpusHealthy',
      'AllAnswer',
      `${hardware.slots.length} GPUs answer.`,
      'xid_79',
      'memory_errors',
      'gpu_missing',
      'gpu_mismatch',
    ),
    about('DriverReady', 'Loaded', `Driver ${hardware.driverVersion}.`, 'driver_unavailable', 'wrong_driver'),
    about('StorageReady', 'Clean', 'Disks have room and can be wiped.', 'disk_full', 'dirty_disk'),
    about('DevicesBindable', 'Bindable', 'Devices change their driver on request.', 'vfio_stuck'),
    about('IsolationHolds', 'Probed', 'Guests cannot reach each other.', 'leaky_bridge'),
  ];
};

function attestationOf(
  parts: Parts,
  { allocationId, runtime, slotIndexes }: Parameters<Evidence['attestation']>[0],
): ReadinessAttestation {
  const { hardware, faults, clock } = parts;
  const found = gpusOf(parts, slotIndexes);
  const { version, answers } = driverOf(parts, found);
  const reachable = runtime.state === 'running' && !faults.find('ssh_unreachable');
  const hostKey = drawHostKey(runtime.host_key_fingerprint);
  const address = 'slots' in runtime ? (runtime.slots[0]?.private_ip ?? '') : (hardware.slots[0]?.private_ip ?? '');
  return {
    allocation_id: allocationId,
    taken_at: clock.now().toISOString(),
    simulated: true,
    gpus: found,
    driver_version: version,
    cuda_version: version === hardware.driverVersion ? hardware.cudaVersion : '',
    nvidia_smi: answers,
    disk_clean: runtime.disk_clean,
    isolation: isolationOf(parts),
    ssh: {
      reachable,
      address,
      port: 22,
      username: runtime.login.username,
      host_key_fingerprint: hostKey.fingerprint,
      host_keys: [hostKey.publicKey],
    },
    durations_ms: runtime.durations_ms,
  };
}

function checksOf(parts: Parts): Record<string, Proof> {
  const { hardware, faults } = parts;
  const found = gpusOf(parts);
  const well = found.filter(({ healthy }) => healthy);
  return {
    [toolOf(hardware).replace('-', '_')]: driverOf(parts, found).answers,
    gpus:
      well.length === hardware.slots.length
        ? passed(`${hardware.slots.length} × ${gpuModels[hardware.model].name}`)
        : failed(`${well.length} of ${hardware.slots.length} GPUs are well.`),
    storage: faults.find('disk_full') ? failed('No room is left for images.') : passed('There is room for images.'),
    vfio: faults.find('vfio_stuck') ? failed('A device keeps its driver.') : passed('Devices change their driver.'),
    isolation: isolationOf(parts),
  };
}

function utilizationOf({ hardware, store, faults, clock }: Parts): number[] {
  const busy = new Set<string>();
  for (const machine of Object.values(store.now.machines)) {
    if (machine.state === 'running') for (const slot of machine.slots) busy.add(slot.pci_address);
  }
  const wholeNode = Object.values(store.now.users).some(({ state }) => state === 'running');
  const idle = faults.find('idle_guest') !== undefined;
  return hardware.slots.map((slot) =>
    !idle && (wholeNode || busy.has(slot.pci_address)) ? loadOf(slot.gpu_uuid, clock.now()) : 0,
  );
}

const conditionWords: Readonly<Record<string, string>> = { memory_errors: '2 memory errors could not be corrected' };

const conditionReasons: Readonly<Record<string, string>> = {
  xid_79: 'Xid79',
  memory_errors: 'UncorrectedEcc',
  gpu_missing: 'GpuMissing',
  gpu_mismatch: 'GpuSwapped',
  driver_unavailable: 'DriverUnavailable',
  wrong_driver: 'WrongDriver',
  disk_full: 'DiskFull',
  dirty_disk: 'DiskDirty',
  vfio_stuck: 'VfioStuck',
  leaky_bridge: 'BridgeLeaks',
};

/** A load that wanders between 70 and 99 percent, a new figure every half minute. */
function loadOf(gpuUuid: string, now: Date): number {
  return 70 + (drawBytes(gpuUuid, String(Math.floor(now.getTime() / 30_000))).readUInt16BE(0) % 30);
}

const swapped = (uuid: string): string => `${uuid.slice(0, -1)}${uuid.endsWith('0') ? '1' : '0'}`;
