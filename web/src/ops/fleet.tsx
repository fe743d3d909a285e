import type { FleetHealth, FleetNode, NodeNow } from '@gpuaas/sdk';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { useMay } from '../client/session.tsx';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { type Heat, heats, isHeat, warmthWords } from '../words/charts/measures.ts';
import { countTiles, filterWall, sharesOf, tileWords, troublesOf, type WallFilter } from '../words/ops/wall.ts';
import { counted } from '../words/sizes.ts';
import { type Colouring, tileLooks, Wall, warmthLooks } from './wall.tsx';

/** Events report every change; this interval finds what has no event, such as a silent node. */
const everyMs = 30_000;
const mostNodes = 5_000;

/** The last values of every node, which are asked for only while the wall is coloured by them. */
function useColouring(word: string | undefined) {
  const heat = isHeat(word) ? word : undefined;
  const measured = useAsk(
    ['fleet', 'metrics'],
    async (options) => {
      const found = new Map<string, NodeNow>();
      for await (const node of api.adminMetrics.fleet({ limit: 200 }, options)) {
        found.set(node.node_id, node);
        if (found.size >= mostNodes) break;
      }
      return found;
    },
    { everyMs, enabled: heat !== undefined },
  );
  const colouring: Colouring | undefined = heat && measured.data && { heat, nodes: measured.data };
  return { heat, colouring, error: heat && measured.error, again: () => void measured.refetch() };
}

/** Every GPU of the fleet at a glance, and what needs attention. */
export function FleetPage() {
  const { colour, ...search } = useSearch({ strict: false }) as WallFilter & { readonly colour?: string };
  const coloured = useColouring(colour);
  const navigate = useNavigate();
  const mayEnrol = useMay()('node_create');
  const health = useAsk(['fleet', 'health'], (options) => api.adminOps.fleetHealth(options), { everyMs });
  const nodes = useAsk(
    ['nodes', 'wall'],
    async (options) => {
      const all: FleetNode[] = [];
      for await (const node of api.adminNodes.list({ limit: 200 }, options)) {
        if (node.state !== 'deleted') all.push(node);
        if (all.length >= mostNodes) break;
      }
      const byName = new Intl.Collator('en', { numeric: true });
      return all.sort((a, b) => byName.compare(a.name, b.name));
    },
    { everyMs },
  );
  const all = nodes.data ?? [];
  const shown = filterWall(all, search);
  const counts = countTiles(all);
  const isNarrowed = Object.values(search).some(Boolean);
  const go = (next: WallFilter & { readonly colour?: string }) =>
    void navigate({
      to: '/ops',
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, colour, ...next }).filter(([, value]) => value)),
    });
  return (
    <Page
      title="Fleet"
      lead="Every GPU as a tile, by node. Select a node for details."
      actions={
        <>
          <ButtonLink to="/ops/nodes">As a table</ButtonLink>
          {mayEnrol && (
            <ButtonLink look="primary" icon="plus" to="/ops/enrol">
              Enrol a node
            </ButtonLink>
          )}
        </>
      }
      shown={{ operation: 'fleet_health' }}
    >
      {health.error && <Problem error={health.error} again={() => void health.refetch()} />}
      <Counters health={health.data} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <Panel
          title="Wall"
          aside={
            <span className="text-sm text-dim">
              {isNarrowed ? `${shown.length} of ${counted(all.length, 'node')}` : counted(all.length, 'node')}
            </span>
          }
        >
          {nodes.error && !nodes.data ? (
            <Problem error={nodes.error} again={() => void nodes.refetch()} />
          ) : !nodes.data ? (
            <Loading rows={4} />
          ) : all.length === 0 ? (
            <Empty icon="server" title="No nodes yet">
              {mayEnrol && (
                <>
                  <p>Enrol the first one; it takes a minute.</p>
                  <ButtonLink look="primary" to="/ops/enrol">
                    Enrol a node
                  </ButtonLink>
                </>
              )}
            </Empty>
          ) : (
            <div className="grid gap-4">
              <Filters search={search} nodes={all} counts={counts} onChange={go} />
              <ColourChoice heat={coloured.heat} onChange={(next) => go({ colour: next })} />
              {coloured.error && <Problem error={coloured.error} again={coloured.again} />}
              {shown.length === 0 ? (
                <Empty icon="search" title="No nodes match">
                  <Button onClick={() => go({ tile: '', region: '', sku: '', q: '' })}>Show all</Button>
                </Empty>
              ) : (
                <Wall nodes={shown} colouring={coloured.colouring} />
              )}
            </div>
          )}
        </Panel>
        <div className="grid gap-6">
          <Attention nodes={nodes.data} />
          <Utilization shares={sharesOf(all)} />
        </div>
      </div>
    </Page>
  );
}

