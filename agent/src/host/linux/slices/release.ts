import { join } from 'node:path';
import type { Proof, TaskOutput, TaskParams } from '@gpuaas/contract/node';
import { HostFailure, type Work } from '../../port.ts';
import { rest, stopIfCalledOff } from '../phases.ts';
import { removeFlat } from './folders.ts';
import { addressesOf, disksOf, reconcileNetwork, type SliceParts } from './parts.ts';
import { overtaken, refuseShared } from './provision.ts';
import type { SliceRecord } from './records.ts';

type Release = TaskParams<'slice.vm_release'>;
const betweenLooksMs = 1_000;
type MachineEnd = NonNullable<TaskOutput<'slice.vm_release'>['machine_ended']>;
const passed = (detail: string): Proof => ({ passed: true, detail: detail.slice(0, 500) });

/**
 * The end of a slice, from the order to the proofs. An agent that was killed at any point begins again from the top: a step that is
 * done finds nothing to do, and the record of the slice is removed last. Each attempt makes every proof itself. Only the proof of a
 * disk is kept from an earlier attempt, because nothing has written to that disk since.
 */
export const makeRelease =
  (parts: SliceParts) =>
  async (params: Release, work: Work): Promise<TaskOutput<'slice.vm_release'>> => {
    const { allocation_id } = params;
    const record = await markEnded(parts, params, work.generation);
    const slots = record?.slots ?? params.slots;

    stopIfCalledOff(work.signal);
    work.phase('shutdown', 0);
    const machine_ended = await stopMachine(parts, allocation_id, params.grace_seconds, work.signal, () =>
      work.phase('destroy', 0),
    );
    await parts.libvirt.undefine(allocation_id);
    if ((await parts.libvirt.list()).some(({ uuid }) => uuid === allocation_id)) {
      throw new HostFailure('machine_failed', `libvirt still has the machine of allocation ${allocation_id}.`);
    }
    const folder = parts.records.folderOf(allocation_id);
    await removeFlat(join(folder, 'seed'));
    await removeFlat(folder);
    await reconcileNetwork(parts);

    stopIfCalledOff(work.signal);
    work.phase('wipe', 0);
    const erased: string[] = [];
    for (const device of disksOf(slots)) erased.push((await parts.disks.empty(device, allocation_id)).detail);

    stopIfCalledOff(work.signal);
    work.phase('unbind', 0);
    const { reset } = await parts.devices.release(addressesOf(slots));
    const held = (await parts.devices.held()).filter((address) => addressesOf(slots).includes(address));
    if (held.length > 0) throw new HostFailure('vfio_stuck', `VFIO still holds ${held.join(', ')}. Restart the host.`);
    await parts.records.remove(allocation_id);
    return {
      machine_ended,
      machine_absent: passed(`libvirt has no machine of allocation ${allocation_id} (it ended: ${machine_ended}).`),
      disk_wiped: passed(erased.join(' ')),
      devices_unbound: passed(
        `VFIO holds none of ${addressesOf(slots).join(', ')}; ${reset.length} of them were reset in this attempt.`,
      ),
      reimaged:
        params.isolation_model === 'full-reimage'
          ? passed('The disk reads empty; the next slice starts from an image that is written anew.')
          : null,
    };
  };

/** A record that is `ended` stops every attempt to make the slice, and no shell or key enters it any more. */
function markEnded(parts: SliceParts, params: Release, generation: number): Promise<SliceRecord | undefined> {
  return parts.records.change(params.allocation_id, (now, others) => {
    if (now && now.generation > generation) throw overtaken(now, generation);
    refuseShared(others, now?.slots ?? params.slots);
    return now && { ...now, state: 'ended' as const };
  });
}

/**
 * Asks the machine to shut down, waits `graceSeconds`, and then destroys it, as pulling its plug would. A machine that still runs
 * `destroyMs` later hangs in the kernel of this host: that is `guest_hung`.
 */
export async function stopMachine(
  { libvirt, clock, settings }: Pick<SliceParts, 'libvirt' | 'clock' | 'settings'>,
  allocationId: string,
  graceSeconds: number,
  signal: AbortSignal,
  onDestroy: () => void = () => undefined,
): Promise<MachineEnd> {
  if (!(await libvirt.isRunning(allocationId))) return 'absent';
  if (graceSeconds > 0) await libvirt.shutDown(allocationId);
  const untilMs = clock.now().getTime() + graceSeconds * 1_000;
  while (clock.now().getTime() < untilMs) {
    await rest(clock, betweenLooksMs, signal);
    if (!(await libvirt.isRunning(allocationId))) return 'shut_down';
  }
  onDestroy();
  await libvirt.destroy(allocationId);
  const hungAtMs = clock.now().getTime() + settings.destroyMs;
  while (await libvirt.isRunning(allocationId)) {
    if (clock.now().getTime() >= hungAtMs) {
      throw new HostFailure('guest_hung', 'The machine neither shuts down nor can it be destroyed. Restart the host.');
    }
    await clock.sleep(betweenLooksMs);
  }
  return 'destroyed';
}
