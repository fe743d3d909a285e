import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ReadinessAttestation, TaskParams } from '@gpuaas/contract/node';
import { keyLinesOf } from '../../key-lines.ts';
import { HostFailure, type Work } from '../../port.ts';
import { troubleIn } from '../../trouble.ts';
import { makePhases, unlessCalledOff } from '../phases.ts';
import { readNumaNodes, readPciDevices } from '../sysfs.ts';
import { whyNot } from './devices.ts';
import { describeMachine } from './machine/domain.ts';
import { addressesOf, conflict, disksOf, keysOf, reconcileNetwork, type SliceParts } from './parts.ts';
import { attest, waitForLogin } from './proof.ts';
import type { SliceRecord } from './records.ts';
import { waitForSetup } from './reports/progress.ts';
import { tokenOf } from './reports/token.ts';
import { makeSeed } from './seed.ts';
import { bridge, gatewayOf, namesOf } from './settings.ts';

type Provision = TaskParams<'slice.vm_provision'>;

/**
 * One attempt at one slice. Each phase looks at what is there before it does anything, so an attempt that was interrupted is taken
 * again from its beginning; what an earlier one has proven is kept. The machine starts when everything around it is in place.
 */
export const makeProvision =
  (parts: SliceParts) =>
  async (params: Provision, work: Work): Promise<ReadinessAttestation> => {
    const { allocation_id } = params;
    const phases = makePhases(work, parts.clock);
    phases.begin('lease');
    let record = await claim(parts, params, work.generation);
    const note = async (more: Partial<SliceRecord> = {}) => {
      record = await parts.records.change(allocation_id, (now) => {
        if (!now || now.state === 'ended' || now.generation !== work.generation) {
          throw conflict('The lease ended or moved on while the work was under way.');
        }
        return { ...now, ...more };
      });
    };

    phases.begin('host_check');
    await checkHost(parts, params);
    await note();

    phases.begin('vfio_bind');
    await parts.devices.bind(addressesOf(params.slots));
    await note();

    phases.begin('image');
    const image = await parts.images.need(params.image.digest, work.signal);
    await note();

    phases.begin('seed');
    const seed = await writeSeed(parts, params, record);
    await note();

    phases.begin('address');
    await reconcileNetwork(parts);
    await parts.guestDoor.open();

    phases.begin('disk');
    if (!record.disk_clean) {
      for (const device of disksOf(params.slots)) await parts.disks.empty(device, allocation_id);
      const [system = ''] = disksOf(params.slots);
      await note();
      const disk_clean = await parts.disks.install(system, { path: image, digest: params.image.digest }, allocation_id);
      await note({ disk_clean });
    }

    phases.begin('machine');
    for (const device of disksOf(params.slots)) await parts.disks.take(device, allocation_id);
    await startMachine(parts, params, record, seed);
    await endUnlessHeld(parts, allocation_id, note);

    phases.begin('readiness');
    await waitForLogin(parts, record, work.signal);
    if (params.image.driver_strategy === 'cloud_init') {
      await waitForSetup(parts, allocation_id, parts.settings.setupMs, work.signal);
    }
    const seen = await unlessCalledOff(work.signal, attest(parts, record));
    const trouble = troubleIn(seen, params.expect);
    if (trouble) throw new HostFailure(trouble.code, trouble.message);
    const durations_ms = { ...phases.end() };
    await endUnlessHeld(parts, allocation_id, () => note({ state: 'running', durations_ms }));
    await reconcileNetwork(parts);
    return { ...seen, durations_ms };
  };

/** Writes down which slots are whose, if they are nobody else's. */
async function claim(parts: SliceParts, params: Provision, generation: number): Promise<SliceRecord> {
  const first = params.slots.reduce((least, slot) => (slot.slot_index < least.slot_index ? slot : least));
  const names = namesOf(parts.settings, await parts.machineId(), first.slot_index);
  const stranger = (await parts.libvirt.list()).find(
    ({ uuid, name }) => name === names.machine && uuid !== params.allocation_id,
  );
  return parts.records.change(params.allocation_id, (before, others) => {
    if (before?.state === 'ended') throw conflict('The lease has ended; it can only be released.');
    if (before && before.generation > generation) throw overtaken(before, generation);
    if (before && !isDeepStrictEqual(addressesOf(before.slots), addressesOf(params.slots))) {
      throw conflict('The allocation has other slots on this host.');
    }
    refuseShared(others, params.slots);
    if (stranger) throw conflict(`A machine that is not ours has the name ${names.machine}: ${stranger.uuid}.`);
    const fresh = { state: 'making', disk_clean: null, durations_ms: {} } as const;
    const { allocation_id, slots, login } = params;
    return { ...fresh, ...before, allocation_id, slots, login, names, generation };
  });
}

