import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeCapacityIndex } from './capacity-index.ts';
import { decide } from './decide.ts';
import type { CandidateNode, PlacementRequest } from './model.ts';

const host = (id: number, free: readonly boolean[], changes: Partial<CandidateNode> = {}): CandidateNode => ({
  ...{ id: `n${id}`, name: `host-${id}`, region: 'north', sku: 'h200-slice', state: 'active' },
  ...{ schedulable: true, reporting: true, images: [] },
  slots: free.map((isFree, index) => ({
    ...{ id: `n${id}-${index}`, index, numa: index < 4 ? 0 : 1, health: 'healthy', fabric: true, nvme: true },
    state: isFree ? 'available' : 'in_use',
  })),
  ...changes,
});
const ask = (gpus: number, shape: PlacementRequest['shape'] = 'gpu_slice'): PlacementRequest => ({
  ...{ sku: 'h200-slice', shape, gpus, region: 'north', fabric: true, nvme: true },
});
const arbitraryFleet = fc
  .array(fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), { maxLength: 30 })
  .map((rows) => rows.map((free, at) => host(at, free)));

describe('the index of free capacity', () => {
  it('leads to the decision that a look at every host leads to', () => {
    fc.assert(
      fc.property(arbitraryFleet, fc.constantFrom(1, 2, 4, 8), (fleet, gpus) => {
        const index = makeCapacityIndex();
        index.update(fleet);
        const suggested = new Set(index.suggest(ask(gpus), 8));
        const best = decide(ask(gpus), fleet).chosen;
        const found = decide(
          ask(gpus),
          fleet.filter(({ id }) => suggested.has(id)),
        ).chosen;
        expect(found?.group_left).toBe(best?.group_left);
        expect(found?.node_left).toBe(best?.node_left);
      }),
      { numRuns: 500 },
    );
  });

  it('forgets what it knew when it learns something newer', () => {
    const index = makeCapacityIndex();
    index.update([host(1, new Array(8).fill(true))]);
    expect(index.suggest(ask(8), 4)).toEqual(['n1']);
    index.update([host(1, [false, ...new Array(7).fill(true)])]);
    expect(index.suggest(ask(8), 4)).toEqual([]);
    expect(index.suggest(ask(8, 'baremetal'), 4)).toEqual([]);
    expect(index.suggest(ask(4), 4)).toEqual(['n1']);
    expect(index.get(['n1', 'n2'])).toEqual([host(1, [false, ...new Array(7).fill(true)])]);
    index.update([host(1, new Array(8).fill(true), { schedulable: false })]);
    expect(index.suggest(ask(1), 4)).toEqual([]);
    expect(index.size()).toBe(0);
    expect(index.get(['n1'])).toEqual([]);
  });

  it('leaves out what was tried, and stops at the limit', () => {
    const index = makeCapacityIndex();
    index.update(Array.from({ length: 20 }, (_, at) => host(at, new Array(8).fill(true))));
    expect(index.suggest(ask(1), 5)).toHaveLength(5);
    expect(index.suggest(ask(1), 5, new Set(['n0', 'n1']))).not.toContain('n0');
  });

  it('suggests hosts where a launch failed lately only after all others', () => {
    const index = makeCapacityIndex();
    const launchFailedAt = '2026-11-15T12:00:00.000Z';
    const oneLeft = [true, ...new Array(3).fill(false), ...new Array(4).fill(false)];
    index.update([
      host(1, oneLeft, { launchFailedAt }),
      host(2, new Array(8).fill(true)),
      host(3, new Array(8).fill(true)),
    ]);
    expect(index.suggest(ask(1), 5)).toEqual(['n2', 'n3', 'n1']);
    expect(index.suggest(ask(1), 2)).toEqual(['n2', 'n3']);
    index.update([host(1, oneLeft)]);
    expect(index.suggest(ask(1), 1)).toEqual(['n1']);
  });

  it('keeps regions and SKUs apart', () => {
    const index = makeCapacityIndex();
    index.update([host(1, new Array(8).fill(true), { region: 'south' }), host(2, [true], { sku: 'other' })]);
    expect(index.suggest(ask(1), 5)).toEqual([]);
    expect(index.suggest({ ...ask(1), region: 'south' }, 5)).toEqual(['n1']);
  });
});
