import { HostTopology } from '@gpuaas/contract/node';
import { Check } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { drawHardware, gpuModels } from './hardware.ts';

describe('a simulated machine', () => {
  it('is the same for the same name, and another for another', () => {
    expect(drawHardware({ seed: 'node-1' })).toEqual(drawHardware({ seed: 'node-1' }));
    const all = ['node-1', 'node-2'].flatMap((seed) => drawHardware({ seed }).slots.map(({ gpu_uuid }) => gpu_uuid));
    expect(new Set(all).size).toBe(16);
  });

  it('has four GPUs on each side, each with fabric, disk and address of its own', () => {
    const { slots } = drawHardware({ seed: 'node-1' });
    expect(slots.map(({ numa_node }) => numa_node)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    for (const member of [
      'pci_address',
      'fabric_vf_pci_address',
      'nvme_device',
      'mac_address',
      'private_ip',
    ] as const) {
      expect(new Set(slots.map((slot) => slot[member])).size).toBe(8);
    }
  });

  it.each([
    ['H100', 8],
    ['MI300X', 4],
    ['H200', 1],
    ['H200', 3],
  ] as const)('can have other GPUs and fewer: %s × %d', (model, gpuCount) => {
    const { slots } = drawHardware({ seed: 'node-1', model, gpuCount });
    expect(slots).toHaveLength(gpuCount);
    for (const slot of slots) {
      expect(Check(HostTopology.properties.slots.items, { ...slot, blockers: [] })).toBe(true);
      expect(slot.gpu_model).toBe(gpuModels[model].name);
    }
  });

  it.each([0, 9, 1.5])('has no %d GPUs', (gpuCount) => {
    expect(() => drawHardware({ seed: 'node-1', gpuCount })).toThrow(RangeError);
  });
});
