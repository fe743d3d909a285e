import { expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

it('each failure doubles the wait, up to the longest one', () => {
  const wait = { firstMs: 50, maxMs: 300 };
  expect([1, 2, 3, 4, 2_000].map((failures) => backoffMs(wait, failures))).toEqual([50, 100, 200, 300, 300]);
});
