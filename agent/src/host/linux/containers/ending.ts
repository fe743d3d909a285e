import { join } from 'node:path';
import type { Proof, TaskOutput, TaskParams } from '@gpuaas/contract/node';
import { HostFailure, type Work } from '../../port.ts';
import { complaintOf } from '../commands.ts';
import { stopIfCalledOff } from '../phases.ts';
import { entriesIn } from '../removal/entries.ts';
import { removeFlat } from '../slices/folders.ts';
import { listOf, remove, stop } from './argv.ts';
import { prepareEngine } from './images.ts';
import { stateOf } from './inspection.ts';
import { type ContainerParts, look, overtaken, podman } from './parts.ts';
import type { ContainerRecord, WorkloadRecord } from './records.ts';

type Stop = TaskParams<'app.oci_stop'>;
const removeMs = 120_000;
const passed = (detail: string): Proof => ({ passed: true, detail });

/** Ends one container for good. Its record and its log stay until the allocation is released. */
export const makeStop =
  (parts: ContainerParts) =>
  async (params: Stop, work: Work): Promise<TaskOutput<'app.oci_stop'>> => {
    const { allocation_id, workload_id } = params;
    // Marked before its turn comes: a launch that is under way ends at its next step.
    const record = await parts.records.change(allocation_id, (now) => {
      if (now && now.generation > work.generation) throw overtaken(now, work.generation);
      return (
        now && {
          ...now,
          workloads: now.workloads.map((one) =>
            one.workload_id === workload_id ? { ...one, state: 'stopped' as const } : one,
          ),
        }
      );
    });
    const own = record?.workloads.find((one) => one.workload_id === workload_id);
    if (!record || !own)
      throw new HostFailure('not_found', `Allocation ${allocation_id} has no workload ${workload_id}.`);
    return parts.turns.take(allocation_id, async () => {
      stopIfCalledOff(work.signal);
      work.phase('shutdown', 0);
      await prepareEngine(parts.places, parts.settings);
      const exitCode = await endGently(parts, workload_id, params.grace_seconds);
      await removeOne(parts, record, own);
      await parts.network.reconcile();
      const volumes_removed = params.remove_volumes ? await removeVolumes(parts, allocation_id, own) : null;
      return {
        container_absent: passed(`Podman has no container of workload ${workload_id}.`),
        network_absent: passed(`The network of workload ${workload_id} is gone, and no rule lets anything to it.`),
        volumes_removed,
        exit_code: exitCode,
      };
    });
  };

async function endGently(parts: ContainerParts, workloadId: string, graceSeconds: number): Promise<number | null> {
  const result = await podman(parts, stop(workloadId, graceSeconds), graceSeconds * 1_000 + removeMs);
  const left = await look(parts, workloadId);
  if (left && stateOf(left) === 'running') {
    throw new HostFailure('container_hung', `The container does not end: ${complaintOf(result)}. Restart the host.`);
  }
  return left ? left.State.ExitCode : null;
}

async function removeOne(parts: ContainerParts, record: ContainerRecord, own: WorkloadRecord): Promise<void> {
  const result = await podman(parts, remove(own.workload_id), removeMs);
  if (await look(parts, own.workload_id)) {
    throw new HostFailure(
      'container_hung',
      `The container cannot be removed: ${complaintOf(result)}. Restart the host.`,
    );
  }
  await parts.network.disconnect(record, own);
  await removeFlat(parts.places.files(record.allocation_id, own.workload_id));
}

async function removeVolumes(parts: ContainerParts, allocationId: string, own: WorkloadRecord): Promise<Proof> {
  const record = await parts.records.get(allocationId);
  const others = record?.workloads.filter(
    ({ state, workload_id }) => state !== 'stopped' && workload_id !== own.workload_id,
  );
  const shared = own.volumes.filter((name) => others?.some(({ volumes }) => volumes.includes(name)));
  const gone = own.volumes.filter((name) => !shared.includes(name));
  for (const name of gone) await parts.volumes.remove(allocationId, name);
  await parts.records.change(
    allocationId,
    (now) => now && { ...now, volumes: now.volumes.filter(({ name }) => !gone.includes(name)) },
  );
  return passed(`${gone.length} volumes are gone; ${shared.length} are still used by other workloads.`);
}

/** From here on nothing is launched for the allocation any more. */
const end = (parts: ContainerParts, allocationId: string, generation: number) =>
  parts.records.change(allocationId, (now) => {
    if (now && now.generation > generation) throw overtaken(now, generation);
    return now && { ...now, state: 'ended' as const };
  });

/** The lease ran out: everything stops at once. Volumes and logs are left; removing them is a release. */
export const makeEndAll = (parts: ContainerParts) => async (allocationId: string) => {
  const record = await end(parts, allocationId, Number.MAX_SAFE_INTEGER);
  if (!record) return;
  parts.turns.hurry(allocationId);
  await parts.turns.take(allocationId, async () => {
    await prepareEngine(parts.places, parts.settings);
    for (const own of record.workloads) {
      await endGently(parts, own.workload_id, 0);
      await parts.network.disconnect(record, own);
    }
    await parts.network.reconcile();
  });
};

/** The machine is stopped: everything ends at once, and its records stay as they are. */
export const makeHaltAll = (parts: ContainerParts) => async (allocationId: string) => {
  // The record is read when it is the turn: a launch that is under way may be the first one.
  parts.turns.hurry(allocationId);
  await parts.turns.take(allocationId, async () => {
    const record = await parts.records.get(allocationId);
    if (!record || record.workloads.length === 0) return;
    await prepareEngine(parts.places, parts.settings);
    for (const own of record.workloads) await endGently(parts, own.workload_id, 0);
  });
};

/** Whether a container of an allocation runs, whatever was decided about it. */
export const makeRuns =
  (parts: ContainerParts) =>
  async (allocationId: string): Promise<boolean> => {
    const record = await parts.records.get(allocationId);
    for (const { workload_id } of record?.workloads ?? []) {
      const found = await look(parts, workload_id);
      if (found && stateOf(found) === 'running') return true;
    }
    return false;
  };

/** Removes everything of an allocation. The record goes last, after each kind was looked for and not found. */
export const makeRelease =
  (parts: ContainerParts) =>
  async (allocationId: string, work: Work): Promise<Proof> => {
    const ended = await end(parts, allocationId, work.generation);
    if (!ended) return passed(`Allocation ${allocationId} has no container on this host.`);
    parts.turns.hurry(allocationId);
    return parts.turns.take(allocationId, async () => {
      stopIfCalledOff(work.signal);
      work.phase('shutdown', 0);
      await prepareEngine(parts.places, parts.settings);
      const record = (await parts.records.get(allocationId)) ?? ended;
      for (const own of record.workloads) await removeOne(parts, record, own);
      const left = await podman(parts, listOf(allocationId));
      if (left.status !== 0 || left.stdout.trim() !== '') {
        throw new HostFailure('container_hung', `Containers of allocation ${allocationId} are still there.`);
      }
      await parts.network.removeBridge(record);
      await parts.network.reconcile();
      for (const { name } of record.volumes) await parts.volumes.remove(allocationId, name);
      await parts.images.prune();
      const own = parts.places.own(allocationId);
      for (const name of await entriesIn(own)) await removeFlat(join(own, name));
      await removeFlat(own);
      await parts.records.remove(allocationId);
      await parts.network.reconcile();
      return passed(
        `${record.workloads.length} containers, ${record.volumes.length} volumes and the network of allocation ${allocationId} are gone.`,
      );
    });
  };
