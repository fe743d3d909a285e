import { describe, expect, it } from 'vitest';
import { makeKeyring } from './keyring.ts';

describe('the keys of acts', () => {
  const counting = () => {
    let made = 0;
    return makeKeyring(() => {
      made += 1;
      return `key-${made}`;
    });
  };

  it('are the same for a second click, and for a try after an answer that got lost', () => {
    const keys = counting();
    const input = { sku: 'a', gpus: 1 };
    expect(keys.keyFor('launch', input)).toBe('key-1');
    expect(keys.keyFor('launch', { ...input })).toBe('key-1');
  });

  it('are others for another act, and for the same act with other words', () => {
    const keys = counting();
    const given = [
      keys.keyFor('launch', { gpus: 1 }),
      keys.keyFor('launch', { gpus: 2 }),
      keys.keyFor('release', { gpus: 1 }),
    ];
    expect(new Set(given).size).toBe(3);
  });

  it('are forgotten when the act is done: the same act again is meant once more', () => {
    const keys = counting();
    const first = keys.keyFor('launch', { gpus: 1 });
    const other = keys.keyFor('launch', { gpus: 2 });
    keys.done('launch', { gpus: 1 });
    expect(keys.keyFor('launch', { gpus: 1 })).not.toBe(first);
    expect(keys.keyFor('launch', { gpus: 2 })).toBe(other);
  });

  it('let a request begin once while it runs, and another one beside it', () => {
    const keys = counting();
    expect([1, 1, 2].map((gpus) => keys.begin('launch', { gpus }))).toEqual([true, false, true]);
    keys.end('launch', { gpus: 1 });
    expect(keys.begin('launch', { gpus: 1 })).toBe(true);
    expect(keys.begin('launch', { gpus: 2 })).toBe(false);
  });
});
