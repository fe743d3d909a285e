import { type Host, HostFailure } from '../../port.ts';
import { troubleIn } from '../../trouble.ts';
import { stopIfCalledOff, unlessCalledOff } from '../phases.ts';
import { reconcileNetwork, type SliceParts } from './parts.ts';
import { attest, waitForLogin } from './proof.ts';
import type { SliceRecord } from './records.ts';
import { stopMachine } from './release.ts';

const noSignal = new AbortController().signal;

/** Switches the machine of a slice off and on again. Disk, devices and address stay its own. */
export function makeSliceStops(
  parts: SliceParts,
  shells: { end(allocationId: string): Promise<void> },
  writeKeys: (parts: SliceParts, record: SliceRecord, wanted: readonly string[]) => Promise<string[]>,
): Pick<Host, 'stop' | 'start'> {
  const { records, libvirt } = parts;
  /** The slice of an allocation that runs or is stopped. */
  const kept = async (allocationId: string, username: string): Promise<SliceRecord> => {
    const record = await records.get(allocationId);
    const isKept = record?.state === 'running' || record?.state === 'stopped';
    if (record && isKept && record.login.username === username) return record;
    throw new HostFailure('not_found', `There is no machine of ${username} of allocation ${allocationId}.`);
  };
  /** A lease that ended meanwhile stays ended. */
  const setState = (allocationId: string, state: 'running' | 'stopped') =>
    records.change(allocationId, (now) => {
      if (now?.state === 'running' || now?.state === 'stopped') return { ...now, state };
      throw new HostFailure('lease_conflict', 'The lease ended while the work was under way.');
    });

  return {
    async stop(params, work) {
      const record = await kept(params.allocation_id, params.login.username);
      stopIfCalledOff(work.signal);
      work.phase('shutdown', 0);
      await setState(record.allocation_id, 'stopped');
      await shells.end(record.allocation_id);
      const how = await stopMachine(parts, record.allocation_id, params.grace_seconds, work.signal);
      return {
        machine_stopped: { passed: true, detail: `The machine of allocation ${record.allocation_id} is off (${how}).` },
      };
    },
    async start(params, work) {
      const record = await kept(params.allocation_id, params.login.username);
      stopIfCalledOff(work.signal);
      work.phase('machine', 0);
      await reconcileNetwork(parts);
      await parts.guestDoor.open();
      try {
        if (!(await libvirt.isRunning(record.allocation_id))) await libvirt.start(record.allocation_id);
        work.phase('readiness', 0);
        await waitForLogin(parts, record, work.signal);
        await writeKeys(parts, record, params.authorized_keys);
        const seen = await unlessCalledOff(work.signal, attest(parts, record));
        const trouble = troubleIn(seen, params.expect);
        if (trouble) throw new HostFailure(trouble.code, trouble.message);
        await setState(record.allocation_id, 'running');
        await reconcileNetwork(parts);
        return seen;
      } catch (error) {
        // What is not proven stays off; a machine that ran already is left to its tenant.
        if (record.state === 'stopped') await stopMachine(parts, record.allocation_id, 0, noSignal);
        throw error;
      }
    },
  };
}
