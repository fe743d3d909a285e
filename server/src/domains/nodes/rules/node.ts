import { type NodeAction, type NodeAlert, nodeActions, nodeMachine } from '@gpuaas/contract';
import { Fault } from '../../../kernel/fault.ts';
import { allocationsNamed } from '../facts.ts';
import { needsProbe } from './proof.ts';

/**
 * What an operator may do with a node. The list of actions that a node is shown with and the routes that do them ask the
 * same function, so a button that is offered works, and one that is not offered has no back door.
 */
export interface ActionableNode {
  readonly state: string;
  readonly schedulable: boolean;
  readonly simulated: boolean | null;
  readonly cordon_reason: string | null;
  readonly slots: Readonly<Record<string, number>>;
  readonly alerts: readonly Pick<NodeAlert, 'effect' | 'message' | 'since' | 'allocation_id'>[];
  readonly updated_at: Date;
  readonly probed_at: Date | null;
  /** Whether a reimage task was sent and has not ended. */
  readonly imaging: boolean;
  /** Allocations that it still serves, or is cleaning up after. */
  readonly busy: readonly string[];
  /** Claims on its slots that were not given back. */
  readonly claims: number;
  /** Images that are offered for its kind and that it does not have. */
  readonly lacked_images: readonly string[];
  /** Whether it is sold in slices and says that it cannot make them. */
  readonly lacks_slices: boolean;
}
/** What the policies say. */
export interface Allowed {
  readonly simulated: boolean;
}
type Name = (typeof nodeActions)[number];
interface Codes {
  readonly publish: 'illegal_transition' | 'node_not_ready';
  readonly uncordon: 'illegal_transition' | 'node_not_ready';
  readonly cordon: 'illegal_transition';
  readonly drain: 'illegal_transition';
  readonly resume: 'illegal_transition';
  readonly quarantine: 'illegal_transition';
  readonly clear: 'illegal_transition' | 'probe_required';
  readonly readmit: 'illegal_transition' | 'probe_required';
  readonly retire: 'illegal_transition' | 'node_in_use';
  readonly remove: 'illegal_transition' | 'node_in_use';
  readonly reimage: 'illegal_transition' | 'node_in_use';
  readonly probe: 'node_offline';
}
type Refusal<A extends Name> = Fault<Codes[A]> | undefined;

/** States in which an agent listens: a probe that nobody fetches expires by itself. */
const listening: ReadonlySet<string> = new Set(['enrolling', 'active', 'quarantined', 'draining', 'retired']);
/** Moves that an alert which blocks transitions does not stop: they only take trust away. */
const always: ReadonlySet<Name> = new Set(['quarantine', 'cordon', 'probe']);

/** Why a node cannot be asked for anything now. */
export const refuseToAsk = ({ state }: Pick<ActionableNode, 'state'>): Fault<'node_offline'> | undefined =>
  listening.has(state) ? undefined : new Fault('node_offline', `It is ${state}, and would not answer.`, { state });

/** Why this cannot be done with the node now; undefined when it can. */
export function refuseNode<A extends Name>(node: ActionableNode, action: A, allowed: Allowed): Refusal<A> {
  const rule = rules[action] as (node: ActionableNode, allowed: Allowed) => Refusal<A>;
  return rule(node, allowed) ?? (always.has(action) ? undefined : (blockedByAlert(node) as Refusal<A>));
}
export const nodeActionsOf = (node: ActionableNode, allowed: Allowed): NodeAction[] =>
  nodeActions.map((action) => {
    const refused = refuseNode(node, action, allowed);
    return { action, allowed: refused === undefined, why_not: refused?.message ?? null };
  });

const illegal = ({ state }: ActionableNode, why: string) => new Fault('illegal_transition', why, { state });
function blockedByAlert(node: ActionableNode): Fault<'illegal_transition'> | undefined {
  const blocking = node.alerts.find(
    ({ effect, allocation_id }) => effect === 'blocks_transition' && allocation_id === null,
  );
  return blocking && illegal(node, `An alert blocks it: ${blocking.message}`);
}

const edges = nodeMachine.states as Readonly<Record<string, Readonly<Record<string, string>>>>;
const along =
  (transition: string) =>
  (node: ActionableNode): Fault<'illegal_transition'> | undefined =>
    edges[node.state]?.[transition] === undefined
      ? illegal(node, `It is ${node.state}, which does not allow this.`)
      : undefined;
const unlessBusy = ({ busy }: ActionableNode): Fault<'node_in_use'> | undefined =>
  busy.length === 0
    ? undefined
    : new Fault('node_in_use', `It still serves ${busy.length} allocations: drain it first.`, {
        allocations: busy.slice(0, allocationsNamed),
        count: busy.length,
      });
const count = (node: ActionableNode, ...states: string[]): number =>
  states.reduce((sum, state) => sum + (node.slots[state] ?? 0), 0);

