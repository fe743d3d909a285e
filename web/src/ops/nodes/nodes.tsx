import type { FleetNode } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useAsk, useList } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Chip, SimulatedChip, StateChip } from '../../parts/chip.tsx';
import { Filter, WordFilter } from '../../parts/filter.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { plainWord } from '../../words/sizes.ts';

const states = choices.node_list.state;

interface NodeSearch {
  readonly state?: string;
  readonly q?: string;
  readonly region?: string;
  readonly sku?: string;
  readonly sort?: string;
}

export function NodesPage() {
  const search = useSearch({ strict: false }) as NodeSearch;
  const navigate = useNavigate();
  const mayEnrol = useMay()('node_create');
  const state = states.find((each) => each === search.state);
  const sort = choices.node_list.sort.find((each) => each === search.sort);
  const { region, sku } = search;
  const q = search.q?.trim();
  const filters = {
    ...(state && { state }),
    ...(q && { q }),
    ...(region && { region }),
    ...(sku && { sku }),
    ...(sort && { sort }),
  };
  const list = useList(['nodes', filters], (from, options) => api.adminNodes.list({ ...from, ...filters }, options), {
    everyMs: 30_000,
  });
  // The server counts; the page shows what it loaded.
  const counts = useAsk(['fleet', 'health'], (options) => api.adminOps.fleetHealth(options)).data?.nodes;
  const skus = useAsk(['skus', 'all'], (options) => api.adminSkus.list({ limit: 100 }, options));
  const regions = useAsk(['regions', 'admin'], (options) => api.adminRegions.list({ limit: 100 }, options));
  const go = (next: { readonly [K in keyof NodeSearch]: string | undefined }) =>
    void navigate({
      to: '/ops/nodes',
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  return (
    <Page
      title="Nodes"
      lead="The hosts of the fleet."
      actions={
        mayEnrol && (
          <ButtonLink look="primary" icon="plus" to="/ops/enrol">
            Enrol a node
          </ButtonLink>
        )
      }
      shown={{ operation: 'node_list', input: { ...filters, limit: 50 } }}
    >
      <div className="flex flex-wrap items-center gap-3">
        <WordFilter
          label="Search nodes"
          placeholder="Name, address or ID"
          value={search.q}
          onChange={(next) => go({ q: next })}
        />
        <Filter
          label="State"
          value={state}
          options={states.map((each) => [each, `${plainWord(each)} (${counts?.[each] ?? 0})`])}
          onChoose={(next) => go({ state: next })}
        />
        <Filter
          label="Region"
          value={region}
          options={regions.data?.data.map(({ slug }) => [slug, slug] as const) ?? []}
          onChoose={(next) => go({ region: next })}
        />
        <Filter
          label="SKU"
          value={sku}
          options={skus.data?.data.map((each) => [each.sku, each.display_name] as const) ?? []}
          onChoose={(next) => go({ sku: next })}
        />
        <Filter
          label="Sort by"
          any="oldest first"
          value={sort === 'name' ? sort : undefined}
          options={[['name', 'name']]}
          onChoose={(next) => go({ sort: next })}
        />
      </div>
      <Rows
        label="Nodes"
        list={list}
        keyOf={({ id }) => id}
        columns={columns}
        empty={
          <Empty icon="server" title={Object.keys(filters).length > 0 ? 'No nodes match' : 'No nodes yet'}>
            {mayEnrol && <ButtonLink to="/ops/enrol">Enrol a node</ButtonLink>}
          </Empty>
        }
      />
    </Page>
  );
}

const columns: readonly Column<FleetNode>[] = [
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
  { head: 'Last report', end: true, cell: (node) => <Ago at={node.last_report_at} /> },
];
