import type { AppManifest, CatalogItem } from '@gpuaas/sdk';
import { describe, expect, it } from 'vitest';
import { defaultsOf, parametersOf, placesFor, tellNeeds, valuesOf } from './apps.ts';

const manifest = {
  resources: { cpu_millis: 16_000, memory_mib: 65_536, gpu: { min: 2, max: 8 } },
  parameters: {
    type: 'object',
    additionalProperties: false,
    properties: {
      model: { type: 'string', title: 'Model', 'x-ui': { order: 2 } },
      length: { type: 'integer', title: 'Length', default: 4_096, 'x-ui': { order: 1 } },
      verbose: { type: 'boolean', title: 'Verbose', 'x-ui': { order: 3 } },
    },
  },
} as const satisfies Pick<AppManifest, 'resources' | 'parameters'>;
const item = (told: Partial<CatalogItem>): CatalogItem =>
  ({ sku: 'h200', capacity_shape: 'baremetal', allowed_gpu_counts: [1, 8], availability: [], ...told }) as CatalogItem;

describe('the form of an app', () => {
  const parameters = parametersOf(manifest);
  it('has the fields in the order of the publisher, filled with the defaults', () => {
    expect(parameters.map(([name]) => name)).toEqual(['length', 'model', 'verbose']);
    expect(defaultsOf(parameters)).toEqual({ length: '4096', model: '', verbose: false });
  });
  it('sends numbers as numbers and leaves empty fields to the app', () => {
    expect(valuesOf(parameters, { length: '128', model: ' ', verbose: true })).toEqual({ length: 128, verbose: true });
    expect(valuesOf(parameters, { length: '', model: '42' })).toEqual({ model: '42', verbose: false });
  });
  it('has no fields for an app without parameters', () => {
    expect(parametersOf({})).toEqual([]);
  });
});

describe('where an app can run', () => {
  const free = (region: string, gpu_count: number, available: number) => ({ region, gpu_count, available }) as never;
  it('offers free whole nodes with enough GPUs, and no slices', () => {
    const items = [
      item({ availability: [free('north', 1, 4), free('north', 8, 1), free('south', 8, 0)] }),
      item({ sku: 'slice', capacity_shape: 'gpu_slice', availability: [free('north', 8, 3)] }),
    ];
    expect(placesFor(items, manifest).map(({ item: { sku }, region, gpus }) => [sku, region, gpus])).toEqual([
      ['h200', 'north', 8],
    ]);
  });
});

describe('what an app needs', () => {
  it('is said in one line', () => {
    expect(tellNeeds(manifest)).toBe('2 to 8 GPUs, 16 CPUs, 64 GiB of memory');
    expect(tellNeeds({ resources: { cpu_millis: 250, memory_mib: 256 } })).toBe('no GPU, 0.25 CPUs, 256 MiB of memory');
    expect(tellNeeds({ resources: { ...manifest.resources, gpu: { min: 1, max: 1 } } })).toBe(
      '1 GPU, 16 CPUs, 64 GiB of memory',
    );
  });
});
