/** What placement has to find. Who asks, and whether they may, is checked before. */
export interface PlacementRequest {
  readonly sku: string;
  readonly shape: 'gpu_slice' | 'baremetal';
  readonly gpus: number;
  readonly region: string;
  /** Each slot needs a virtual function of the fabric, beside its GPU. */
  readonly fabric: boolean;
  /** Each slot needs a disk of its own. */
  readonly nvme: boolean;
  readonly image?: { readonly id: string; readonly mustBeCached: boolean } | undefined;
  /** When it will have ended, if it has a duration: until then it may use slots that are kept for another request. */
  readonly endsAt?: string | undefined;
  /** How long a launch may take: requests that wait are reckoned to end so much later. */
  readonly provisionSeconds?: number;
}
export interface CandidateSlot {
  readonly id: string;
  readonly index: number;
  readonly state: string;
  readonly health: string;
  readonly numa: number;
  readonly fabric: boolean;
  readonly nvme: boolean;
  /** Grows with every reservation. */
  readonly generation?: number;
  /** It is reserved for a request that has waited longer. */
  readonly kept?: boolean;
}
export interface CandidateNode {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly sku: string;
  readonly state: string;
  readonly schedulable: boolean;
  readonly reporting: boolean;
  readonly images: readonly string[];
  /** What is free on it is for requests that have waited longer. */
  readonly kept?: boolean;
  /** When a launch failed on it because of the host, while that is recent: it is used only when no other fits. */
  readonly launchFailedAt?: string;
  readonly slots: readonly CandidateSlot[];
}
/** What else the caller could have asked for. */
export interface Alternatives {
  /** Counts that the SKU is sold in. */
  readonly counts: readonly number[];
  /** Other SKUs with the same GPU that are sold in this count. */
  readonly skus: readonly Pick<PlacementRequest, 'sku' | 'shape' | 'fabric' | 'nvme'>[];
}

/** In the order in which they are asked. The first that fails is the reason. */
export const constraints = {
  region: 'is in the region',
  sku: 'is of the SKU',
  node_state: 'is active',
  schedulable: 'takes new work',
  reporting: 'reports',
  image_cached: 'has the image',
  slot_healthy: 'has enough healthy GPUs',
  slot_free: 'has enough free GPUs',
  fabric: 'has a fabric function for each GPU',
  nvme: 'has a disk for each GPU',
  single_node: 'has as many GPUs as were asked for',
  single_numa: 'has them in one NUMA group',
  kept: 'is not kept for requests that wait',
} as const;
/** Not a constraint, for the host fits: it comes last. */
export const lastResort = 'launch_failed';
export type Constraint = keyof typeof constraints;
export const constraintOrder = Object.keys(constraints) as Constraint[];

export interface Miss {
  readonly constraint: Constraint;
  readonly need: number | string;
  readonly have: number | string;
}
export interface Fit {
  readonly slots: readonly CandidateSlot[];
  /** What stays free beside it: in its NUMA group, and on its node. Smaller is better: large holes stay whole. */
  readonly groupLeft: number;
  readonly nodeLeft: number;
  readonly imageCached: boolean;
}
