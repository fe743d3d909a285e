import type { ReadinessAttestation, TaskOutput, TaskParams, TaskSlot } from '@gpuaas/contract/node';
import { HostFailure, type Work } from '../port.ts';
import { troubleIn } from '../trouble.ts';
import { checkLease, claimDevices, endLease, freeDevices, type Lease, slotIndexesOf } from './leases.ts';
import { fingerprintOf, type HostParts, passed } from './parts.ts';
import type { HostState } from './state.ts';

type Provision = TaskParams<'slice.vm_provision'>;
type Release = TaskParams<'slice.vm_release'>;

const slowImageFactor = 10;
const addressesOf = (slots: readonly TaskSlot[]): string[] => slots.map(({ pci_address }) => pci_address);
const disksOf = (slots: readonly TaskSlot[]): string[] =>
  slots.flatMap(({ nvme_device }) => (nvme_device === null ? [] : [nvme_device]));

/**
 * Virtual machines on parts of the host. Each phase waits as long as it would on a real host and then writes down, in
 * one step, what it changed; a second attempt after a crash walks the same phases and keeps what is there.
 */
export function makeSlices(parts: HostParts) {
  const { hardware, store, faults, evidence, rest } = parts;

  const refuseForeignSlots = (slots: readonly TaskSlot[]) => {
    for (const slot of slots) {
      const ours = hardware.slots.find(({ pci_address }) => pci_address === slot.pci_address);
      if (ours?.gpu_uuid !== slot.gpu_uuid) {
        throw new HostFailure('gpu_mismatch', `${slot.gpu_uuid} is not at ${slot.pci_address} of this host.`);
      }
    }
  };

  async function provision(params: Provision, work: Work): Promise<ReadinessAttestation> {
    const lease: Lease = { allocationId: params.allocation_id, generation: work.generation };
    const addresses = addressesOf(params.slots);
    const durations: Record<string, number> = {};
    const phase = async (name: string, length?: 'image_cached', factor?: number) => {
      durations[name] = await rest.phase(work, name, length, factor);
    };
    /** Changes something for a lease that is still ours, or nothing. */
    const build = (edit: (draft: HostState) => void) =>
      store.change((draft) => {
        checkLease(draft, lease, addresses);
        edit(draft);
      });
    refuseForeignSlots(params.slots);

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

    await phase('seed');
    await phase('address');

    const dirty = disksOf(params.slots).find((disk) => {
      const found = store.now.disks[disk];
      return found?.content !== 'clean' && found?.tenant !== params.allocation_id;
    });
    if (dirty !== undefined || (await faults.strike('dirty_disk'))) {
      throw new HostFailure('disk_dirty', `${dirty ?? disksOf(params.slots)[0]} holds data of an earlier allocation.`);
    }
    // The disk is recorded as ours before the first byte is written, so a half-written one has an owner.
    await build((draft) => {
      for (const disk of disksOf(params.slots)) {
        const found = draft.disks[disk];
        if (found) Object.assign(found, { content: 'used', tenant: params.allocation_id });
      }
    });
    await phase('disk');

    await build((draft) => {
      draft.machines[params.allocation_id] ??= {
        generation: work.generation,
        hostname: params.hostname,
        slots: [...params.slots],
        image_digest: params.image.digest,
        vcpus: params.profile.vcpus,
        memory_mib: params.profile.memory_mib,
        login: params.login,
        authorized_keys: [...params.authorized_keys],
        state: 'making',
        host_key_fingerprint: fingerprintOf(hardware.hostname, params.allocation_id, work.generation),
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
      if (machine) Object.assign(machine, { state: 'running', authorized_keys: [...params.authorized_keys] });
    });

    await phase('readiness');
    await build((draft) => {
      const machine = draft.machines[params.allocation_id];
      if (machine) machine.durations_ms = durations;
    });
    const seen = attest(params.allocation_id);
    const trouble = troubleIn(seen, params.expect);
    if (trouble) {
      await faults.spend(trouble.code);
      throw new HostFailure(trouble.code, trouble.message);
    }
    return seen;
  }

  function attest(allocationId: string): ReadinessAttestation {
    const machine = store.now.machines[allocationId];
    if (!machine) throw new HostFailure('not_found', `There is no machine of allocation ${allocationId}.`);
    return evidence.attestation({
      allocationId,
      runtime: machine,
      slotIndexes: slotIndexesOf(hardware, addressesOf(machine.slots)),
    });
  }

  async function release(params: Release, work: Work): Promise<TaskOutput<'slice.vm_release'>> {
    const lease: Lease = { allocationId: params.allocation_id, generation: work.generation };
    refuseForeignSlots(params.slots);
    const disks = disksOf(params.slots);
    // From here on nothing more is built for this allocation, even if a task is still running.
    const held = await store.change((draft) => endLease(draft, lease, addressesOf(params.slots)));
    const machine = store.now.machines[params.allocation_id];

    if (machine) {
      const gentle = params.grace_seconds > 0 && machine.state === 'running';
      await rest.phase(work, 'shutdown', gentle ? 'shutdown' : 'destroy');
      if (gentle && (await faults.strike('hung_guest'))) {
        await rest.seconds(params.grace_seconds, work.signal);
        throw new HostFailure('guest_hung', `The guest did not stop within ${params.grace_seconds} s.`);
      }
      await parts.endProcesses(params.allocation_id, true);
      await store.change((draft) => {
        delete draft.machines[params.allocation_id];
      });
    }
    await parts.endProcesses(params.allocation_id, true);

    const ours = (disk: string) => store.now.disks[disk]?.tenant === params.allocation_id;
    if (disks.some((disk) => ours(disk) && store.now.disks[disk]?.content === 'used')) {
      await rest.phase(work, 'wipe');
      if (await faults.strike('dirty_disk')) {
        throw new HostFailure('wipe_unverified', `${disks[0]} was not blank after it had been wiped.`);
      }
      await store.change((draft) => {
        for (const disk of disks) {
          const found = draft.disks[disk];
          if (found?.tenant === params.allocation_id)
            Object.assign(found, { content: 'clean', wipes: found.wipes + 1 });
        }
      });
    }
    if (disks.some(ours)) {
      const anew = params.isolation_model === 'full-reimage';
      if (anew) await rest.phase(work, 'reimage');
      await store.change((draft) => {
        for (const disk of disks) {
          const found = draft.disks[disk];
          if (found?.tenant !== params.allocation_id) continue;
          Object.assign(found, { tenant: null, image_generation: found.image_generation + (anew ? 1 : 0) });
        }
      });
    }

    if (held) {
      await rest.phase(work, 'unbind');
      if (await faults.strike('vfio_stuck')) {
        throw new HostFailure('vfio_stuck', `${params.slots[0]?.pci_address} does not come back from vfio-pci.`);
      }
      await store.change((draft) => freeDevices(draft, params.allocation_id, 'nvidia'));
    }
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

  return { provision, release, attest };
}
