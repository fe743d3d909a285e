import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../../../kernel/clock.ts';
import { type Denial, openDenyList, type Shown, sessionSubject } from './deny-list.ts';

const token = (tokenId: string): Shown => ({
  personId: 'p',
  tokenId,
  sessionId: undefined,
  signedInAt: undefined,
  isSignIn: true,
});
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function setUp() {
  const clock = makeTestClock();
  const faults: unknown[] = [];
  const table = new Set<string>();
  let failing = false;
  let looks = 0;
  let closed = false;
  let onChange: () => void = () => undefined;
  let current = async (): Promise<string[]> => [...table];
  const open = () =>
    openDenyList({
      clock,
      onFault: (error) => void faults.push(error),
      denials: {
        current: async () => {
          looks += 1;
          if (failing) throw new Error('away');
          return (await current()).map((subject) => ({ kind: 'token', subject }));
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
    expect([list.denies(token('a')), list.denies(token('b'))]).toEqual([true, false]);
    table.add('b');
    expect(list.denies(token('b'))).toBe(false);
    tell();
    await turn();
    expect(list.denies(token('b'))).toBe(true);
    table.add('c');
    await clock.advance(4_999);
    expect(list.denies(token('c'))).toBe(false);
    await clock.advance(1);
    expect(list.denies(token('c'))).toBe(true);
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
    expect(list.denies(token('revoked meanwhile'))).toBe(true);
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
    expect(list.denies(token('a'))).toBe(true);
    fail(false);
    table.add('b');
    await clock.advance(5_000);
    expect(list.denies(token('b'))).toBe(true);
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

describe('a denial', () => {
  const shown: Shown = { personId: 'p', tokenId: 't', sessionId: 's', signedInAt: new Date(1_000), isSignIn: true };
  const person = (notBeforeMs: number, sessionId?: string): Denial => ({
    kind: 'person',
    subject: 'p',
    floor: { notBefore: new Date(notBeforeMs), spares: { sessionId } },
  });
  it.each<[string, Denial, Shown, boolean]>([
    ['of a token refuses that token', { kind: 'token', subject: 't' }, shown, true],
    ['of a token refuses no other', { kind: 'token', subject: 'u' }, shown, false],
    ['of a session refuses its tokens', { kind: 'session', subject: sessionSubject('p', 's') }, shown, true],
    [
      'of a session refuses no session of the same name that is somebody else’s',
      { kind: 'session', subject: sessionSubject('q', 's') },
      shown,
      false,
    ],
    ['of a person refuses sign-ins from before', person(1_001), shown, true],
    ['of a person lets in sign-ins from after', person(1_000), shown, false],
    ['of a person spares the session that asked', person(2_000, 's'), shown, false],
    ['of a person refuses what does not say when it began', person(2_000), { ...shown, signedInAt: undefined }, true],
    ['of a person leaves alone what is no sign-in', person(2_000), { ...shown, isSignIn: false }, false],
    ['of a person leaves others alone', person(2_000), { ...shown, personId: 'q' }, false],
  ])('%s', async (_, denial, what, isDenied) => {
    const list = await openDenyList({
      clock: makeTestClock(),
      onFault: () => undefined,
      denials: { current: async () => [denial], onChange: async () => ({ close: async () => undefined }) },
    });
    expect(list.denies(what)).toBe(isDenied);
    await list.close();
  });
});
