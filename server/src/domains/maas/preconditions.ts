import type { ReadTx } from '../../kernel/act.ts';
import { findMachines, type MachineRow } from './store.ts';

/** Why a machine cannot become a node now; undefined when it can. */
export function onboardProblem(machine: MachineRow): string | undefined {
  if (machine.node_id !== null && machine.node_state !== 'deleted') return `it is node ${machine.node_name} already.`;
  if (machine.missing_since) return 'MAAS no longer lists it.';
  const isFree = ['new', 'ready', 'failed_commissioning', 'failed_testing'].includes(machine.status);
  return isFree ? undefined : `its status in MAAS is ${machine.status.replaceAll('_', ' ')}; it must be new or ready.`;
}

/** Why its power cannot be switched now; undefined when it can. */
export function powerProblem(machine: MachineRow, to: 'on' | 'off'): string | undefined {
  if (machine.missing_since) return 'MAAS no longer lists it.';
  if (machine.allocations.length > 0) {
    return `It has ${machine.allocations.length} allocations: restart those, or drain its node first.`;
  }
  // A new allocation could be placed on it before the power is switched.
  if (to === 'off' && machine.node_state === 'active') return 'Its node is active: drain or quarantine it first.';
  return undefined;
}

/** Why a machine cannot be erased and released now. `held` are sentences about what its node holds. */
export function decommissionProblem(machine: MachineRow, held: readonly string[]): string | undefined {
  if (machine.missing_since) return 'MAAS no longer lists it.';
  if (held.length > 0) return held.join(' ');
  const node = machine.node_state;
  if (node !== null && node !== 'deleted' && node !== 'retired' && node !== 'quarantined') {
    return `Its node is ${node}: drain and retire it first.`;
  }
  // Another user of MAAS may have deployed it.
  if (machine.node_id === null && (machine.owner === null || machine.owner !== machine.username)) {
    return 'It is not a node, and it was not deployed with the key of this site.';
  }
  return undefined;
}

/** Checks a job again when it starts, in the transaction before its first call to MAAS. */
export async function startProblem(
  tx: ReadTx,
  job: { readonly kind: string; readonly site_id: string; readonly system_id: string },
  holdingsOf: (tx: ReadTx, nodeId: string) => Promise<readonly string[]>,
): Promise<string | undefined> {
  const [machine] = await findMachines(tx, job.site_id, [job.system_id]);
  if (!machine) return 'MAAS no longer lists it.';
  switch (job.kind) {
    case 'power_on':
    case 'power_off':
      return powerProblem(machine, job.kind === 'power_on' ? 'on' : 'off');
    case 'decommission':
      return decommissionProblem(machine, machine.node_id === null ? [] : await holdingsOf(tx, machine.node_id));
    default:
      return undefined;
  }
}
