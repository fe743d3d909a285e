import type { GpuModel } from '@gpuaas/agent';

/** How many simulated hosts a local start has. */
export const fleetSizes = ['none', 'small', 'medium', 'large'] as const;
export type FleetSize = (typeof fleetSizes)[number];

export interface PlannedNode {
  readonly name: string;
  readonly region: string;
  readonly sku: string;
  readonly model: GpuModel;
}

/** The regions of a local start: the one that the api calls its own, and one that is elsewhere. */
export const regions = [
  { slug: 'local', name: 'Local' },
  { slug: 'north', name: 'North' },
] as const;
type RegionSlug = (typeof regions)[number]['slug'];

const kinds = {
  slice: { sku: 'h200-sxm-slice', model: 'H200' },
  metal: { sku: 'h200-sxm-baremetal-8g', model: 'H200' },
  h100: { sku: 'h100', model: 'H100' },
  mi300x: { sku: 'mi300x', model: 'MI300X' },
} as const;

const sizes: Readonly<Record<FleetSize, Readonly<Partial<Record<`${RegionSlug}.${keyof typeof kinds}`, number>>>>> = {
  none: {},
  small: { 'local.slice': 2, 'north.metal': 1 },
  medium: { 'local.slice': 5, 'local.metal': 2, 'north.slice': 3, 'north.metal': 1, 'north.h100': 1 },
  large: {
    'local.slice': 32,
    'local.metal': 8,
    'north.slice': 16,
    'north.metal': 4,
    'north.h100': 2,
    'north.mi300x': 2,
  },
};

/** The hosts of a fleet. A larger one has all that a smaller one has, under the same names. */
export function planFleet(size: FleetSize): PlannedNode[] {
  return Object.entries(sizes[size]).flatMap(([place, count]) => {
    const [region = '', kind = ''] = place.split('.');
    const { sku, model } = kinds[kind as keyof typeof kinds];
    return Array.from({ length: count }, (_, index) => ({
      name: `${region}-${kind}-${index + 1}`,
      region,
      sku,
      model,
    }));
  });
}
