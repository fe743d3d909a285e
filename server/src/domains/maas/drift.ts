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
 * Where what MAAS says, what the node is and what is rented contradict each other. Nothing here changes any of the three: a
 * person decides which of them is right. While a job works on a machine, its states are on their way, and nothing is said.
 */
export function driftOf(machine: MachineRow): MaasDrift[] {
  if (machine.is_worked_on) return [];
  const { node_state: node, status, owner, username } = machine;
  if (machine.node_id === null || node === null || node === 'deleted') {
    const isOurs = status === 'deployed' && owner !== null && owner === username;
    return isOurs
      ? [
          say(
            'unknown_deployment',
            'It is deployed under the key of this site, and no node is made of it: it is not sold.',
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
    return [say('machine_missing', `MAAS does not list it any more; its node is ${node}${rented}.`)];
  const isWanted = inService.has(node) || machine.allocations.length > 0;
  if (failed.has(status) && isWanted) {
    return [say('machine_failed', `MAAS says ${words(status)}; its node is ${node}${rented}.`)];
  }
  if (status !== 'deployed' && isWanted) {
    return [say('machine_not_deployed', `MAAS says ${words(status)}, not deployed; its node is ${node}${rented}.`)];
  }
  return note !== null && note !== id ? [say('another_node', `MAAS has it noted for the node ${note}.`)] : [];
}

const ofPower = (machine: MachineRow, node: string): MaasDrift[] =>
  machine.power === 'off' && machine.status === 'deployed' && (inService.has(node) || machine.allocations.length > 0)
    ? [say('power_off', `It is switched off; its node is ${node}${rentedOn(machine)}.`)]
    : [];

const say = (kind: MaasDrift['kind'], message: string): MaasDrift => ({ kind, message });
const words = (status: string): string => status.replaceAll('_', ' ');
const rentedOn = ({ allocations }: MachineRow): string =>
  allocations.length === 0 ? '' : `, with ${allocations.length} allocations on it`;