function Counters({ health }: { health: FleetHealth | undefined }) {
  const counters: readonly (readonly [string, number | undefined, boolean])[] = [
    ['Schedulable nodes', health?.schedulable_nodes, false],
    ['Available GPUs', health?.sellable_slots, false],
    ['GPUs in use', health && (health.slots['in_use'] ?? 0), false],
    ['Queued', health?.queued_allocations, false],
    ['Stuck', health?.stuck_allocations, true],
    ['Lost nodes', health?.lost_nodes, true],
  ];
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
      {counters.map(([label, value, alarming]) => (
        <div key={label} className="panel flex flex-col-reverse px-4 py-3">
          <dt className="text-sm text-dim">{label}</dt>
          <dd className={`tabular text-2xl font-semibold ${alarming && value ? 'text-bad' : ''}`}>
            {value === undefined ? <span className="skeleton inline-block h-7 w-10" /> : value.toLocaleString('en')}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Attention({ nodes }: { nodes: readonly FleetNode[] | undefined }) {
  const troubles = troublesOf(nodes ?? []);
  return (
    <Panel title="Needs attention">
      {troubles.length === 0 ? (
        <p className="text-dim">{nodes ? 'No problems.' : 'Loading…'}</p>
      ) : (
        <ul className="grid gap-3">
          {troubles.slice(0, 20).map(({ node, why }) => (
            <li key={`${node.id} ${why}`}>
              <Link
                to="/ops/nodes/$id"
                params={{ id: node.id }}
                className="font-medium text-accent underline-offset-2 hover:underline"
              >
                {node.name}
              </Link>
              <p className="text-sm text-dim">{why}</p>
            </li>
          ))}
          {troubles.length > 20 && <li className="text-sm text-dim">and {troubles.length - 20} more</li>}
        </ul>
      )}
    </Panel>
  );
}

function Utilization({ shares }: { shares: ReturnType<typeof sharesOf> }) {
  if (shares.length === 0) return null;
  return (
    <Panel title="Utilization by SKU">
      <ul className="grid gap-3">
        {shares.map(({ sku, used, offered }) => (
          <li key={sku}>
            <p className="flex justify-between gap-2 text-sm">
              <span className="truncate font-medium">{sku}</span>
              <span className="tabular whitespace-nowrap text-dim">
                {used} of {offered}
              </span>
            </p>
            <meter
              className="sold mt-1 block h-2 w-full"
              min={0}
              max={offered}
              value={used}
              aria-label={`${used} of ${offered} GPUs of ${sku} are in use`}
            />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The legend is the filter: the meaning of a colour, the count, and a click shows only those. */
function Filters({
  search,
  nodes,
  counts,
  onChange,
}: {
  search: WallFilter;
  nodes: readonly FleetNode[];
  counts: ReturnType<typeof countTiles>;
  onChange(next: WallFilter): void;
}) {
  const regions = [...new Set(nodes.map(({ region }) => region))].sort();
  const skus = [...new Set(nodes.map(({ sku }) => sku))].sort();
  return (
    <div className="grid gap-3">
      <fieldset className="flex flex-wrap gap-1.5">
        <legend className="sr-only">Legend. Select a state to filter nodes.</legend>
        {tileWords.map(([tile, word]) => (
          <button
            key={tile}
            type="button"
            aria-pressed={search.tile === tile}
            className={`flex items-center gap-1.5 rounded-full border px-2.5 py-1 text-sm ${search.tile === tile ? 'border-accent bg-accent-soft text-accent' : 'border-edge text-dim hover:border-line hover:text-ink'}`}
            onClick={() => onChange({ tile: search.tile === tile ? '' : tile })}
          >
            <span aria-hidden="true" className={`size-3 rounded-[3px] ${tileLooks[tile]}`} />
            {word}
            <span className="tabular">{counts[tile].toLocaleString('en')}</span>
          </button>
        ))}
      </fieldset>
      <div className="flex flex-wrap gap-2">
        <input
          type="search"
          aria-label="Name of a node"
          placeholder="Name"
          className="field w-40"
          value={search.q ?? ''}
          onChange={(event) => onChange({ q: event.target.value })}
        />
        <Choice
          label="Region"
          all="any region"
          value={search.region}
          choices={regions}
          onChange={(region) => onChange({ region })}
        />
        <Choice label="SKU" all="any SKU" value={search.sku} choices={skus} onChange={(sku) => onChange({ sku })} />
      </div>
    </div>
  );
}

function Choice({
  label,
  all,
  value = '',
  choices,
  onChange,
}: {
  label: string;
  all: string;
  value: string | undefined;
  choices: readonly string[];
  onChange(value: string): void;
}) {
  if (choices.length < 2 && !value) return null;
  return (
    <select
      aria-label={label}
      className="field w-auto"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{all}</option>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

/** What the tiles are coloured by. The legend above is about states; this has one of its own. */
function ColourChoice({ heat, onChange }: { heat: Heat | undefined; onChange(heat: string): void }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
      <label className="flex items-center gap-2 text-dim">
        Colour by
        <select className="field w-auto py-1" value={heat ?? ''} onChange={(event) => onChange(event.target.value)}>
          <option value="">State</option>
          {Object.entries(heats).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {heat && (
        <ul className="flex flex-wrap gap-x-3 gap-y-1 text-dim" aria-label={`Colours of ${heats[heat].label}`}>
          {warmthWords(heat).map(([warmth, words]) => (
            <li key={warmth} className="flex items-center gap-1.5">
              <span aria-hidden="true" className={`size-3 rounded-[3px] ${warmthLooks[warmth]}`} />
              {words}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
