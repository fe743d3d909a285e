import { describe, expect, it } from 'vitest';
import { costMinor, perHourMinor } from './price.ts';

const slice = { billing_unit: 'gpu_hour', unit_price_minor: 450n, currency: 'USD', gpu_count: 4 } as const;

describe('the price of an allocation', () => {
  it('is per GPU, or per node where a node is the unit', () => {
    expect(perHourMinor(slice)).toBe(1_800n);
    expect(perHourMinor({ ...slice, billing_unit: 'node_hour' })).toBe(450n);
  });
  it('is rounded half up once, at the end', () => {
    expect(costMinor(1_800n, 3_600)).toBe(1_800n);
    expect(costMinor(1_800n, 1)).toBe(1n);
    expect(costMinor(1_799n, 1)).toBe(0n);
    expect(costMinor(450n, 86_400 * 365)).toBe(450n * 24n * 365n);
  });
});
