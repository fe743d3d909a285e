import type { SimulatedNode } from '@gpuaas/contract';
import type { SimulatedFleet } from '../domains/simulator/index.ts';

/** The host that is not there, whatever is asked of it. */
export const absentHost = '00000000-0000-4000-8000-000000000000';

/** A fleet without hosts: it writes down what was done to each, and knows every one but one. */
export function makeFleetDouble(): SimulatedFleet {
  let speed = 60;
  const nodes = new Map<string, SimulatedNode>();
  const find = (id: string): SimulatedNode =>
    nodes.get(id) ?? {
      node_id: id,
      name: 'double',
      gpu_model: 'NVIDIA H200',
      gpus_total: 8,
      agent: 'running',
      running: [],
      faults: [],
    };
  return {
    look: async () => ({ speed, nodes: [...nodes.values()] }),
    async order(order) {
      if (order.nodeId === absentHost) return undefined;
      const before = find(order.nodeId);
      const node = { ...before };
      if (order.kind === 'switch_agent') node.agent = order.state;
      else if (order.kind === 'clear_faults') {
        node.faults = before.faults.filter(({ fault }) => order.fault !== undefined && fault !== order.fault);
      } else {
        const { fault, once, slotIndex } = order;
        node.faults = [
          ...before.faults.filter((other) => other.fault !== fault),
          { fault, once, slot_index: slotIndex, since: '2026-01-01T00:00:00.000Z' },
        ];
      }
      nodes.set(order.nodeId, node);
      return node;
    },
    async setSpeed(next) {
      speed = next;
    },
  };
}
