import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../../ids.ts';
import { defineRoute } from '../../../route.ts';
import { faultNames, simulatedFaults } from '../../../simulator.ts';
import { onlySimulated } from '../../../step-up.ts';

const strict = { additionalProperties: false } as const;
const SimulatedFaultName = Type.Enum([...faultNames], {
  $id: 'SimulatedFaultName',
  description: Object.entries(simulatedFaults)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join(' '),
});
const SlotIndex = Type.Integer({ minimum: 0, maximum: 7 });

export const SimulatedNode = Type.Object(
  {
    node_id: Uuid,
    name: Type.String(),
    gpu_model: Type.String(),
    gpus_total: Type.Integer(),
    agent: Type.Enum(['running', 'stopped']),
    running: Type.Array(Uuid, { description: 'Allocations that run there, as the simulator sees it.' }),
    faults: Type.Array(
      Type.Object({ fault: SimulatedFaultName, once: Type.Boolean(), slot_index: SlotIndex, since: Timestamp }, strict),
    ),
  },
  { $id: 'SimulatedNode', ...strict },
);
export type SimulatedNode = Static<typeof SimulatedNode>;

const Speed = Type.Number({
  minimum: 1,
  maximum: 100_000,
  description: 'How many times faster than real hosts the simulated ones are.',
});

const shared = {
  tag: 'Simulator',
  only: 'simulator',
  auth: { kind: 'admin', scope: 'fleet:admin' },
  tenancy: { kind: 'none', why: 'The hosts are simulated and belong to no tenant.' },
  lane: 'admin',
} as const;
const params = Type.Object({ node_id: Uuid }, strict);

export const simulatorNodeList = defineRoute({
  id: 'simulator_node_list',
  method: 'GET',
  path: '/api/v1/sim/nodes',
  summary: 'The simulated hosts and their faults',
  ...shared,
  errors: [],
  query: Type.Object({}, strict),
  response: Type.Object({ speed: Speed, data: Type.Array(SimulatedNode) }, strict),
});

export const simulatorFaultSet = defineRoute({
  id: 'simulator_fault_set',
  method: 'POST',
  path: '/api/v1/sim/nodes/{node_id}/faults',
  summary: 'Inject a fault on a simulated host, once or until it is cleared',
  ...shared,
  idempotency: 'key',
  audit: 'simulator.set_fault',
  stepUp: onlySimulated,
  errors: ['node_not_found'],
  params,
  body: Type.Object(
    {
      fault: SimulatedFaultName,
      once: Type.Optional(Type.Boolean({ default: false, description: 'Removed after it has acted once.' })),
      slot_index: Type.Optional(SlotIndex),
    },
    strict,
  ),
  response: SimulatedNode,
});

export const simulatorFaultClear = defineRoute({
  id: 'simulator_fault_clear',
  method: 'DELETE',
  path: '/api/v1/sim/nodes/{node_id}/faults',
  summary: 'Clear one fault or all faults of a simulated host',
  ...shared,
  idempotency: 'key',
  audit: 'simulator.clear_fault',
  stepUp: onlySimulated,
  errors: ['node_not_found'],
  params,
  body: Type.Object({ fault: Type.Optional(SimulatedFaultName) }, strict),
  response: SimulatedNode,
});

export const simulatorAgentSwitch = defineRoute({
  id: 'simulator_agent_switch',
  method: 'POST',
  path: '/api/v1/sim/nodes/{node_id}/agent',
  summary: 'Stop or start the agent of a simulated host; running machines continue',
  ...shared,
  idempotency: 'key',
  audit: 'simulator.switch_agent',
  stepUp: onlySimulated,
  errors: ['node_not_found'],
  params,
  body: Type.Object({ state: SimulatedNode.properties.agent }, strict),
  response: SimulatedNode,
});

export const simulatorSpeedSet = defineRoute({
  id: 'simulator_speed_set',
  method: 'POST',
  path: '/api/v1/sim/speed',
  summary: 'Change the speed of simulated hosts; phases in progress notice at their next step',
  ...shared,
  idempotency: 'key',
  audit: 'simulator.set_speed',
  stepUp: onlySimulated,
  errors: [],
  body: Type.Object({ speed: Speed }, strict),
  response: Type.Object({ speed: Speed }, strict),
});
