import { policies } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { makePolicies } from './index.ts';

describe('policies', () => {
  it('answer their default unless one is overridden', () => {
    const values = makePolicies({ 'rate_limit.terminal_token_requests_per_minute': 3 });
    expect(values.number('rate_limit.terminal_token_requests_per_minute')).toBe(3);
    expect(values.number('rate_limit.api_requests_per_minute')).toBe(120);
  });

  it('refuse a value outside their bounds, naming the bounds', () => {
    expect(() => makePolicies({ 'idempotency.retention_hours': 0 })).toThrow('between 1 and 720');
  });

  it('have a default within their own bounds', () => {
    for (const policy of policies) {
      expect(policy.default, policy.key).toBeGreaterThanOrEqual(policy.minimum);
      expect(policy.default, policy.key).toBeLessThanOrEqual(policy.maximum);
    }
  });
});
