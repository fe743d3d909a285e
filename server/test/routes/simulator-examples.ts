import { systemIds } from '../../src/kernel/id.ts';
import type { MakeExample } from './examples.ts';

/** Examples of the routes that exist only beside a simulated fleet. */
let speed = 60;
const host = () => ({ node_id: systemIds.next() });

export const simulatorExamples: Readonly<Record<string, MakeExample>> = {
  simulator_node_list: async () => ({}),
  simulator_fault_set: async () => ({ params: host(), body: { fault: 'xid_79', once: true } }),
  simulator_fault_clear: async () => ({ params: host(), body: { fault: 'xid_79' } }),
  simulator_agent_switch: async () => ({ params: host(), body: { state: 'stopped' } }),
  simulator_speed_set: async () => {
    speed += 1;
    return { body: { speed } };
  },
};
