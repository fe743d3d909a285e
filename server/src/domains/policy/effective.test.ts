import { type AnyPolicy, type PolicyLevel, policies, policyFault, policyLevels } from '@gpuaas/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effective, makeSnapshot, type Setting } from './effective.ts';

const windowSeconds = policies.find((policy) => policy.key === 'billing.window_seconds') as AnyPolicy;
const subject = { actorId: 'u', projectId: 'p', organizationId: 'o' };
const plans = new Map([['o', 'gold']]);
const subjects: Record<PolicyLevel, string> = { user: 'u', project: 'p', organization: 'o', plan: 'gold', global: '' };
const set = (level: PolicyLevel, value: number, hard = false): Setting => ({
  key: windowSeconds.key,
  level,
  subjectId: subjects[level],
  value,
  hard,
});

describe('the value that applies', () => {
  it('is the most specific one that is set, for every combination of levels', () => {
    fc.assert(
      fc.property(fc.subarray([...policyLevels]), (levels) => {
        const settings = levels.map((level) => set(level, 20 + policyLevels.indexOf(level)));
        const found = effective(windowSeconds, makeSnapshot(settings, plans), subject);
        const first = policyLevels.find((level) => levels.includes(level));
        expect(found.level).toBe(first ?? 'default');
        expect(found.value).toBe(first ? 20 + policyLevels.indexOf(first) : windowSeconds.default);
      }),
      { seed: 1 },
    );
  });

  it('is a hard global one, whatever else is set', () => {
    const snapshot = makeSnapshot([set('user', 20), set('global', 90, true)], plans);
    expect(effective(windowSeconds, snapshot, subject)).toEqual({
      value: 90,
      level: 'global',
      subjectId: undefined,
      hard: true,
    });
  });

  it('is never outside the bounds, even when such a value is stored', () => {
    const snapshot = makeSnapshot([set('user', 5), set('organization', 4_000), set('plan', 30)], plans);
    expect(effective(windowSeconds, snapshot, subject)).toMatchObject({ value: 30, level: 'plan' });
  });

  it("is not somebody else's", () => {
    const snapshot = makeSnapshot([{ ...set('user', 20), subjectId: 'another' }], plans);
    expect(effective(windowSeconds, snapshot, subject)).toMatchObject({ value: 60, level: 'default' });
  });
});

describe('definitions', () => {
  it.each(policies.map((policy) => [policy.key, policy] as const))(
    '%s has a default that it would accept',
    (_, policy) => {
      expect(policyFault(policy, policy.default)).toBeUndefined();
      expect(policyFault(policy, null)).toBeDefined();
    },
  );
});
