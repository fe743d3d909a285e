import { describe, expect, it } from 'vitest';
import { makeHoldBack } from './hold-back.ts';

const open = (awaited: number, upTo: number) => {
  const accepted: number[] = [];
  const holdBack = makeHoldBack<{ seq: number }>({ awaited, upTo, accept: ({ seq }) => void accepted.push(seq) });
  return { accepted, take: (seq: number) => holdBack.take({ seq }), release: holdBack.release };
};

describe('after a leader has crashed', () => {
  it('new messages wait until all that it had in hand are back', () => {
    const { accepted, take } = open(3, 3);
    for (const seq of [4, 1, 5, 2, 3, 6]) take(seq);
    expect(accepted).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('a message that comes back twice counts once', () => {
    const { accepted, take } = open(2, 2);
    for (const seq of [3, 1, 1]) take(seq);
    expect(accepted).toEqual([1, 1]);
    take(2);
    expect(accepted).toEqual([1, 1, 2, 3]);
  });

  it('new messages go on when the time for the old ones is over', () => {
    const { accepted, take, release } = open(2, 2);
    take(3);
    take(1);
    release();
    take(4);
    expect(accepted).toEqual([1, 3, 4]);
  });

  it('nothing waits when it had nothing in hand', () => {
    const { accepted, take } = open(0, 7);
    take(8);
    expect(accepted).toEqual([8]);
  });
});
