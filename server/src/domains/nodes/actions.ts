import {
  type NodeAction,
  type NodeAlert,
  nodeActions,
  nodeMachine,
  type SlotAction,
  slotMachine,
} from '@gpuaas/contract';

interface ActionableNode {
  readonly state: string;
  readonly schedulable: boolean;
  readonly cordon_reason: string | null;
  readonly slots: Readonly<Record<string, number>>;
  readonly alerts: readonly Pick<NodeAlert, 'effect' | 'message' | 'since' | 'allocation_id'>[];
  readonly updated_at: Date;
  readonly probed_at: Date | null;
}
type Name = (typeof nodeActions)[number];
type Why = string | null;

/** States in which an agent listens: a probe that nobody fetches expires by itself. */
const listening: ReadonlySet<string> = new Set(['enrolling', 'active', 'quarantined', 'draining', 'retired']);
/** Moves that an alert which blocks transitions does not stop: they only take trust away. */
const always: ReadonlySet<Name> = new Set(['quarantine', 'cordon', 'probe']);
export const needsProbe = (since: Date): string =>
  `Probe it first: a health probe has to pass that is newer than ${since.toISOString()}.`;

/** What can be done with a node now, and why the rest cannot: the same rules that the operations go by. */
export const nodeActionsOf = (node: ActionableNode): NodeAction[] =>
  nodeActions.map((action) => {
    const why_not = whyNotNode(node, action);
    return { action, allowed: why_not === null, why_not };
  });

function whyNotNode(node: ActionableNode, action: Name): Why {
  const blocking = node.alerts.find(({ effect }) => effect === 'blocks_transition');
  const whyNot = rules[action](node);
  if (whyNot !== null || !blocking || always.has(action)) return whyNot;
  return `An alert blocks it: ${blocking.message}`;
}

const edges = nodeMachine.states as Readonly<Record<string, Readonly<Record<string, string>>>>;
const along =
  (transition: string) =>
  ({ state }: ActionableNode): Why =>
    edges[state]?.[transition] === undefined ? `It is ${state}, which does not allow this.` : null;
const count = (node: ActionableNode, ...states: string[]): number =>
  states.reduce((sum, state) => sum + (node.slots[state] ?? 0), 0);
const unlessBusy = (node: ActionableNode): Why =>
  count(node, 'reserved', 'in_use', 'cleaning') > 0 ? 'It still serves allocations: drain it first.' : null;
const publishing =
  (action: 'publish' | 'uncordon') =>
  (node: ActionableNode): Why => {
    if (node.state !== 'active') return `It is ${node.state}: only an active host takes work.`;
    if (node.schedulable) return 'It takes work already.';
    const isCordoned = node.cordon_reason !== null;
    if (action === 'uncordon' && !isCordoned) return 'It is not cordoned: publish it.';
    if (action === 'publish' && isCordoned) return 'It is cordoned: uncordon it.';
    const offered = count(node, 'available', 'reserved', 'in_use', 'cleaning');
    return offered === 0 ? 'No slot of it is approved and enabled.' : null;
  };

/** From when on a probe of the node counts: after it was put aside, and after what was found since. */
export function probeFrom({ updated_at, alerts }: Pick<ActionableNode, 'updated_at' | 'alerts'>): Date {
  const found = alerts.filter(({ effect, allocation_id }) => effect === 'blocks_sale' && allocation_id === null);
  return new Date(Math.max(updated_at.getTime(), ...found.map(({ since }) => Date.parse(since))));
}

const rules: Readonly<Record<Name, (node: ActionableNode) => Why>> = {
  publish: publishing('publish'),
  uncordon: publishing('uncordon'),
  cordon: ({ state, schedulable }) =>
    schedulable ? null : state === 'active' ? 'It takes no work already.' : `It is ${state}, and takes no work.`,
  drain: along('drain'),
  resume: along('resume'),
  quarantine: along('quarantine'),
  clear: (node) => {
    const from = probeFrom(node);
    return along('clear')(node) ?? (node.probed_at && node.probed_at > from ? null : needsProbe(from));
  },
  retire: (node) => along('retire')(node) ?? unlessBusy(node),
  readmit: along('readmit'),
  reimage: (node) =>
    node.state === 'quarantined' || node.state === 'retired'
      ? unlessBusy(node)
      : `It is ${node.state}: drain, retire or quarantine it first.`,
  remove: (node) => along('remove')(node) ?? unlessBusy(node),
  probe: ({ state }) => (listening.has(state) ? null : `It is ${state}, and would not answer.`),
};

interface ActionableSlot {
  readonly state: string;
  readonly updated_at: Date;
  readonly probed_at: Date | null;
  readonly alerted_at: Date | null;
}
const slotEdges = slotMachine.states as Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The same for one slot. What somebody holds is released first, whatever its table allows. */
export const slotActionsOf = (slot: ActionableSlot): SlotAction[] =>
  (['enable', 'disable', 'quarantine', 'clear'] as const).map((action) => {
    const why_not = whyNotSlot(slot, action);
    return { action, allowed: why_not === null, why_not };
  });

function whyNotSlot(slot: ActionableSlot, action: SlotAction['action']): Why {
  if (['reserved', 'in_use', 'cleaning'].includes(slot.state))
    return `It is ${slot.state}: release what is there first.`;
  if (slotEdges[slot.state]?.[action] === undefined) return `It is ${slot.state}, which does not allow this.`;
  return action === 'clear' ? whyNoClear(slot) : null;
}

/** Why a slot may not be cleared yet, as far as proof of its health goes. */
export function whyNoClear({ updated_at, alerted_at, probed_at }: ActionableSlot): Why {
  const from = new Date(Math.max(updated_at.getTime(), alerted_at?.getTime() ?? 0));
  return probed_at && probed_at > from ? null : needsProbe(from);
}
