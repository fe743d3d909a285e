import type { ReadinessAttestation, TaskOutput, TaskParams } from '@gpuaas/contract/node';
import { HostFailure, type Work } from '../port.ts';
import { troubleIn } from '../trouble.ts';
import { checkLease, claimDevices, endLease, freeDevices, type Lease, ownedBy } from './leases.ts';
import { fingerprintOf, type HostParts, passed } from './parts.ts';
import type { HostState } from './state.ts';

/** The host as one piece: a login on all of it, and imaging it anew. */
export const makeWholeNode = (parts: HostParts) => ({
  provision: (params: TaskParams<'allocation.provision_user'>, work: Work) => provision(parts, params, work),
  revoke: (params: TaskParams<'allocation.revoke_user'>, work: Work) => revoke(parts, params, work),
  attest: (allocationId: string) => attest(parts, allocationId),
  reimage: (params: TaskParams<'node.reimage_prepare'>, work: Work) => reimage(parts, params, work),
});

async function provision(
  parts: HostParts,
  params: TaskParams<'allocation.provision_user'>,
  work: Work,
): Promise<ReadinessAttestation> {
  const { hardware, store, faults, rest } = parts;
  const all = hardware.slots.map(({ pci_address }) => pci_address);
  const lease: Lease = { allocationId: params.allocation_id, generation: work.generation };
  const durations: Record<string, number> = {};
  const build = (edit: (draft: HostState) => void) =>
    store.change((draft) => {
      checkLease(draft, lease, all);
      edit(draft);
    });

  durations['lease'] = await rest.phase(work, 'lease');
  await store.change((draft) => claimDevices(draft, lease, all));

  durations['host_check'] = await rest.phase(work, 'host_check');
  if (store.now.reimaging) throw new HostFailure('host_not_ready', 'The host is being imaged anew.');
  const dirty = Object.entries(store.now.disks).find(([, { content }]) => content !== 'clean')?.[0];
  if (dirty !== undefined || (await faults.strike('dirty_disk'))) {
    throw new HostFailure('disk_dirty', `${dirty ?? 'A disk'} holds data of an earlier allocation.`);
  }

  durations['user'] = await rest.phase(work, 'user');
  await build((draft) => {
    draft.users[params.allocation_id] ??= {
      generation: work.generation,
      login: params.login,
      authorized_keys: [],
      state: 'running',
      host_key_fingerprint: fingerprintOf(hardware.hostname, draft.image_generation),
      disk_clean: passed(`${Object.keys(draft.disks).length} disks are blank; image ${draft.image_generation}.`),
      durations_ms: {},
      restarts: 0,
    };
    const user = draft.users[params.allocation_id];
    if (user) {
      user.authorized_keys = [...params.authorized_keys];
      user.trusted_authorities = [...(params.trusted_authorities ?? [])];
    }
  });

  durations['readiness'] = await rest.phase(work, 'readiness', 'user_readiness');
  await build((draft) => {
    const user = draft.users[params.allocation_id];
    if (user) user.durations_ms = durations;
  });
  const seen = attest(parts, params.allocation_id);
  const trouble = troubleIn(seen, params.expect);
  if (trouble) {
    await faults.spend(trouble.code);
    throw new HostFailure(trouble.code, trouble.message);
  }
  return seen;
}

function attest({ hardware, store, evidence }: HostParts, allocationId: string): ReadinessAttestation {
  const user = store.now.users[allocationId];
  if (!user) throw new HostFailure('not_found', `There is no login of allocation ${allocationId}.`);
  return evidence.attestation({
    allocationId,
    runtime: user,
    slotIndexes: hardware.slots.map(({ slot_index }) => slot_index),
  });
}

async function revoke(
  parts: HostParts,
  params: TaskParams<'allocation.revoke_user'>,
  work: Work,
): Promise<TaskOutput<'allocation.revoke_user'>> {
  const { store, faults, rest } = parts;
  const lease: Lease = { allocationId: params.allocation_id, generation: work.generation };
  const held = await store.change((draft) => endLease(draft, lease, ownedBy(draft, params.allocation_id)));
  if (held || store.now.users[params.allocation_id]) {
    await rest.phase(work, 'shutdown', 'destroy');
    if (await faults.strike('user_remains')) {
      throw new HostFailure('user_remains', `A process of ${params.login.username} does not end.`);
    }
  }
  await parts.endProcesses(params.allocation_id, true);
  await store.change((draft) => {
    delete draft.users[params.allocation_id];
    freeDevices(draft, params.allocation_id, undefined);
  });
  return {
    user_absent: passed(`There is no user ${params.login.username}.`),
    processes_ended: passed(`Nothing runs in the name of ${params.login.username}.`),
  };
}

async function reimage(
  { store, faults, rest }: HostParts,
  params: TaskParams<'node.reimage_prepare'>,
  work: Work,
): Promise<TaskOutput<'node.reimage_prepare'>> {
  const { digest } = params.image;
  await store.change((draft) => {
    if (Object.values(draft.devices).some(({ owner }) => owner) || Object.keys(draft.users).length > 0) {
      throw new HostFailure('host_not_ready', 'Devices of this host are still in use.');
    }
    // An attempt that was cut short leads to the same generation: imaged once, however often it was tried.
    draft.reimaging = { digest, to: draft.reimaging?.to ?? draft.image_generation + 1 };
  });
  await rest.phase(work, 'reimage');
  if (await faults.strike('image_unavailable')) {
    throw new HostFailure('image_unavailable', 'The image cannot be fetched.');
  }
  if (await faults.strike('disk_full')) throw new HostFailure('disk_full', 'There is no room for the image.');
  if (await faults.strike('dirty_disk')) {
    throw new HostFailure('wipe_unverified', 'A disk was not blank after it had been wiped.');
  }
  await rest.phase(work, 'reboot');
  const generation = await store.change((draft) => {
    draft.image_generation = draft.reimaging?.to ?? draft.image_generation;
    draft.image_digest = digest;
    draft.reimaging = null;
    draft.images = [];
    for (const disk of Object.values(draft.disks)) {
      Object.assign(disk, { content: 'clean', tenant: null, wipes: disk.wipes + 1 });
    }
    for (const device of Object.values(draft.devices)) device.driver = 'nvidia';
    return draft.image_generation;
  });
  return { reimaged: passed(`Image generation ${generation} of ${params.image.slug}, ${digest}.`) };
}
