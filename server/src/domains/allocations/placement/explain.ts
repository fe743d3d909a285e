import type { Change, Decision, Verdict } from './decide.ts';
import { type Constraint, lastResort } from './model.ts';

/** What a tenant may know of a decision: counts and reasons, but not which hosts there are or who rents them. */
export interface RedactedDecision {
  readonly outcome: Decision['outcome'];
  readonly considered: number;
  readonly feasible: number;
  readonly reasons: readonly {
    readonly constraint: Constraint | typeof lastResort;
    readonly nodes: number;
    readonly message: string;
  }[];
  readonly nearest_miss: { readonly constraint: Constraint; readonly message: string } | null;
  readonly would_fit: Decision['would_fit'];
  readonly chosen: { readonly gpus: number; readonly numa_groups: number; readonly image_cached: boolean } | null;
}

const missing: Readonly<Record<Constraint, string>> = {
  region: 'in another region',
  sku: 'of another SKU',
  node_state: 'not in service',
  schedulable: 'closed to new work',
  reporting: 'not answering',
  image_cached: 'without the image',
  slot_healthy: 'without enough healthy GPUs',
  slot_free: 'without enough free GPUs',
  fabric: 'without fabric for each GPU',
  nvme: 'without a disk for each GPU',
  single_node: 'too small',
  single_numa: 'with enough free GPUs, but not in one NUMA group',
  kept: 'kept for requests that have waited longer',
};
const plural = (nodes: number): string => (nodes === 1 ? '1 host is' : `${nodes} hosts are`);

export function redact(decision: Decision): RedactedDecision {
  const { nearest_miss: near, chosen } = decision;
  return {
    outcome: decision.outcome,
    considered: decision.considered,
    feasible: decision.feasible,
    reasons: [
      ...decision.reasons.map(({ constraint, nodes }) => ({
        ...{ constraint, nodes },
        message: `${plural(nodes)} ${missing[constraint]}.`,
      })),
      ...sayLastResort(decision),
    ],
    nearest_miss: near && { constraint: near.constraint, message: describeMiss(near) },
    would_fit: decision.would_fit,
    chosen: chosen && {
      gpus: chosen.slot_ids.length,
      numa_groups: chosen.numa_nodes.length,
      image_cached: chosen.image_cached,
    },
  };
}

/** Hosts that fit and come last. Older decisions do not have them. */
function sayLastResort({ chosen, last_resort: nodes = 0 }: Decision): RedactedDecision['reasons'] {
  if (nodes === 0 || !chosen) return [];
  const message =
    chosen.launch_failed_at === undefined
      ? `${plural(nodes)} avoided while others fit: a launch failed there recently.`
      : 'A launch failed recently on the host that was chosen; no other host fits.';
  return [{ constraint: lastResort, nodes, message }];
}

function describeMiss({ constraint, ...miss }: Verdict & { constraint: Constraint }): string {
  const counted = 'need' in miss && typeof miss.need === 'number' ? `: ${miss.need} needed, ${miss.have} there` : '';
  return `The nearest host is ${missing[constraint]}${counted}.`;
}

/** What is said of hosts that failed at one of these; the first line that applies. */
const whys: readonly (readonly [readonly Constraint[], string])[] = [
  [['kept'], 'is kept for requests that have waited longer'],
  [['single_numa', 'single_node'], 'is not available on one host'],
  [['slot_free'], 'is not available now'],
  [
    ['slot_healthy', 'fabric', 'nvme', 'image_cached', 'reporting', 'schedulable', 'node_state'],
    'has hosts, but none is ready',
  ],
];

/** One sentence for the person who was refused, with what they could request instead. A queued request is in the queue. */
export function sayWhy(decision: Decision, { isQueued = false } = {}): string {
  const { request, reasons } = decision;
  const changes = decision.would_fit.filter(({ change }) => !(isQueued && change === 'wait'));
  const [, why] = whys.find(([wanted]) => reasons.some(({ constraint }) => wanted.includes(constraint))) ?? [];
  const instead = changes.map(sayChange);
  const what =
    why === undefined
      ? `There is no ${request.sku} capacity in ${request.region}`
      : `${request.gpus} × ${request.sku} in ${request.region} ${why}`;
  return `${what}${instead.length > 0 ? `; ${instead.join(', ')}` : ''}.`;
}

function sayChange(each: Change): string {
  switch (each.change) {
    case 'fewer_gpus':
      return `${each.gpus} available now`;
    case 'other_region':
      return `${each.region} has it`;
    case 'other_sku':
      return `${each.sku} has it`;
    case 'wait':
      return 'or join the queue';
  }
}
