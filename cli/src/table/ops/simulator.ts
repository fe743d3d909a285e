import { choices } from '@gpuaas/sdk/choices';
import type { CommandGroup } from '../../command.ts';
import { node, oneOf } from '../words.ts';

const faults = choices.simulator_fault_set.fault;
const columns = ['node_id', 'name', 'agent', 'gpu_model', 'gpus_total', 'running', 'faults'];

/** The simulated fleet. */
export const simulator: CommandGroup = {
  title: 'Simulated fleet',
  commands: [
    {
      name: 'sim nodes',
      summary: 'Simulated hosts and their faults',
      examples: ['gpuaas sim nodes'],
      operation: 'simulator_node_list',
      columns,
      none: 'There are no simulated hosts.',
      reads: true,
    },
    {
      name: 'sim break',
      summary: 'Inject a fault on a simulated host',
      args: [node],
      flags: {
        fault: { ...oneOf('FAULT', faults, 'the fault'), needed: true },
        slot: { type: 'string', value: 'N', as: 'number', field: 'slot_index', meaning: 'on which GPU' },
        once: { type: 'boolean', meaning: 'only once' },
      },
      examples: ['gpuaas sim break local-slice-1 --fault xid_79 --slot 0'],
      operation: 'simulator_fault_set',
      columns,
    },
    {
      name: 'sim mend',
      summary: 'Clear one fault or all faults of a simulated host',
      args: [node],
      flags: { fault: oneOf('FAULT', faults, 'only this one') },
      examples: ['gpuaas sim mend local-slice-1', 'gpuaas sim mend local-slice-1 --fault xid_79'],
      operation: 'simulator_fault_clear',
      columns,
    },
    {
      name: 'sim agent',
      summary: 'Stop or start the agent of a simulated host',
      args: [node],
      flags: { state: { ...oneOf('STATE', choices.simulator_agent_switch.state, 'running or stopped'), needed: true } },
      examples: ['gpuaas sim agent local-slice-1 --state stopped'],
      operation: 'simulator_agent_switch',
      columns,
    },
    {
      name: 'sim speed',
      summary: 'Set the speed of simulated hosts',
      args: [{ name: 'N', meaning: 'times as fast as real hosts', field: 'speed', as: 'number' }],
      examples: ['gpuaas sim speed 20'],
      operation: 'simulator_speed_set',
    },
  ],
};
