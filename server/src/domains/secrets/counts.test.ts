import { describe, expect, it } from 'vitest';
import type { SealedValues } from '../../kernel/secrets/sealed-values.ts';
import { countSealed } from './index.ts';

const store = (counts: Record<string, number>): SealedValues => ({
  purpose: 'console',
  table: 'console_sessions',
  keyIds: ['k2', 'k1'],
  counts: async () => Object.entries(counts).map(([keyId, values]) => ({ keyId, values })),
  reseal: async () => ({ resealed: 0, after: undefined }),
});
const about = { purpose: 'console', table: 'console_sessions' };

describe('the count of sealed values', () => {
  it('tells the key that seals from one that only opens and one that is not here', async () => {
    expect(await countSealed([store({ k0: 1, k1: 2, k2: 3 })])).toEqual([
      { ...about, key_id: 'k2', values: 3, state: 'current' },
      { ...about, key_id: 'k0', values: 1, state: 'missing' },
      { ...about, key_id: 'k1', values: 2, state: 'former' },
    ]);
  });

  it('names the current key where nothing is kept', async () => {
    expect(await countSealed([store({})])).toEqual([{ ...about, key_id: 'k2', values: 0, state: 'current' }]);
  });
});
