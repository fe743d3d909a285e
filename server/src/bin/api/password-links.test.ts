import { expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import type { Account } from '../../ports/identity-provider/port.ts';
import { makeSendPasswordLink } from './password-links.ts';

const clock = makeTestClock(new Date('2026-06-01T12:00:00Z'));

/** Accounts in memory, and whom letters were posted to. */
function setUp(
  known: readonly Partial<Account>[] = [],
  {
    invited = [],
    isSignUpOpen = false,
    isLinkYoung = () => false,
  }: { invited?: readonly string[]; isSignUpOpen?: boolean; isLinkYoung?: () => boolean } = {},
) {
  const accounts = known.map((each, index) => ({ id: `a${index}`, login: 'x', ...each }) as Account);
  const done: string[] = [];
  const send = makeSendPasswordLink({
    accounts: {
      find: async (by) => accounts.find((each) => 'email' in by && each.email === by.email),
      async create({ login, displayName, email }) {
        if (accounts.some((each) => each.login === login)) return { refused: 'login_taken' };
        const made = {
          id: 'new',
          login,
          displayName,
          email,
          createdAt: clock.now(),
          disabledAt: undefined,
          signInsEndedAt: undefined,
        };
        accounts.push(made);
        return made;
      },
      async offerPasswordLink(id, { token }) {
        if (isLinkYoung()) return false;
        done.push(`link of ${id} with ${token}`);
        return true;
      },
    },
    letters: {
      make: () => ({ id: 'letter', token: 'token' }),
      post: async ({ id, email, expiresAt }) => {
        done.push(`${id} to ${email} until ${expiresAt.toISOString()}`);
      },
    },
    isInvited: async (email) => invited.includes(email),
    isSignUpOpen: () => isSignUpOpen,
    clock,
  });
  return { send, done, accounts };
}
const sentTo = (email: string, id: string) => [
  `link of ${id} with token`,
  `letter to ${email} until 2026-06-01T13:00:00.000Z`,
];

it('writes to whoever has an account, however they write their address', async () => {
  const { send, done } = setUp([{ email: 'ada@example.com' }]);
  await send('  ADA@Example.com ');
  expect(done).toEqual(sentTo('ada@example.com', 'a0'));
});

it('writes no second letter while the link of the last one is young', async () => {
  const { send, done } = setUp([{ email: 'ada@example.com' }], { isLinkYoung: () => true });
  await send('ada@example.com');
  expect(done).toEqual([]);
});

it('makes an account for an address that was invited, once', async () => {
  const { send, done, accounts } = setUp([], { invited: ['new@example.com'] });
  await send('new@example.com');
  await send('new@example.com');
  expect(done).toEqual([...sentTo('new@example.com', 'new'), ...sentTo('new@example.com', 'new')]);
  expect(accounts).toMatchObject([{ login: 'new@example.com', displayName: 'new', email: 'new@example.com' }]);
});

it('makes an account for everybody where sign-up is open, and for nobody else where it is not', async () => {
  const open = setUp([], { isSignUpOpen: true });
  await open.send('stranger@example.com');
  expect(open.done).toEqual(sentTo('stranger@example.com', 'new'));
  const closed = setUp();
  await closed.send('stranger@example.com');
  expect([closed.done, closed.accounts]).toEqual([[], []]);
});

it.each([
  ['a disabled account', [{ email: 'x@example.com', disabledAt: clock.now() }], 'x@example.com'],
  ['a login without a mail address', [{ login: 'x@example.com' }], 'x@example.com'],
  ['what is no address', [], 'x@example.com\nbcc: y@example.com'],
  ['an address that is too long', [], `${'x'.repeat(60)}@${'y'.repeat(100)}.example.com`],
  ['nothing', [], ''],
] as const)('writes no letter to %s', async (_, known, address) => {
  const { send, done } = setUp(known, { isSignUpOpen: true });
  await send(address);
  expect(done).toEqual([]);
});
