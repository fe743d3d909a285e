import type { ReadinessAttestation, TaskOutput, TaskParams } from '@gpuaas/contract/node';
import { HostFailure, type Work } from '../port.ts';
import { troubleIn } from '../trouble.ts';
import { type HostParts, passed } from './parts.ts';
import type { HostState } from './state.ts';

const runtimeIn = (state: HostState, allocationId: string) => state.machines[allocationId] ?? state.users[allocationId];

/** The machine or login of an allocation, stopped or running; one that is being made or has ended is neither. */
function keptIn(state: HostState, allocationId: string) {
  const runtime = runtimeIn(state, allocationId);
  if (runtime?.state !== 'running' && runtime?.state !== 'stopped') {
    throw new HostFailure('not_found', `Nothing runs for allocation ${allocationId}.`);
  }
  return runtime;
}

/** Stops the machine or login of an allocation with everything in it, starts it again, or both. Devices and disks keep their owner. */
export const makeStopping = (
  parts: HostParts & {
    readonly attest: (allocationId: string) => ReadinessAttestation;
    /** Throws when nothing runs for the allocation. */
    readonly living: (allocationId: string) => unknown;
    readonly endContainers: (allocationId: string) => Promise<void>;
  },
) => ({
  async restart(params: TaskParams<'allocation.restart'>, work: Work): Promise<ReadinessAttestation> {
    const { store, rest } = parts;
    const id = params.allocation_id;
    parts.living(id);
    await parts.endProcesses(id, false);
    await rest.phase(work, 'reboot');
    await store.change((draft) => {
      const runtime = runtimeIn(draft, id);
      if (runtime?.state === 'running') runtime.restarts += 1;
    });
    parts.living(id);
    const machine = store.now.machines[id];
    if (machine) parts.console.boot(id, machine);
    await rest.phase(work, 'readiness', 'user_readiness');
    return parts.attest(id);
  },

  async stop(params: TaskParams<'allocation.stop'>, work: Work): Promise<TaskOutput<'allocation.stop'>> {
    const { store, rest, faults } = parts;
    const id = params.allocation_id;
    const isGentle = params.grace_seconds > 0;
    if (keptIn(store.now, id).state === 'running') {
      await rest.phase(work, 'shutdown', isGentle ? 'shutdown' : 'destroy');
      // A guest that does not react is switched off at the end of its time: nothing of its disk is given away.
      const isDeaf = isGentle && ((await faults.strike('deaf_guest')) || (await faults.strike('hung_guest')));
      if (isDeaf) await rest.seconds(params.grace_seconds, work.signal);
      await store.change((draft) => {
        keptIn(draft, id).state = 'stopped';
      });
    }
    await parts.endProcesses(id, false);
    await parts.endContainers(id);
    if (store.now.machines[id]) parts.console.shutDown(id);
    return { machine_stopped: passed(`Nothing runs for allocation ${id}; its disk is kept.`) };
  },

  async start(params: TaskParams<'allocation.start'>, work: Work): Promise<ReadinessAttestation> {
    const { store, rest, faults } = parts;
    const id = params.allocation_id;
    const isStopped = keptIn(store.now, id).state === 'stopped';
    if (isStopped) await rest.phase(work, 'machine');
    await store.change((draft) => {
      const runtime = keptIn(draft, id);
      runtime.state = 'running';
      runtime.authorized_keys = [...params.authorized_keys];
    });
    const machine = store.now.machines[id];
    if (isStopped && machine) parts.console.boot(id, machine);
    try {
      await rest.phase(work, 'readiness', 'user_readiness');
      const seen = parts.attest(id);
      const trouble = troubleIn(seen, params.expect);
      if (!trouble) return seen;
      await faults.spend(trouble.code);
      throw new HostFailure(trouble.code, trouble.message);
    } catch (error) {
      // It is not handed back half well: it stays stopped, and the next attempt begins anew.
      await store.change((draft) => {
        const runtime = runtimeIn(draft, id);
        if (runtime?.state === 'running') runtime.state = 'stopped';
      });
      await parts.endProcesses(id, false);
      throw error;
    }
  },
});
