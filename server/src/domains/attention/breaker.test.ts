import { describe, expect, it } from 'vitest';
import { heldBack, takesMore } from './breaker.ts';
import type { Finding } from './evaluate-report.ts';

const finding = (slotId: string | null, over: Partial<Finding> = {}): Finding => ({
  ...{ kind: 'gpus_healthy', effect: 'blocks_sale', message: 'Xid79', tenantMessage: 'A fault.', slotId },
  allocationId: null,
  ...over,
});

describe('findings that a breaker holds back', () => {
  it.each([
    ['a slot that nothing blocked', [finding('one')], [], true],
    ['a second slot', [finding('one'), finding('two')], [finding('one')], true],
    ['the whole host after one of its slots', [finding(null)], [finding('one')], true],
    ['the same slot for another reason', [finding('one', { kind: 'driver_ready' })], [finding('one')], false],
    ['a slot of a host that is blocked as a whole', [finding('one')], [finding(null)], false],
    ['what only informs', [finding('one', { effect: 'informs' })], [], false],
    ['what was only informed of before', [finding('one')], [finding('one', { effect: 'informs' })], true],
    ['nothing, because it has healed', [], [finding('one')], false],
  ])('are asked about when they take more: %s', (_, findings, before, expected) => {
    expect(takesMore(findings, before)).toBe(expected);
  });

  it('inform, say so, and keep their words for whoever rents', () => {
    expect(heldBack([finding('one')], [])).toEqual([
      finding('one', { effect: 'informs', message: 'Held back by the breaker of its pool: Xid79' }),
    ]);
  });

  it('leave blocked what was blocked before, also when the fault is now of the whole host', () => {
    expect(heldBack([finding(null)], [finding('one')])).toEqual([
      expect.objectContaining({ slotId: null, effect: 'informs' }),
      finding('one'),
    ]);
    expect(heldBack([finding('one'), finding('two')], [finding('one')])).toEqual([
      finding('one'),
      expect.objectContaining({ slotId: 'two', effect: 'informs' }),
    ]);
  });
});
