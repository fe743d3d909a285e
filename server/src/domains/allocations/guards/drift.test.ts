import type { HeldLease } from '@gpuaas/contract/node';
import { describe, expect, it } from 'vitest';
import { compareWithReport, type Desired } from './drift.ts';

const a = '0191b2c4-0000-7000-8000-00000000000a';
const b = '0191b2c4-0000-7000-8000-00000000000b';
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const active: Desired = { allocationId: a, state: 'active', generation: 2, since: at(0) };
const lease: HeldLease = { allocation_id: a, generation: 2, slot_ids: [], state: 'running', deadline_at: null };
const compare = (desired: Desired[], leases: HeldLease[], leaving: string[] = [], endedAt?: Date) =>
  compareWithReport(
    desired,
    { leaving: new Set(leaving), endedAt: new Map(endedAt ? [[a, endedAt]] : []) },
    { at: at(30), leases },
  );

describe('what a node holds', () => {
  it('is right when it is what was wanted', () => {
    expect(compare([active], [lease])).toEqual([]);
    expect(compare([], [])).toEqual([]);
  });

  it('is an orphan when nobody wants it, and is not when it is being taken away already', () => {
    expect(compare([], [lease])).toEqual([{ kind: 'orphan', lease }]);
    expect(compare([], [lease], [a])).toEqual([]);
    expect(compare([], [{ ...lease, state: 'ended' }])).toEqual([]);
  });

  it('is no orphan when it ended while the report was on its way', () => {
    expect(compare([], [lease], [], at(21))).toEqual([]);
    expect(compare([], [lease], [], at(19))).toEqual([{ kind: 'orphan', lease }]);
  });

  it('is stale when its lease was replaced', () => {
    const old = { ...lease, generation: 1 };
    expect(compare([active], [old])).toEqual([
      { kind: 'stale', lease: old, generation: 2 },
      { kind: 'absent', allocationId: a, generation: 2 },
    ]);
  });

  it('is missed only when it is active, and only by a report that could have known', () => {
    expect(compare([active], [])).toEqual([{ kind: 'absent', allocationId: a, generation: 2 }]);
    expect(compare([{ ...active, since: at(21) }], [])).toEqual([]);
    for (const state of ['requested', 'provisioning', 'releasing'])
      expect(compare([{ ...active, state }], [])).toEqual([]);
  });

  it('has ended when the node kept its deadline', () => {
    expect(compare([active], [{ ...lease, state: 'ended' }])).toEqual([
      { kind: 'ended', allocationId: a, generation: 2 },
    ]);
  });

  it('is looked at allocation by allocation', () => {
    const other = { ...lease, allocation_id: b };
    expect(compare([active], [lease, other])).toEqual([{ kind: 'orphan', lease: other }]);
  });
});
