import { defaultImages, defaultSkus, profileFor } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { skuProblems } from './sku-rules.ts';

const slice = {
  capacity_shape: 'gpu_slice' as const,
  gpus_total: 8,
  allowed_gpu_counts: [1, 2],
  resource_profile: {
    fabric: 'ib' as const,
    slice_vm_profiles: [
      { name: 'one', gpus: 1, vcpus: 8, memory_mib: 1024 },
      { name: 'two', gpus: 2, vcpus: 16, memory_mib: 2048 },
    ],
  },
};
const whole = {
  capacity_shape: 'baremetal' as const,
  gpus_total: 8,
  allowed_gpu_counts: [8],
  resource_profile: { fabric: 'none' as const, slice_vm_profiles: [] },
};

describe('what is offered', () => {
  it('may be slices with a size for each count, or whole nodes', () => {
    expect(skuProblems(slice)).toEqual([]);
    expect(skuProblems(whole)).toEqual([]);
  });

  it.each([
    ['counts beyond the node', { ...slice, allowed_gpu_counts: [1, 16] }, 'allowed_gpu_counts has 16'],
    ['a count without a size', { ...slice, allowed_gpu_counts: [1, 4] }, 'No profile in slice_vm_profiles has 4'],
    [
      'one name for two sizes',
      {
        ...slice,
        resource_profile: {
          ...slice.resource_profile,
          slice_vm_profiles: slice.resource_profile.slice_vm_profiles.map((each) => ({ ...each, name: 'one' })),
        },
      },
      'The profile one is there more than once',
    ],
    ['a part of a whole node', { ...whole, allowed_gpu_counts: [4] }, 'allowed_gpu_counts must be [8]'],
    [
      'virtual machines on a whole node',
      { ...whole, resource_profile: slice.resource_profile },
      'no sizes of virtual machine',
    ],
  ])('cannot have %s', (_, offer, says) => {
    expect(skuProblems(offer).join(' ')).toContain(says);
  });
});

describe('the catalogue that comes with the product', () => {
  it.each(defaultSkus.map((sku) => [sku.sku, sku] as const))('%s fits together', (_, sku) => {
    expect(skuProblems(sku)).toEqual([]);
  });

  it('has the slice with counts 1, 2 and 4, its price and its sizes', () => {
    const sku = defaultSkus.find((each) => each.sku === 'h200-sxm-slice');
    expect(sku).toMatchObject({
      gpus_total: 8,
      allowed_gpu_counts: [1, 2, 4],
      billing_unit: 'gpu_hour',
      price: { amount_minor: '450', currency: 'USD' },
    });
    expect(sku && profileFor(sku.resource_profile, 1)).toMatchObject({ name: 'h200_1g_24c_64g', vcpus: 24 });
    expect(sku && profileFor(sku.resource_profile, 4)).toMatchObject({ vcpus: 96, memory_mib: 262_144 });
  });

  it('names only what it has', () => {
    const names = defaultSkus.map(({ sku }) => sku);
    expect(new Set(names).size).toBe(names.length);
    for (const image of defaultImages) for (const sku of image.skus) expect(names).toContain(sku);
  });
});
