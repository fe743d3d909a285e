import type { SimulatedFaultName, SimulatedNode } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useAsk } from '../client/ask.ts';
import { Button } from '../parts/button.tsx';
import { Chip, StateChip } from '../parts/chip.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { counted, plainWord } from '../words/sizes.ts';

const faults = choices.simulator_fault_set.fault;
const stale = ['simulator', 'nodes', 'fleet'];

/** The simulated fleet: hosts that do not exist, with real agents. Faults can be injected. */
export function SimulatorPage() {
  const fleet = useAsk(['simulator'], (options) => api.simulator.nodeList(options), { everyMs: 5_000 });
  const speed = useAct('speed', (value: number, options) => api.simulator.speedSet({ speed: value }, options), {
    stale,
  });
  return (
    <Page
      title="Simulator"
      lead="Simulated hosts with real agents. Inject faults and see how the platform responds."
      shown={{ operation: 'simulator_node_list' }}
      actions={
        fleet.data && (
          <label className="flex items-center gap-2 text-sm text-dim">
            Speed
            <select
              className="field w-auto"
              value={fleet.data.speed}
              onChange={(event) => speed.mutate(Number(event.target.value))}
            >
              {[...new Set([1, 10, 60, 600, fleet.data.speed])]
                .sort((a, b) => a - b)
                .map((each) => (
                  <option key={each} value={each}>
                    × {each}
                  </option>
                ))}
            </select>
          </label>
        )
      }
    >
      {speed.error && <Problem error={speed.error} />}
      {fleet.error && !fleet.data ? (
        <Problem error={fleet.error} again={() => void fleet.refetch()} />
      ) : !fleet.data ? (
        <Loading rows={4} />
      ) : fleet.data.data.length === 0 ? (
        <div className="panel">
          <Empty icon="flask" title="No simulated hosts" />
        </div>
      ) : (
        <div className="grid gap-6 md:grid-cols-2">
          {fleet.data.data.map((node) => (
            <Host key={node.node_id} node={node} />
          ))}
        </div>
      )}
    </Page>
  );
}

function Host({ node }: { node: SimulatedNode }) {
  const [fault, setFault] = useState<SimulatedFaultName>('xid_79');
  const [slot, setSlot] = useState(0);
  const { node_id } = node;
  const add = useAct(
    'fault set',
    (input: { fault: SimulatedFaultName; slot_index: number; count: number }, options) =>
      api.simulator.faultSet({ node_id, fault: input.fault, slot_index: input.slot_index }, options),
    { stale },
  );
  const clear = useAct('fault clear', (_: number, options) => api.simulator.faultClear({ node_id }, options), {
    stale,
  });
  const turn = useAct(
    'agent switch',
    (state: 'running' | 'stopped', options) => api.simulator.agentSwitch({ node_id, state }, options),
    { stale },
  );
  const error = add.error ?? clear.error ?? turn.error;
  return (
    <Panel title={node.name} aside={<StateChip state={node.agent} />}>
      <p className="text-dim">
        {counted(node.gpus_total, 'GPU')}, {node.gpu_model}; {counted(node.running.length, 'allocation')} running.
      </p>
      <div className="mt-3 flex flex-wrap gap-2 empty:hidden">
        {node.faults.map((each) => (
          <Chip key={`${each.fault} ${each.slot_index}`} tone="bad">
            {plainWord(each.fault)} on GPU {each.slot_index}
            {each.once ? ', once' : ''}
          </Chip>
        ))}
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <select
          aria-label={`Fault for ${node.name}`}
          className="field w-auto"
          value={fault}
          onChange={(event) => setFault(event.target.value as SimulatedFaultName)}
        >
          {faults.map((each) => (
            <option key={each} value={each}>
              {plainWord(each)}
            </option>
          ))}
        </select>
        <select
          aria-label={`GPU of ${node.name}`}
          className="field w-auto"
          value={slot}
          onChange={(event) => setSlot(Number(event.target.value))}
        >
          {Array.from({ length: node.gpus_total }, (_, index) => index).map((index) => (
            <option key={index} value={index}>
              GPU {index}
            </option>
          ))}
        </select>
        <Button
          look="danger"
          busy={add.isPending}
          onClick={() => add.mutate({ fault, slot_index: slot, count: node.faults.length })}
        >
          Inject fault
        </Button>
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          disabled={node.faults.length === 0}
          busy={clear.isPending}
          onClick={() => clear.mutate(node.faults.length)}
        >
          Clear fault
        </Button>
        <Button busy={turn.isPending} onClick={() => turn.mutate(node.agent === 'running' ? 'stopped' : 'running')}>
          {node.agent === 'running' ? 'Stop its agent' : 'Start its agent'}
        </Button>
      </div>
      {error && <Problem error={error} />}
    </Panel>
  );
}
