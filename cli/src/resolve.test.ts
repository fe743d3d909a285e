import { describe, expect, it } from 'vitest';
import { onlyNamed } from './resolve.ts';

const one = (id: string, state: string, ended_at: string | null = null) => ({
  ...{ id, state, created_at: '2026-01-01T00:00:00Z', ended_at },
});

describe('an allocation by its name', () => {
  it('is the one that lives, before those that have ended', () => {
    expect(onlyNamed('train', [one('b', 'active'), one('a', 'released', '2026-01-02T00:00:00Z')])).toBe('b');
  });

  it('is found when it has ended', () => {
    expect(onlyNamed('train', [one('a', 'released', '2026-01-02T00:00:00Z')])).toBe('a');
  });

  it('is listed with ids where several have the name', () => {
    expect(() => onlyNamed('train', [one('b', 'active'), one('a', 'provisioning')])).toThrow(
      /^2 allocations are named "train":\n {2}b {2}active.*\n {2}a {2}provisioning/,
    );
    expect(() => onlyNamed('train', [])).toThrow('No allocation named "train".');
  });
});