const publishing =
  (action: 'publish' | 'uncordon') =>
  (node: ActionableNode, allowed: Allowed): Fault<'illegal_transition' | 'node_not_ready'> | undefined => {
    if (node.schedulable && node.state === 'active') return illegal(node, 'It takes work already.');
    const isCordoned = node.cordon_reason !== null;
    if (action === 'uncordon' && !isCordoned) return illegal(node, 'It is not cordoned: publish it.');
    if (action === 'publish' && isCordoned) return illegal(node, 'It is cordoned: uncordon it.');
    const missing = whatIsMissing(node, allowed);
    return missing.length === 0 ? undefined : new Fault('node_not_ready', missing.join(' '), { missing });
  };
/** What keeps a node from taking work, in sentences. */
const whatIsMissing = (node: ActionableNode, allowed: Allowed): string[] => [
  ...(node.state === 'active' ? [] : [`The node is ${node.state}, not active.`]),
  ...(count(node, 'available', 'reserved', 'in_use', 'cleaning') > 0 ? [] : ['No slot of it is approved and enabled.']),
  ...(node.simulated && !allowed.simulated
    ? ['The host is simulated, and the policy node.simulated_allowed does not allow such hosts here.']
    : []),
  ...(node.lacks_slices
    ? ['The host cannot make slices, and its SKU is sold in slices. Its discovery says what is missing.']
    : []),
  ...(node.lacked_images.length > 0
    ? [`It does not have the images ${node.lacked_images.join(', ')} as they are offered.`]
    : []),
];

/** Comes back into service only on a probe that is newer than what put it aside, and not while it is imaged. */
const returning =
  (transition: 'clear' | 'readmit') =>
  (node: ActionableNode): Fault<'illegal_transition' | 'probe_required'> | undefined => {
    const wrong = along(transition)(node);
    if (wrong) return wrong;
    // The wipe would reach whatever is placed there meanwhile.
    if (node.imaging) return illegal(node, 'It is being imaged again: wait until that has ended.');
    const from = probeFrom(node);
    if (node.probed_at && node.probed_at > from) return undefined;
    return new Fault('probe_required', needsProbe(from), { newer_than: from.toISOString() });
  };
/** From when on a probe of the node counts: after it was put aside, and after what was found since. */
function probeFrom({ updated_at, alerts }: Pick<ActionableNode, 'updated_at' | 'alerts'>): Date {
  const found = alerts.filter(({ effect, allocation_id }) => effect === 'blocks_sale' && allocation_id === null);
  return new Date(Math.max(updated_at.getTime(), ...found.map(({ since }) => Date.parse(since))));
}

export const mayBeReimaged = ({ state }: { readonly state: string }): boolean =>
  state === 'quarantined' || state === 'retired';
function reimaging(node: ActionableNode): Fault<'illegal_transition' | 'node_in_use'> | undefined {
  if (!mayBeReimaged(node)) return illegal(node, `It is ${node.state}: drain, retire or quarantine it first.`);
  if (node.imaging) return illegal(node, 'It is being imaged again already.');
  const held = sayHeld({ allocations: node.busy.length, claims: node.claims, slots: node.slots });
  return held.length === 0 ? undefined : new Fault('node_in_use', held.join(' '), { held });
}
/** States of a slot in which something of a tenant may be on it. */
export const unclean = ['reserved', 'in_use', 'cleaning', 'cleanup_blocked'] as const;
/** What a node still holds, in sentences; none when there is nothing that anybody could miss. */
export const sayHeld = (held: {
  readonly allocations: number;
  readonly claims: number;
  readonly slots: Readonly<Record<string, number>>;
}): string[] => [
  ...(held.allocations > 0 ? [`${held.allocations} allocations have not ended.`] : []),
  ...(held.claims > 0 ? [`${held.claims} claims on its slots were not given back.`] : []),
  ...unclean.flatMap((state) => (held.slots[state] ? [`${held.slots[state]} slots are ${state}.`] : [])),
];

const rules: { readonly [A in Name]: (node: ActionableNode, allowed: Allowed) => Refusal<A> } = {
  publish: publishing('publish'),
  uncordon: publishing('uncordon'),
  cordon: (node) =>
    node.schedulable
      ? undefined
      : illegal(
          node,
          node.state === 'active' ? 'It takes no work already.' : `It is ${node.state}, and takes no work.`,
        ),
  drain: along('drain'),
  resume: along('resume'),
  quarantine: along('quarantine'),
  clear: returning('clear'),
  readmit: returning('readmit'),
  retire: (node) => along('retire')(node) ?? unlessBusy(node),
  reimage: reimaging,
  remove: (node) => along('remove')(node) ?? unlessBusy(node),
  probe: refuseToAsk,
};
