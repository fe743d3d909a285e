import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { openDenyList } from './deny-list.ts';

const until = new Date('2030-01-01T00:00:00Z');
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function setUp() {
  const clock = makeTestClock();
  const faults: unknown[] = [];
  const table = new Set<string>();
  let failing = false;
  let looks = 0;
  let closed = false;
  let onChange: () => void = () => undefined;
  let current = async () => [...table];
  const open = () =>
    openDenyList({
      clock,
      onFault: (error) => void faults.push(error),
      denials: {
        current: async () => {
          looks += 1;
          if (failing) throw new Error('away');
          return (await current()).map((tokenId) => ({ tokenId, expiresAt: until }));
        },
        onChange: async (listener) => {
          onChange = listener;
          return {
            close: async () => {
              closed = true;
            },
          };
        },
      },
    });
  return {
    clock,
    faults,
    table,
    open,
    tell: () => onChange(),
    looks: () => looks,
    closed: () => closed,
    fail: (now: boolean) => {
      failing = now;
    },
    answerWith: (answer: () => Promise<string[]>) => {
      current = answer;
    },
  };
}

describe('the list of revoked tokens', () => {
  it('is there from the beginning, is told of additions, and looks by itself every five seconds', async () => {
    const { open, table, tell, clock } = await setUp();
    table.add('a');
    const list = await open();
    expect([list.denies('a'), list.denies('b')]).toEqual([true, false]);
    table.add('b');
    expect(list.denies('b')).toBe(false);
    tell();
    await turn();
    expect(list.denies('b')).toBe(true);
    table.add('c');
    await clock.advance(4_999);
    expect(list.denies('c')).toBe(false);
    await clock.advance(1);
    expect(list.denies('c')).toBe(true);
    await list.close();
  });

  it('never lets an older look undo a newer one', async () => {
    const { open, tell, clock, answerWith } = await setUp();
    const list = await open();
    const slow = Promise.withResolvers<string[]>();
    answerWith(() => slow.promise);
    await clock.advance(5_000);
    answerWith(async () => ['revoked meanwhile']);
    tell();
    tell();
    await turn();
    // The look that began before the revocation answers after everything else.
    slow.resolve([]);
    await turn();
    expect(list.denies('revoked meanwhile')).toBe(true);
    await list.close();
  });

  it('needs one look for many words', async () => {
    const { open, tell, looks } = await setUp();
    const list = await open();
    for (let n = 0; n < 100; n += 1) tell();
    await turn();
    expect(looks()).toBeLessThanOrEqual(3);
    await list.close();
  });

  it('keeps what it knows while it cannot look, says so, and recovers', async () => {
    const { open, table, tell, clock, fail, faults } = await setUp();
    table.add('a');
    const list = await open();
    fail(true);
    tell();
    await turn();
    await clock.advance(5_000);
    expect(faults).toHaveLength(2);
    expect(list.denies('a')).toBe(true);
    fail(false);
    table.add('b');
    await clock.advance(5_000);
    expect(list.denies('b')).toBe(true);
    await list.close();
  });

  it('does not open without having looked once, and leaves no listener behind', async () => {
    const { open, fail, closed } = await setUp();
    fail(true);
    await expect(open()).rejects.toThrow('away');
    expect(closed()).toBe(true);
  });

  it('stops looking when it is closed', async () => {
    const { open, clock, looks, closed } = await setUp();
    const list = await open();
    await list.close();
    const before = looks();
    await clock.advance(60_000);
    expect([looks(), closed()]).toEqual([before, true]);
  });
});
