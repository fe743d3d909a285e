import type { ResourceSlot } from '@gpuaas/sdk';
/** The fleet as tiles: one per GPU, problems first. */
export interface WallNode {
  readonly gpus_total: number;
  readonly state: string;
  readonly slots: Readonly<Record<string, number>>;
  /** Free slots that may be sold now: healthy, on a host that takes work. */
  readonly sellable_slots: number;
  readonly alerts: readonly { readonly effect: string; readonly message: string; readonly slot_index: number | null }[];
}
export type Tile = 'free' | 'used' | 'moving' | 'trouble' | 'off';

/** The legend, in the order in which a row is said. */
export const tileWords: readonly (readonly [Tile, string])[] = [
  ['used', 'in use'],
  ['free', 'free'],
  ['moving', 'in transition'],
  ['trouble', 'needs attention'],
  ['off', 'not offered'],
];

type SlotState = ResourceSlot['state'];
const tileOf: Readonly<Record<SlotState, Tile>> = {
  available: 'free',
  in_use: 'used',
  reserved: 'moving',
  cleaning: 'moving',
  cleanup_blocked: 'trouble',
  quarantined: 'trouble',
  disabled: 'off',
};
const order: readonly Tile[] = ['trouble', 'used', 'moving', 'free', 'off'];

/** Slots that an alert takes off sale, as far as alerts name slots. */
const brokenSlots = (alerts: WallNode['alerts']): number =>
  new Set(alerts.flatMap(({ effect, slot_index }) => (effect === 'blocks_sale' ? (slot_index ?? []) : []))).size;

