import { defaultSkus } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { type FleetSize, fleetSizes, planFleet, regions } from './fleet-plan.ts';

describe('the fleet of a local start', () => {
  it.each([
    ['none', 0],
    ['small', 3],
    ['medium', 12],
    ['large', 64],
  ] as const)('%s has %d hosts', (size, count) => {
    expect(planFleet(size)).toHaveLength(count);
  });

  it('has hosts in two regions that are sold as slices and as a whole, unless it has none', () => {
    for (const size of ['small', 'medium', 'large'] as const) {
      const plan = planFleet(size);
      expect(new Set(plan.map(({ region }) => region))).toEqual(new Set(regions.map(({ slug }) => slug)));
      const shapes = plan.map(({ sku }) => defaultSkus.find((sold) => sold.sku === sku)?.capacity_shape);
      expect(new Set(shapes)).toEqual(new Set(['gpu_slice', 'baremetal']));
    }
  });

  it('grows without changing what is there', () => {
    for (const [index, size] of fleetSizes.entries()) {
      const larger = planFleet(fleetSizes[index + 1] ?? (size as FleetSize));
      for (const node of planFleet(size)) expect(larger).toContainEqual(node);
    }
  });
});
