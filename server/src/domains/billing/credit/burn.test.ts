import { describe, expect, it } from 'vitest';
import { tailAfterMs } from '../facts.ts';
import { burn, closesAt, type OpenGrant, type Spending } from './burn.ts';

const at = (ms: number) => new Date(1_800_000_000_000 + ms);
const grant = (id: string, left: bigint, expiresAt: Date | null, countedTo = 0n): OpenGrant => ({
  ...{ id, left, expiresAt, countedTo },
});
const link = (
  number: bigint,
  spent: bigint,
  ms = 0,
  takenBack: readonly (readonly [string, bigint])[] = [],
): Spending => ({
  ...{ number, spent, at: at(ms), takenBack: new Map(takenBack) },
});
const leftOf = (grants: readonly OpenGrant[]) => Object.fromEntries(grants.map(({ id, left }) => [id, left]));

describe('credit', () => {
  it('that expires soonest is used first, then what is older, and what never expires last', () => {
    const grants = [
      grant('a', 10n, null),
      grant('c', 10n, at(5_000)),
      grant('b', 10n, at(9_000)),
      grant('d', 10n, at(9_000)),
    ];
    expect(leftOf(burn(grants, [link(1n, 4n)]))).toEqual({ a: 10n, b: 10n, c: 6n, d: 10n });
    expect(leftOf(burn(grants, [link(1n, 15n)]))).toEqual({ a: 10n, b: 5n, c: 0n, d: 10n });
    expect(leftOf(burn(grants, [link(1n, 25n)]))).toEqual({ a: 10n, b: 0n, c: 0n, d: 5n });
    expect(leftOf(burn(grants, [link(1n, 31n)]))).toEqual({ a: 9n, b: 0n, c: 0n, d: 0n });
    expect(leftOf(burn(grants, [link(1n, 100n)]))).toEqual({ a: 0n, b: 0n, c: 0n, d: 0n });
  });

  it('pays for nothing that was charged before it was given, or a while after it expired', () => {
    const young = [grant('a', 10n, at(0), 7n)];
    expect(burn(young, [link(6n, 3n), link(7n, 3n)])).toEqual(young);
    expect(burn(young, [link(8n, 3n)])).toEqual([{ ...young[0], left: 7n, countedTo: 8n }]);
    expect(leftOf(burn(young, [link(8n, 3n, tailAfterMs - 1)]))).toEqual({ a: 7n });
    expect(leftOf(burn(young, [link(8n, 3n, tailAfterMs)]))).toEqual({ a: 10n });
    expect(closesAt(at(0))).toEqual(at(tailAfterMs));
  });

  it('that is taken back is gone from its own grant, and never twice', () => {
    const grants = [grant('a', 10n, null), grant('b', 10n, null)];
    expect(leftOf(burn(grants, [link(1n, 0n, 0, [['b', 4n]])]))).toEqual({ a: 10n, b: 6n });
    expect(leftOf(burn(grants, [link(1n, 12n, 0, [['a', 4n]])]))).toEqual({ a: 0n, b: 4n });
    expect(leftOf(burn(grants, [link(1n, 0n, 0, [['a', 99n]]), link(2n, 1n)]))).toEqual({ a: 0n, b: 9n });
  });

  it('is counted in parts as it is counted at once', () => {
    const grants = [grant('a', 100n, at(50)), grant('b', 50n, null, 3n), grant('c', 30n, at(tailAfterMs))];
    const links = Array.from({ length: 20 }, (_, n) =>
      link(BigInt(n + 1), BigInt(n), n * 100_000, [['b', BigInt(n % 2)]]),
    );
    const whole = burn(grants, links);
    for (let cut = 0; cut <= links.length; cut += 1) {
      expect(burn(burn(grants, links.slice(0, cut)), links.slice(cut))).toEqual(whole);
    }
    expect(whole.every(({ countedTo }) => countedTo === 20n)).toBe(true);
  });
});
