import type { TaskParams } from '@gpuaas/contract/node';
import { HostFailure, type Work } from '../../port.ts';
import { checkLease, claimDevices, type Lease } from '../leases.ts';
import { fingerprintOf, type HostParts, passed } from '../parts.ts';
import type { HostState } from '../state.ts';
import { addressesOf, disksOf, refuseForeignSlots } from './devices.ts';

type Provision = TaskParams<'slice.vm_provision'>;

const slowImageFactor = 10;

/** One attempt to build one machine: what was asked for, and how to wait and to write. */
interface Building extends HostParts {
  readonly params: Provision;
  readonly lease: Lease;
  readonly addresses: readonly string[];
  readonly durations: Record<string, number>;
  /** Waits as long as the phase takes on a real host, and notes how long that was. */
  phase(name: string, length?: 'image_cached', factor?: number): Promise<void>;
  /** Changes something for a lease that is still ours, or nothing. */
  build(edit: (draft: HostState) => void): Promise<void>;
}

/**
 * Each phase waits as long as it would on a real host and then writes down, in one step, what it changed; a second attempt
 * after a crash walks the same phases and keeps what is there.
 */
export async function buildSlice(parts: HostParts, params: Provision, work: Work): Promise<void> {
  refuseForeignSlots(parts.hardware, params.slots);
  const building = beginBuilding(parts, params, work);
  await takeLease(building);
  await bindDevices(building);
  await fetchImage(building);
  await building.phase('seed');
  await building.phase('address');
  await writeDisks(building);
  await startMachine(building);
  await building.phase('readiness');
  await finishSetup(building);
  await building.build((draft) => {
    const machine = draft.machines[params.allocation_id];
    if (machine) machine.durations_ms = building.durations;
  });
}

function beginBuilding(parts: HostParts, params: Provision, work: Work): Building {
  const lease: Lease = { allocationId: params.allocation_id, generation: work.generation };
  const addresses = addressesOf(params.slots);
  const durations: Record<string, number> = {};
  return {
    ...parts,
    ...{ params, lease, addresses, durations },
    async phase(name, length, factor) {
      durations[name] = await parts.rest.phase(work, name, length, factor);
    },
    build: (edit) =>
      parts.store.change((draft) => {
        checkLease(draft, lease, addresses);
        edit(draft);
      }),
  };
}

async function takeLease({ store, params, lease, addresses, phase }: Building): Promise<void> {
  await phase('lease');
  await store.change((draft) => {
    if (Object.keys(draft.users).length > 0) {
      throw new HostFailure('lease_conflict', 'The whole node is handed out.');
    }
    const known = draft.machines[params.allocation_id];
    if (known && addressesOf(known.slots).join() !== addresses.join()) {
      throw new HostFailure('lease_conflict', 'The machine of this allocation has other devices.');
    }
    claimDevices(draft, lease, addresses);
  });
  await phase('host_check');
  if (store.now.reimaging) throw new HostFailure('host_not_ready', 'The host is being imaged anew.');
}

async function bindDevices({ faults, addresses, phase, build }: Building): Promise<void> {
  await phase('vfio_bind');
  if (await faults.strike('vfio_stuck')) {
    throw new HostFailure('vfio_stuck', `${addresses[0]} does not let go of its driver.`);
  }
  await build((draft) => {
    for (const address of addresses) {
      const device = draft.devices[address];
      if (device) device.driver = 'vfio-pci';
    }
  });
}

async function fetchImage({ store, faults, params, phase, build }: Building): Promise<void> {
  const isCached = store.now.images.includes(params.image.digest);
  const slow = await faults.strike('slow_image');
  await phase('image', isCached ? 'image_cached' : undefined, slow ? slowImageFactor : 1);
  if (await faults.strike('disk_full')) {
    throw new HostFailure('disk_full', `There is no room for image ${params.image.slug}.`);
  }
  if (await faults.strike('image_unavailable')) {
    throw new HostFailure('image_unavailable', `Image ${params.image.slug} cannot be fetched.`);
  }
  await build((draft) => {
    if (!draft.images.includes(params.image.digest)) draft.images.push(params.image.digest);
  });
}

async function writeDisks({ store, faults, params, phase, build }: Building): Promise<void> {
  const disks = disksOf(params.slots);
  const dirty = disks.find((disk) => {
    const found = store.now.disks[disk];
    return found?.content !== 'clean' && found?.tenant !== params.allocation_id;
  });
  if (dirty !== undefined || (await faults.strike('dirty_disk'))) {
    throw new HostFailure('disk_dirty', `${dirty ?? disks[0]} holds data of an earlier allocation.`);
  }
  // The disk is recorded as ours before the first byte is written, so a half-written one has an owner.
  await build((draft) => {
    for (const disk of disks) {
      const found = draft.disks[disk];
      if (found) Object.assign(found, { content: 'used', tenant: params.allocation_id });
    }
  });
  await phase('disk');
}

async function startMachine({
  hardware,
  store,
  faults,
  console,
  params,
  lease,
  phase,
  build,
}: Building): Promise<void> {
  await build((draft) => {
    draft.machines[params.allocation_id] ??= {
      generation: lease.generation,
      hostname: params.hostname,
      slots: [...params.slots],
      image_digest: params.image.digest,
      vcpus: params.profile.vcpus,
      memory_mib: params.profile.memory_mib,
      login: params.login,
      authorized_keys: [...params.authorized_keys],
      trusted_authorities: [...(params.trusted_authorities ?? [])],
      state: 'making',
      host_key_fingerprint: fingerprintOf(hardware.hostname, params.allocation_id, lease.generation),
      disk_clean: passed(`${disksOf(params.slots).length} disks were blank before the image was written.`),
      durations_ms: {},
      restarts: 0,
    };
  });
  await phase('machine');
  if (await faults.strike('machine_failed')) {
    throw new HostFailure('machine_failed', 'The virtual machine ended while it started.');
  }
  await build((draft) => {
    const machine = draft.machines[params.allocation_id];
    if (machine) Object.assign(machine, { state: 'running', ...keysOf(params) });
  });
  const machine = store.now.machines[params.allocation_id];
  if (machine) console.boot(params.allocation_id, machine);
}

/** The first boot, as the machine of a real slice reports it. */
async function finishSetup({ faults, console, params }: Building): Promise<void> {
  if (!(await faults.strike('mirror_away'))) return;
  const reason = 'The mirror of packages cannot be reached (a simulated fault).';
  console.say(params.allocation_id, `gpuaas-guest: driver failed ${reason}`);
  throw new HostFailure('guest_setup_failed', `The first boot of the machine failed at driver: ${reason}`);
}

const keysOf = ({
  authorized_keys,
  trusted_authorities = [],
}: Pick<Provision, 'authorized_keys' | 'trusted_authorities'>) => ({
  authorized_keys: [...authorized_keys],
  trusted_authorities: [...trusted_authorities],
});
