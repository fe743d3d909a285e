import {
  type SimulatedNode,
  simulatorAgentSwitch,
  simulatorFaultClear,
  simulatorFaultSet,
  simulatorNodeList,
  simulatorSpeedSet,
} from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { FleetOrder, SimulatedFleet } from './fleet.ts';

interface Parts {
  readonly db: Database;
  readonly fleet: SimulatedFleet;
}
const on = handlers<Parts>();

/** Carries the order out, then writes down who gave it: the other way round a row could tell of what never happened. */
async function give({ db, fleet }: Parts, act: Act, order: FleetOrder) {
  const node: SimulatedNode | undefined = await fleet.order(order);
  if (!node) return new Fault('node_not_found', 'There is no simulated host of this id.');
  const { kind: _kind, nodeId, ...change } = order;
  return db.write(act, async (tx) => tx.commit(node, { target: { type: 'node', id: nodeId }, change, events: 'none' }));
}

const list = on(simulatorNodeList, async ({ fleet }) => {
  const { speed, nodes } = await fleet.look();
  return { speed, data: nodes };
});
const setFault = on(simulatorFaultSet, (parts, act, { params, body }) =>
  give(parts, act, {
    kind: 'set_fault',
    nodeId: params.node_id,
    fault: body.fault,
    once: body.once ?? false,
    slotIndex: body.slot_index ?? 0,
  }),
);
const clearFaults = on(simulatorFaultClear, (parts, act, { params, body }) =>
  give(parts, act, { kind: 'clear_faults', nodeId: params.node_id, fault: body.fault }),
);
const switchAgent = on(simulatorAgentSwitch, (parts, act, { params, body }) =>
  give(parts, act, { kind: 'switch_agent', nodeId: params.node_id, state: body.state }),
);
const setSpeed = on(simulatorSpeedSet, async ({ db, fleet }, act, { body }) => {
  await fleet.setSpeed(body.speed);
  return db.write(act, async (tx) =>
    tx.commit(
      { speed: body.speed },
      { target: { type: 'simulator', id: 'speed' }, change: { speed: body.speed }, events: 'none' },
    ),
  );
});

export const simulatorRoutes = (parts: Parts): Mounted[] =>
  [list, setFault, clearFaults, switchAgent, setSpeed].map((bind) => bind(parts));
