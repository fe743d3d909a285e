import type { ReadTx } from '../../kernel/act.ts';
import { findMachines, type MachineRow } from './store.ts';

/** Why no node can be made of a machine now; undefined when one can. */
export function whyNotOnboarded(machine: MachineRow): string | undefined {
  if (machine.node_id !== null && machine.node_state !== 'deleted')
    return `it is the node ${machine.node_name} already.`;
  if (machine.missing_since) return 'MAAS does not list it any more.';
  const isFree = ['new', 'ready', 'failed_commissioning', 'failed_testing'].includes(machine.status);
  return isFree
    ? undefined
    : `MAAS says ${machine.status.replaceAll('_', ' ')}: it is new or ready before it becomes a node.`;
}

/** Why its power is not switched now. */
export function whyNotSwitched(machine: MachineRow, to: 'on' | 'off'): string | undefined {
  if (machine.missing_since) return 'MAAS does not list it any more.';
  if (machine.allocations.length > 0) {
    return `${machine.allocations.length} allocations are on it: restart those, or drain its node first.`;
  }
  // An allocation could come between the order and the switch.
  if (to === 'off' && machine.node_state === 'active') return 'Its node is active: drain or quarantine it first.';
  return undefined;
}

/** Why a machine is not erased and given back now. `held` says what its node holds, in sentences. */
export function whyNotDecommissioned(machine: MachineRow, held: readonly string[]): string | undefined {
  if (machine.missing_since) return 'MAAS does not list it any more.';
  if (held.length > 0) return held.join(' ');
  const node = machine.node_state;
  if (node !== null && node !== 'deleted' && node !== 'retired' && node !== 'quarantined') {
    return `Its node is ${node}: drain and retire it first.`;
  }
  // Whom it belongs to is not ours to decide, unless it was deployed under our own key.
  if (machine.node_id === null && (machine.owner === null || machine.owner !== machine.username)) {
    return 'It is no node, and it was not deployed under the key of this site.';
  }
  return undefined;
}

/** What a job that waited in the queue asks again, in the transaction before its first call. */
export async function whyNotNow(
  tx: ReadTx,
  job: { readonly kind: string; readonly site_id: string; readonly system_id: string },
  holdingsOf: (tx: ReadTx, nodeId: string) => Promise<readonly string[]>,
): Promise<string | undefined> {
  const [machine] = await findMachines(tx, job.site_id, [job.system_id]);
  if (!machine) return 'MAAS does not list it any more.';
  switch (job.kind) {
    case 'power_on':
    case 'power_off':
      return whyNotSwitched(machine, job.kind === 'power_on' ? 'on' : 'off');
    case 'decommission':
      return whyNotDecommissioned(machine, machine.node_id === null ? [] : await holdingsOf(tx, machine.node_id));
    default:
      return undefined;
  }
}
