import { describe, expect, it } from 'vitest';
import type { AllocationState } from '../life/machine.ts';
import { statusOf } from './group-status.ts';

const cases: readonly (readonly [string, boolean, readonly AllocationState[]])[] = [
  ['requested', false, ['requested', 'requested']],
  ['provisioning', false, ['requested', 'provisioning']],
  ['provisioning', false, ['active', 'provisioning']],
  ['active', false, ['active', 'active']],
  ['degraded', false, ['active', 'failed']],
  ['degraded', false, ['provisioning', 'failed']],
  ['degraded', false, ['active', 'released']],
  ['failed', false, ['failed', 'failed']],
  ['released', false, ['failed', 'released']],
  ['releasing', true, ['active', 'releasing']],
  ['releasing', true, ['release_failed', 'releasing']],
  ['releasing', false, ['releasing', 'releasing']],
  ['release_failed', true, ['release_failed', 'released']],
  ['released', true, ['released', 'failed']],
  ['released', true, ['failed', 'failed']],
];

describe('a group', () => {
  it.each(cases)('is %s when a release was asked for: %s, and its members are %j', (status, asked, states) => {
    expect(statusOf(states, asked)).toBe(status);
  });
});
