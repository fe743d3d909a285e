import { choices } from '@gpuaas/sdk/choices';
import type { CommandGroup } from '../command.ts';
import { node, oneOf } from './words.ts';

const faults = choices.simulator_fault_set.fault;
const columns = ['node_id', 'name', 'agent', 'gpu_model', 'gpus_total', 'running', 'faults'];

/** A fleet that can be broken on a laptop. */
export const simulator: CommandGroup = {
  title: 'Simulated fleet',
  commands: [
    {
      name: 'sim nodes',
      summary: 'Simulated hosts, and what is broken on them',
      examples: ['gpuaas sim nodes'],
      operation: 'simulator_node_list',
      columns,
      none: 'Nothing is simulated here.',
      reads: true,
    },
    {
      name: 'sim break',
      summary: 'Break something on a simulated host',
      args: [node],
      flags: {
        fault: { ...oneOf('FAULT', faults, 'what breaks'), needed: true },
        slot: { type: 'string', value: 'N', as: 'number', field: 'slot_index', meaning: 'on which GPU' },
        once: { type: 'boolean', meaning: 'the next time only' },
      },
      examples: ['gpuaas sim break local-slice-1 --fault xid_79 --slot 0'],
      operation: 'simulator_fault_set',
      columns,
    },
    {
      name: 'sim mend',
      summary: 'Mend a simulated host: one fault, or all of them',
      args: [node],
      flags: { fault: oneOf('FAULT', faults, 'only this one') },
      examples: ['gpuaas sim mend local-slice-1', 'gpuaas sim mend local-slice-1 --fault xid_79'],
      operation: 'simulator_fault_clear',
      columns,
    },
    {
      name: 'sim agent',
      summary: 'Stop the agent of a simulated host, or start it again',
      args: [node],
      flags: { state: { ...oneOf('STATE', choices.simulator_agent_switch.state, 'what it should be'), needed: true } },
      examples: ['gpuaas sim agent local-slice-1 --state stopped'],
      operation: 'simulator_agent_switch',
      columns,
    },
    {
      name: 'sim speed',
      summary: 'How much faster than real the simulated hosts work',
      args: [{ name: 'N', meaning: 'times as fast', field: 'speed', as: 'number' }],
      examples: ['gpuaas sim speed 20'],
      operation: 'simulator_speed_set',
    },
  ],
};
