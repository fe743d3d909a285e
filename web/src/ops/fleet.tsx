import type { FleetNode } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { ButtonLink } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { counted } from '../words/sizes.ts';
import { type Tile, tilesOf, troublesOf } from '../words/wall.ts';

const tileLooks: Readonly<Record<Tile, string>> = {
  free: 'bg-ok/70',
  used: 'bg-accent',
  moving: 'bg-warn/70',
  trouble: 'bg-bad',
  off: 'border border-line/50 bg-sunk',
};
const tileWords: readonly (readonly [Tile, string])[] = [
  ['used', 'in use'],
  ['free', 'free'],
  ['moving', 'changing hands'],
  ['trouble', 'needs somebody'],
  ['off', 'not offered'],
];
const everyMs = 5_000;
const mostNodes = 2_000;

/** Every GPU of the fleet at a glance, and what has to be looked at. */
export function FleetPage() {
  const health = useAsk(['fleet', 'health'], (options) => api.adminOps.fleetHealth(options), { everyMs });
  const nodes = useAsk(
    ['nodes', 'wall'],
    async (options) => {
      const all: FleetNode[] = [];
      for await (const node of api.adminNodes.list({ limit: 200 }, options)) {
        if (node.state !== 'deleted') all.push(node);
        if (all.length >= mostNodes) break;
      }
      return all;
    },
    { everyMs },
  );
  const troubles = troublesOf(nodes.data ?? []);
  const counters: readonly (readonly [string, number | undefined, boolean])[] = [
    ['Nodes at work', health.data?.schedulable_nodes, false],
    ['Slots free', health.data && (health.data.slots['available'] ?? 0), false],
    ['Slots in use', health.data && (health.data.slots['in_use'] ?? 0), false],
    ['Waiting in line', health.data?.queued_allocations, false],
    ['Stuck', health.data?.stuck_allocations, true],
    ['Lost nodes', health.data?.lost_nodes, true],
  ];
  return (
    <Page
      title="Fleet"
      lead="Every GPU as one tile. A node is a row; click it to look closer."
      actions={
        <ButtonLink look="primary" icon="plus" to="/ops/enrol">
          Enrol a node
        </ButtonLink>
      }
      shown={{ operation: 'fleet_health' }}
    >
      {health.error && <Problem error={health.error} again={() => void health.refetch()} />}
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
      <div className="grid items-start gap-6 lg:grid-cols-[1fr_20rem]">
        <Panel
          title="Wall"
          aside={
            <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-dim">
              {tileWords.map(([tile, word]) => (
                <li key={tile} className="flex items-center gap-1.5">
                  <span aria-hidden="true" className={`size-3 rounded-[3px] ${tileLooks[tile]}`} />
                  {word}
                </li>
              ))}
            </ul>
          }
        >
          {nodes.error && !nodes.data ? (
            <Problem error={nodes.error} again={() => void nodes.refetch()} />
          ) : !nodes.data ? (
            <Loading rows={4} />
          ) : nodes.data.length === 0 ? (
            <Empty icon="server" title="There are no nodes">
              <p>Enrol the first one; it takes a minute.</p>
              <ButtonLink look="primary" to="/ops/enrol">
                Enrol a node
              </ButtonLink>
            </Empty>
          ) : (
            <ul className="grid gap-x-6 gap-y-2 xl:grid-cols-2">
              {nodes.data.map((node) => (
                <WallRow key={node.id} node={node} />
              ))}
            </ul>
          )}
        </Panel>
        <Panel title="Needs somebody">
          {troubles.length === 0 ? (
            <p className="text-dim">{nodes.data ? 'Nothing. All is well.' : 'Looking.'}</p>
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
            </ul>
          )}
        </Panel>
      </div>
    </Page>
  );
}

function WallRow({ node }: { node: FleetNode }) {
  const tiles = tilesOf(node);
  const said = tileWords
    .map(([tile, word]) => [tiles.filter((each) => each === tile).length, word] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
  return (
    <li>
      <Link
        to="/ops/nodes/$id"
        params={{ id: node.id }}
        className="flex items-center gap-3 rounded-lg px-2 py-1.5 hover:bg-sunk"
      >
        <span className="w-26 shrink-0 sm:w-36">
          <span className="block truncate font-medium">{node.name}</span>
          <span className="block truncate text-xs text-dim">{node.sku}</span>
        </span>
        <span aria-hidden="true" className="flex grow flex-wrap gap-1">
          {tiles.map((tile, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tiles of one node differ by nothing but their place
            <span key={index} className={`size-4 rounded-[4px] ${tileLooks[tile]}`} />
          ))}
        </span>
        <span className="sr-only">{`${counted(tiles.length, 'GPU')}: ${said}`}</span>
        {node.state !== 'active' && <StateChip state={node.state} />}
      </Link>
    </li>
  );
}