export function refuseShared(others: readonly SliceRecord[], slots: Provision['slots']): void {
  for (const other of others) {
    const taken = [...addressesOf(other.slots), ...disksOf(other.slots)];
    const shared = [...addressesOf(slots), ...disksOf(slots)].find((one) => taken.includes(one));
    if (shared !== undefined) throw conflict(`${shared} belongs to allocation ${other.allocation_id}.`);
  }
}
export const overtaken = (record: SliceRecord, generation: number) =>
  conflict(`Generation ${generation} is over; generation ${record.generation} holds the lease.`);

async function checkHost(parts: SliceParts, { slots, image }: Provision): Promise<void> {
  const [blocker] = await parts.blockers();
  if (blocker !== undefined) throw new HostFailure('host_not_ready', blocker);
  if (image.driver_strategy === 'cloud_init' && parts.settings.driverPackages.length === 0) {
    throw new HostFailure(
      'host_not_ready',
      `The image ${image.slug} brings no driver, and this host names none: set GPUAAS_SLICE_DRIVER_PACKAGES.`,
    );
  }
  for (const { gpu_uuid, pci_address, nvme_device } of slots) {
    if ((await parts.gpuAt(pci_address)) !== gpu_uuid) {
      throw new HostFailure('gpu_mismatch', `${gpu_uuid} is not at ${pci_address} of this host.`);
    }
    if (nvme_device === null) throw new HostFailure('host_not_ready', `The slot of ${pci_address} has no disk.`);
    const refused = await parts.disks.whyNot(nvme_device);
    if (refused !== undefined) throw new HostFailure('disk_dirty', refused);
  }
  const sides = new Set(slots.map(({ numa_node }) => numa_node));
  if (sides.size > 1) throw new HostFailure('host_not_ready', 'The slots of the slice are on different NUMA nodes.');
  const refused = whyNot(await readPciDevices(parts.root), addressesOf(slots));
  if (refused !== undefined) throw new HostFailure('host_not_ready', refused);
}

async function writeSeed(parts: SliceParts, params: Provision, record: SliceRecord): Promise<string> {
  const folder = parts.records.folderOf(params.allocation_id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const keys = await keysOf(parts, params.allocation_id);
  // A machine that runs has its seed open.
  if (await parts.libvirt.isRunning(params.allocation_id)) return join(folder, 'seed.iso');
  return makeSeed(parts.commands, folder, {
    allocationId: params.allocation_id,
    hostname: params.hostname,
    login: params.login,
    authorizedKeys: keyLinesOf(params),
    agentKey: keys.agent.public,
    gateway: gatewayOf(parts.settings),
    mac: record.names.mac,
    hostKey: keys.host,
    guest: {
      gateway: gatewayOf(parts.settings),
      token: await tokenOf(folder),
      driverPackages: params.image.driver_strategy === 'cloud_init' ? parts.settings.driverPackages : [],
    },
  });
}

async function startMachine(parts: SliceParts, params: Provision, record: SliceRecord, seed: string): Promise<void> {
  const { allocation_id, slots, profile } = params;
  if (await parts.libvirt.isRunning(allocation_id)) return;
  const folder = parts.records.folderOf(allocation_id);
  const sideId = slots[0]?.numa_node ?? -1;
  const side = (await readNumaNodes(parts.root)).find(({ id }) => id === sideId);
  const file = join(folder, 'machine.xml');
  const text = describeMachine({
    uuid: allocation_id,
    name: record.names.machine,
    vcpus: profile.vcpus,
    memoryMib: profile.memory_mib,
    side: side && { id: side.id, cpus: side.cpus },
    hugePages: parts.settings.hugePages,
    disks: disksOf(slots).map(parts.disks.pathOf),
    seed,
    network: { bridge, tap: record.names.tap, mac: record.names.mac },
    devices: addressesOf(slots),
    serialLog: join(folder, 'console.log'),
  });
  await writeFile(file, text, { mode: 0o600 });
  await parts.libvirt.define(file);
  await parts.libvirt.start(allocation_id);
}

/** A lease that ended while its machine was started leaves no machine behind that runs. */
async function endUnlessHeld(parts: SliceParts, allocationId: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof HostFailure && error.code === 'lease_conflict') await parts.libvirt.destroy(allocationId);
    throw error;
  }
}
