import type { TaskOutput, TaskParams } from '@gpuaas/contract/node';
import { HostFailure, type Work } from '../../port.ts';
import { endLease, freeDevices } from '../leases.ts';
import { type HostParts, passed } from '../parts.ts';
import { addressesOf, disksOf, refuseForeignSlots } from './devices.ts';

type Release = TaskParams<'slice.vm_release'>;

/** Ends the machine, erases its disks and gives the devices back. A second attempt after a crash goes on where it was. */
export async function releaseSlice(
  parts: HostParts,
  params: Release,
  work: Work,
): Promise<TaskOutput<'slice.vm_release'>> {
  const { hardware, store, faults, rest } = parts;
  refuseForeignSlots(hardware, params.slots);
  const lease = { allocationId: params.allocation_id, generation: work.generation };
  // From here on nothing more is built for this allocation, even if a task is still running.
  const held = await store.change((draft) => endLease(draft, lease, addressesOf(params.slots)));
  const machine_ended = await endMachine(parts, params, work);
  await wipeDisks(parts, params, work);
  await returnDisks(parts, params, work);
  if (held) {
    await rest.phase(work, 'unbind');
    if (await faults.strike('vfio_stuck')) {
      throw new HostFailure('vfio_stuck', `${params.slots[0]?.pci_address} does not come back from vfio-pci.`);
    }
    await store.change((draft) => freeDevices(draft, params.allocation_id, 'nvidia'));
  }
  return { ...proofsOf(parts, params), machine_ended };
}

/** Asks, waits for the time that the machine has, and destroys it then, as a real host does. */
async function endMachine(
  parts: HostParts,
  params: Release,
  work: Work,
): Promise<NonNullable<TaskOutput<'slice.vm_release'>['machine_ended']>> {
  const { store, faults, rest } = parts;
  const machine = store.now.machines[params.allocation_id];
  const gentle = params.grace_seconds > 0 && machine?.state === 'running';
  let isDeaf = false;
  if (machine) {
    await rest.phase(work, 'shutdown', gentle ? 'shutdown' : 'destroy');
    const isHung = gentle && (await faults.strike('hung_guest'));
    isDeaf = gentle && (isHung || (await faults.strike('deaf_guest')));
    if (isDeaf) {
      await rest.seconds(params.grace_seconds, work.signal);
      await rest.phase(work, 'destroy');
    }
    if (isHung) {
      throw new HostFailure(
        'guest_hung',
        'The machine neither shuts down nor can it be destroyed (a simulated fault).',
      );
    }
    await parts.endProcesses(params.allocation_id, true);
    parts.console.shutDown(params.allocation_id);
    await store.change((draft) => {
      delete draft.machines[params.allocation_id];
    });
  }
  await parts.endProcesses(params.allocation_id, true);
  if (!machine) return 'absent';
  return gentle && !isDeaf ? 'shut_down' : 'destroyed';
}

const ownDisks = ({ store }: HostParts, params: Release): string[] =>
  disksOf(params.slots).filter((disk) => store.now.disks[disk]?.tenant === params.allocation_id);

async function wipeDisks(parts: HostParts, params: Release, work: Work): Promise<void> {
  const { store, faults, rest } = parts;
  const own = ownDisks(parts, params);
  if (!own.some((disk) => store.now.disks[disk]?.content === 'used')) return;
  await rest.phase(work, 'wipe');
  if (await faults.strike('dirty_disk')) {
    throw new HostFailure('wipe_unverified', `${disksOf(params.slots)[0]} was not blank after it had been wiped.`);
  }
  await store.change((draft) => {
    for (const disk of own) {
      const found = draft.disks[disk];
      if (found?.tenant === params.allocation_id) Object.assign(found, { content: 'clean', wipes: found.wipes + 1 });
    }
  });
}

async function returnDisks(parts: HostParts, params: Release, work: Work): Promise<void> {
  const { store, rest } = parts;
  const own = ownDisks(parts, params);
  if (own.length === 0) return;
  const anew = params.isolation_model === 'full-reimage';
  if (anew) await rest.phase(work, 'reimage');
  await store.change((draft) => {
    for (const disk of own) {
      const found = draft.disks[disk];
      if (found?.tenant !== params.allocation_id) continue;
      Object.assign(found, { tenant: null, image_generation: found.image_generation + (anew ? 1 : 0) });
    }
  });
}

function proofsOf({ store }: HostParts, params: Release): TaskOutput<'slice.vm_release'> {
  const disks = disksOf(params.slots);
  return {
    machine_absent: passed(`No machine of ${params.allocation_id} is defined.`),
    disk_wiped: passed(disks.map((disk) => `${disk} blank after wipe ${store.now.disks[disk]?.wipes}`).join(', ')),
    devices_unbound: passed(`${params.slots.length} devices are back with their driver.`),
    reimaged:
      params.isolation_model === 'full-reimage'
        ? passed(disks.map((disk) => `${disk} image ${store.now.disks[disk]?.image_generation}`).join(', '))
        : null,
  };
}
