import { describe, expect, it } from 'vitest';
import { compareVersions } from './order.ts';

describe('versions', () => {
  it('are in the order of semantic versioning', () => {
    const inOrder = [
      '0.9.0',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-rc.2',
      '1.0.0-rc.11',
      '1.0.0',
      '1.9.0',
      '1.10.0',
    ];
    expect(inOrder.toReversed().toSorted(compareVersions)).toEqual(inOrder);
    expect(compareVersions('1.0.0', '1.0.0')).toBe(0);
  });
});