export function tilesOf({ gpus_total, slots, sellable_slots, state: host, alerts }: WallNode): Tile[] {
  const isAllTrouble =
    host === 'quarantined' ||
    host === 'offline' ||
    alerts.some(({ effect, slot_index }) => effect === 'blocks_sale' && slot_index === null);
  // Free slots that may not be sold: all need attention, or they are only not offered, as on a cordoned host.
  const held: Tile = isAllTrouble ? 'trouble' : 'off';
  const tiles = Object.entries(slots).flatMap(([state, count]) =>
    Array.from(
      { length: count },
      (_, index): Tile => (state === 'available' && index >= sellable_slots ? held : tileOf[state as SlotState]),
    ),
  );
  // GPUs that were announced and have no slot yet are shown as not offered.
  const missing = Math.max(0, gpus_total - tiles.length);
  tiles.push(...Array.from({ length: missing }, (): Tile => 'off'));
  markBroken(tiles, brokenSlots(alerts) - tiles.filter((tile) => tile === 'trouble').length);
  return tiles.sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

/** A broken GPU needs attention whatever its slot does: free ones that are held back first, then those in use. */
function markBroken(tiles: Tile[], count: number): void {
  let left = count;
  for (const victim of ['off', 'used', 'moving', 'free'] as const) {
    for (let at = 0; left > 0 && at < tiles.length; at += 1) {
      if (tiles[at] !== victim) continue;
      tiles[at] = 'trouble';
      left -= 1;
    }
  }
}

export type SlotHost = Pick<WallNode, 'state' | 'alerts'> & { readonly schedulable: boolean };
/** The state whose colour a slot of a node has: a free slot is green only where it may be sold. */
export function lookOfSlot(
  slot: Pick<ResourceSlot, 'slot_index' | 'state' | 'health_state'>,
  host: SlotHost,
): SlotState {
  const isBroken = host.alerts.some(
    ({ effect, slot_index }) => effect === 'blocks_sale' && slot_index === slot.slot_index,
  );
  if (isBroken) return 'quarantined';
  if (slot.state !== 'available') return slot.state;
  const isBlocked = host.alerts.some(({ effect, slot_index }) => effect === 'blocks_sale' && slot_index === null);
  if (host.state === 'quarantined' || host.state === 'offline' || isBlocked) return 'quarantined';
  return host.state === 'active' && host.schedulable && slot.health_state === 'healthy' ? 'available' : 'disabled';
}

/** The message of an alert with its slot, which a message may name already: `Xid79: Slot 0: xid_79.` */
export const tellAlert = (alert: { readonly message: string; readonly slot_index: number | null }): string => {
  const said = alert.message.replace(/^(Xid ?(\d+)): (.*?)xid[ _]?\2\.?$/i, '$3$1').trim();
  return alert.slot_index === null || /\bslots? \d/i.test(said) ? said : `slot ${alert.slot_index}: ${said}`;
};

export interface Trouble {
  readonly node: { readonly id: string; readonly name: string };
  readonly why: string;
  readonly urgency: number;
}
/** Alerts, the worst first. */
export function troublesOf(
  nodes: readonly (WallNode & {
    readonly id: string;
    readonly name: string;
    readonly state_reason: string | null;
    readonly cordon_reason: string | null;
  })[],
): Trouble[] {
  return nodes
    .flatMap((node): Trouble[] => {
      const found: Trouble[] = [];
      const reason = node.state_reason ? `: ${node.state_reason}` : '';
      if (node.state === 'offline') found.push({ node, why: `no reports received${reason}`, urgency: 4 });
      if (node.state === 'quarantined') found.push({ node, why: `quarantined${reason}`, urgency: 3 });
      for (const { effect, message, slot_index } of node.alerts) {
        found.push({ node, why: tellAlert({ message, slot_index }), urgency: effect === 'informs' ? 1 : 3 });
      }
      const blocked = (node.slots['cleanup_blocked'] ?? 0) + (node.slots['quarantined'] ?? 0);
      if (blocked > 0)
        found.push({ node, why: `${blocked} ${blocked === 1 ? 'slot needs' : 'slots need'} attention`, urgency: 2 });
      if (node.state === 'draining') found.push({ node, why: 'draining', urgency: 1 });
      if (node.cordon_reason) found.push({ node, why: `cordoned: ${node.cordon_reason}`, urgency: 0 });
      return found;
    })
    .sort((a, b) => b.urgency - a.urgency);
}

/**
 * The nodes to render: the visible ones with a few rows on both sides, so that fast scrolling shows no gap, and the
 * focused one, so that scrolling does not lose the focus.
 */
export function placesOf(view: {
  readonly count: number;
  readonly columns: number;
  readonly rowHeight: number;
  readonly top: number;
  readonly height: number;
  readonly current: number;
}): number[] {
  const spareRows = 6;
  const first = Math.max(0, Math.floor(view.top / view.rowHeight) - spareRows);
  const last = Math.ceil((view.top + view.height) / view.rowHeight) + spareRows;
  const [from, to] = [Math.min(view.count, first * view.columns), Math.min(view.count, last * view.columns)];
  const inSight = Array.from({ length: to - from }, (_, index) => from + index);
  const { current } = view;
  if (current < 0 || (current >= from && current < to)) return inSight;
  return current < from ? [current, ...inSight] : [...inSight, current];
}

export interface WallFilter {
  readonly tile?: string | undefined;
  readonly region?: string | undefined;
  readonly sku?: string | undefined;
  readonly q?: string | undefined;
}
/** The nodes that match a filter: at least one such tile, region, SKU, and part of the name. */
export function filterWall<
  N extends WallNode & { readonly name: string; readonly region: string; readonly sku: string },
>(nodes: readonly N[], { tile, region, sku, q }: WallFilter): N[] {
  const word = q?.trim().toLowerCase();
  return nodes.filter(
    (node) =>
      (!region || node.region === region) &&
      (!sku || node.sku === sku) &&
      (!word || node.name.toLowerCase().includes(word)) &&
      (!tile || tilesOf(node).some((each) => each === tile)),
  );
}
export interface SkuShare {
  readonly sku: string;
  readonly used: number;
  readonly offered: number;
}
/** The share of each SKU that is sold; the scarcest first. */
export function sharesOf(nodes: readonly (WallNode & { readonly sku: string })[]): SkuShare[] {
  const shares = new Map<string, { used: number; offered: number }>();
  for (const node of nodes) {
    const share = shares.get(node.sku) ?? { used: 0, offered: 0 };
    for (const tile of tilesOf(node)) {
      if (tile === 'used' || tile === 'moving') share.used += 1;
      if (tile !== 'off') share.offered += 1;
    }
    shares.set(node.sku, share);
  }
  return [...shares]
    .map(([sku, share]) => ({ sku, ...share }))
    .filter(({ offered }) => offered > 0)
    .sort((a, b) => b.used / b.offered - a.used / a.offered || a.sku.localeCompare(b.sku));
}
/** The number of GPUs of the whole fleet in each state. */
export function countTiles(nodes: readonly WallNode[]): Readonly<Record<Tile, number>> {
  const counts: Record<Tile, number> = { free: 0, used: 0, moving: 0, trouble: 0, off: 0 };
  for (const node of nodes) for (const tile of tilesOf(node)) counts[tile] += 1;
  return counts;
}
