import type { FleetNode, NodeNow } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { StateChip } from '../parts/chip.tsx';
import { type Heat, heats, tellValues, type Warmth, warmthOf } from '../words/charts/measures.ts';
import { placesOf, type Tile, tilesOf, tileWords } from '../words/ops/wall.ts';
import { counted } from '../words/sizes.ts';

export const tileLooks: Readonly<Record<Tile, string>> = {
  free: 'bg-ok/70',
  used: 'bg-accent',
  moving: 'bg-warn/70',
  trouble: 'bg-bad',
  off: 'border border-line/50 bg-sunk',
};
/** From cool to warm, in one colour: also those who see no red or green tell the steps apart. */
export const warmthLooks: Readonly<Record<Warmth, string>> = {
  0: 'border border-accent/40 bg-accent/10',
  1: 'bg-accent/30',
  2: 'bg-accent/50',
  3: 'bg-accent/75',
  4: 'bg-accent',
};
const unmeasured = 'border border-dashed border-line/60';
/** What the tiles are coloured by instead of the state, and the last values of the nodes. */
export interface Colouring {
  readonly heat: Heat;
  readonly nodes: ReadonlyMap<string, NodeNow>;
}
const rowHeight = 48;
const leastWidth = 300;

/**
 * Every GPU as a tile, node by node. Only the visible rows and the last focused node are in the document, so a large
 * fleet scrolls like a short list and Tab always finds an entry. Arrow keys move between nodes, Enter opens one; a
 * screen reader announces position and total.
 */
export function Wall({ nodes, colouring }: { nodes: readonly FleetNode[]; colouring?: Colouring | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, width: 900 });
  const [at, setAt] = useState(0);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    let frame = 0;
    const look = () => {
      frame = 0;
      setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    };
    // At most one update per frame, however many wheel events arrive.
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    const observer = new ResizeObserver(soon);
    observer.observe(element);
    element.addEventListener('scroll', soon, { passive: true });
    look();
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', soon);
      cancelAnimationFrame(frame);
    };
  }, []);

  const columns = Math.max(1, Math.floor(view.width / leastWidth));
  const current = Math.min(at, nodes.length - 1);
  const places = placesOf({ count: nodes.length, columns, rowHeight, top: view.top, height: view.height, current });

  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: columns,
      ArrowUp: -columns,
      PageDown: columns * Math.max(1, Math.floor(view.height / rowHeight)),
      PageUp: -columns * Math.max(1, Math.floor(view.height / rowHeight)),
      Home: -nodes.length,
      End: nodes.length,
    };
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(nodes.length - 1, current + step));
    const element = box.current;
    if (!element) return;
    // The focus target is always in the document, so it can be focused after this render; a pending scroll does not
    // take the focus away.
    flushSync(() => setAt(next));
    element.querySelector<HTMLElement>(`[data-at="${next}"]`)?.focus({ preventScroll: true });
    const top = Math.floor(next / columns) * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys are heard here for the links inside
    <div ref={box} className="max-h-[70vh] overflow-y-auto overscroll-contain" onKeyDown={onKeyDown}>
      <ul
        className="relative"
        style={{ height: Math.ceil(nodes.length / columns) * rowHeight }}
        aria-label={`${counted(nodes.length, 'node')}; arrow keys go from one to the next`}
      >
        {places.map((place) => {
          const node = nodes[place];
          if (!node) return null;
          return (
            <li
              key={node.id}
              aria-setsize={nodes.length}
              aria-posinset={place + 1}
              className="absolute"
              style={{
                top: Math.floor(place / columns) * rowHeight,
                left: `${((place % columns) * 100) / columns}%`,
                width: `${100 / columns}%`,
                height: rowHeight,
              }}
            >
              <WallNode
                node={node}
                shown={colouring ? measuredTiles(node, colouring) : stateTiles(node)}
                place={place}
                isCurrent={place === current}
                onFocus={() => setAt(place)}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface Shown {
  /** The look of each tile. */
  readonly looks: readonly string[];
  readonly says: string;
}
function stateTiles(node: FleetNode): Shown {
  const tiles = tilesOf(node);
  const says = tileWords
    .map(([tile, word]) => [tiles.filter((each) => each === tile).length, word] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
  return { looks: tiles.map((tile) => tileLooks[tile]), says };
}
/** The GPUs in their own order. A node without values says why. */
function measuredTiles({ id, gpus_total }: FleetNode, { heat, nodes }: Colouring): Shown {
  const now = nodes.get(id);
  const values = now?.latest?.gpu[heat] ?? [];
  const looks = Array.from({ length: Math.max(gpus_total, values.length) }, (_, gpu) => {
    const value = values[gpu] ?? null;
    return value === null ? unmeasured : warmthLooks[warmthOf(value, heat)];
  });
  const why = now?.unavailable ?? now?.latest?.unavailable ?? 'not measured';
  return { looks, says: values.length > 0 ? tellValues(values, heats[heat].unit) : why };
}

function WallNode({
  node,
  shown,
  place,
  isCurrent,
  onFocus,
}: {
  node: FleetNode;
  shown: Shown;
  place: number;
  isCurrent: boolean;
  onFocus(): void;
}) {
  const { looks, says } = shown;
  return (
    <Link
      to="/ops/nodes/$id"
      params={{ id: node.id }}
      preload={false}
      data-at={place}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      title={`${node.name}, ${node.sku} in ${node.region}: ${says}`}
      className="flex h-full items-center gap-3 rounded-lg px-2 hover:bg-sunk"
    >
      <span className="w-28 shrink-0">
        <span className="block truncate font-medium">{node.name}</span>
        <span className="block truncate text-xs text-dim">{node.sku}</span>
      </span>
      <span aria-hidden="true" className={`flex grow flex-wrap gap-1 ${node.state === 'offline' ? 'hatched' : ''}`}>
        {looks.map((look, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: tiles of one node differ by nothing but their place
          <span key={index} className={`size-3.5 rounded-[4px] ${look}`} />
        ))}
      </span>
      <span className="sr-only">{`${counted(looks.length, 'GPU')}: ${says}`}</span>
      {node.state !== 'active' && <StateChip state={node.state} />}
    </Link>
  );
}
