import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useList } from '../client/ask.ts';
import { ButtonLink } from '../parts/button.tsx';
import { Chip, SimulatedChip, StateChip } from '../parts/chip.tsx';
import { Filter } from '../parts/filter.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { plainWord } from '../words/sizes.ts';

const states = choices.node_list.state;

export function NodesPage() {
  const search = useSearch({ strict: false }) as { state?: string };
  const navigate = useNavigate();
  const state = states.find((each) => each === search.state);
  const list = useList(
    ['nodes', state],
    (from, options) => api.adminNodes.list({ ...from, ...(state && { state }) }, options),
    { everyMs: 30_000 },
  );
  return (
    <Page
      title="Nodes"
      lead="The hosts of the fleet."
      actions={
        <>
          <Filter
            label="State"
            value={state}
            options={states.map((each) => [each, plainWord(each)])}
            onChoose={(next) => void navigate({ to: '/ops/nodes', search: next ? { state: next } : {} })}
          />
          <ButtonLink look="primary" icon="plus" to="/ops/enrol">
            Enrol a node
          </ButtonLink>
        </>
      }
      shown={{ operation: 'node_list', input: { state, limit: 50 } }}
    >
      <Rows
        label="Nodes"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Name',
            cell: (node) => <NameCell to="/ops/nodes/$id" id={node.id} name={node.name} />,
          },
          {
            head: 'State',
            cell: (node) => (
              <span className="inline-flex flex-wrap gap-1">
                <StateChip state={node.state} />
                <SimulatedChip of={node} />
                {node.cordon_reason && <Chip tone="warn">cordoned</Chip>}
              </span>
            ),
          },
          { head: 'SKU', cell: (node) => node.sku },
          { head: 'Region', cell: (node) => node.region },
          {
            head: 'Slots free',
            end: true,
            cell: (node) => (
              <span className="tabular">
                {node.slots['available'] ?? 0} / {node.gpus_total}
              </span>
            ),
          },
          { head: 'Agent', cell: (node) => node.agent_version ?? '—' },
          { head: 'Heard', end: true, cell: (node) => <Ago at={node.last_report_at} /> },
        ]}
        empty={
          <Empty icon="server" title={state ? `No node is ${plainWord(state)}` : 'There are no nodes'}>
            <ButtonLink to="/ops/enrol">Enrol a node</ButtonLink>
          </Empty>
        }
      />
    </Page>
  );
}
