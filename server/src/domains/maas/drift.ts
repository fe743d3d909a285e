import type { MaasDrift } from '@gpuaas/contract';
import type { MachineRow } from './store.ts';

/** States of a node in which its host has to be there. */
const inService: ReadonlySet<string> = new Set(['active', 'offline', 'draining']);
const failed: ReadonlySet<string> = new Set([
  'failed_commissioning',
  'failed_deployment',
  'failed_releasing',
  'failed_disk_erasing',
  'failed_testing',
  'broken',
]);

/**
 * Contradictions between the machine in MAAS, its node and its allocations. Nothing here changes any of the three: a person
 * decides which is right. A machine with an open job is left out, because its states are changing.
 */
export function driftOf(machine: MachineRow): MaasDrift[] {
  if (machine.is_worked_on) return [];
  const { node_state: node, status, owner, username } = machine;
  if (machine.node_id === null || node === null || node === 'deleted') {
    const isOurs = status === 'deployed' && owner !== null && owner === username;
    return isOurs
      ? [
          drift(
            'unknown_deployment',
            'It is deployed with the key of this site and is not a node, so nobody can rent it.',
          ),
        ]
      : [];
  }
  return [...ofMachine(machine, node), ...ofPower(machine, node)];
}

function ofMachine(machine: MachineRow, node: string): MaasDrift[] {
  const rented = rentedOn(machine);
  const { status, node_note: note, node_id: id } = machine;
  if (machine.missing_since)
    return [drift('machine_missing', `MAAS no longer lists it; its node is ${node}${rented}.`)];
  const isWanted = inService.has(node) || machine.allocations.length > 0;
  if (failed.has(status) && isWanted) {
    return [drift('machine_failed', `Its status in MAAS is ${readable(status)}; its node is ${node}${rented}.`)];
  }
  if (status !== 'deployed' && isWanted) {
    return [
      drift(
        'machine_not_deployed',
        `Its status in MAAS is ${readable(status)}, not deployed; its node is ${node}${rented}.`,
      ),
    ];
  }
  return note !== null && note !== id ? [drift('another_node', `MAAS has a note that it is node ${note}.`)] : [];
}

const ofPower = (machine: MachineRow, node: string): MaasDrift[] =>
  machine.power === 'off' && machine.status === 'deployed' && (inService.has(node) || machine.allocations.length > 0)
    ? [drift('power_off', `It is switched off; its node is ${node}${rentedOn(machine)}.`)]
    : [];

const drift = (kind: MaasDrift['kind'], message: string): MaasDrift => ({ kind, message });
const readable = (status: string): string => status.replaceAll('_', ' ');
const rentedOn = ({ allocations }: MachineRow): string =>
  allocations.length === 0 ? '' : `, with ${allocations.length} allocations`;
