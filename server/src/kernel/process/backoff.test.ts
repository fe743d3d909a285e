import { expect, it } from 'vitest';
import { backoffMs, jitteredBackoffMs } from './backoff.ts';

it('each failure doubles the wait, up to the longest one', () => {
  const wait = { firstMs: 50, maxMs: 300 };
  expect([1, 2, 3, 4, 2_000].map((failures) => backoffMs(wait, failures))).toEqual([50, 100, 200, 300, 300]);
});

it('jitter shortens a wait by at most half', () => {
  const wait = { firstMs: 100, maxMs: 300 };
  expect([0, 0.5, 1].map((fraction) => jitteredBackoffMs(wait, 1, fraction))).toEqual([100, 75, 50]);
  for (let failures = 1; failures < 50; failures += 1) {
    const waited = jitteredBackoffMs(wait, failures);
    expect(waited).toBeGreaterThan(backoffMs(wait, failures) / 2 - 1);
    expect(waited).toBeLessThanOrEqual(backoffMs(wait, failures));
  }
});
