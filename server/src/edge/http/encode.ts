import type { Route } from '@gpuaas/contract';
import { Compile } from 'typebox/compile';

/**
 * What leaves is what was promised. An answer that does not fit its contract is a bug: a write that would answer with
 * one is rolled back, a read fails.
 */
export function makeEncode(route: Route): (value: unknown) => string {
  const promised = Compile(route.response);
  return (value) => {
    if (!promised.Check(value)) {
      const [first] = promised.Errors(value);
      throw new Error(`${route.id} answers against its contract at ${first?.instancePath || '/'}: ${first?.message}`);
    }
    return JSON.stringify(value);
  };
}
