import ssh2 from 'ssh2';
import { expect, it } from 'vitest';
import { makeHostKey } from './host-key.ts';

it('a host key can be read, each time', () => {
  const keys = Array.from({ length: 1_000 }, makeHostKey);
  expect(keys.filter((key) => ssh2.utils.parseKey(key) instanceof Error)).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
});
