import type { PasswordLetters } from '../../domains/identity/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { hourMs, minuteMs } from '../../kernel/units.ts';
import type { Account, Accounts } from '../../ports/identity-provider/port.ts';

/**
 * Sends people a link to choose a password of our own provider. A person without an account gets one if their address
 * was invited, or if sign-up is open. The answer does not reveal which.
 */
export type SendPasswordLink = (address: string) => Promise<void>;

const linkMs = hourMs;
/** A person gets at most six letters an hour, which stays below the limit of letters to one address. */
const restMs = 10 * minuteMs;
const addressShape = /^[a-z0-9][a-z0-9._+-]{0,63}@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;
const maxLoginLength = 128;

export function makeSendPasswordLink(parts: {
  readonly accounts: Pick<Accounts, 'find' | 'create' | 'offerPasswordLink'>;
  readonly letters: PasswordLetters;
  readonly isInvited: (email: string) => Promise<boolean>;
  readonly isSignUpOpen: () => boolean;
  readonly clock: Clock;
}): SendPasswordLink {
  const { accounts, letters } = parts;

  async function accountOf(email: string): Promise<Account | undefined> {
    const found = await accounts.find({ email });
    if (found) return found;
    if (email.length > maxLoginLength || !addressShape.test(email)) return undefined;
    if (!parts.isSignUpOpen() && !(await parts.isInvited(email))) return undefined;
    const made = await accounts.create({ login: email, displayName: email.split('@')[0] ?? email, email });
    // Of two requests at once one makes the account, and the other finds it.
    return 'refused' in made ? accounts.find({ email }) : made;
  }

  return async (written) => {
    const account = await accountOf(written.normalize('NFKC').trim().toLowerCase());
    if (!account?.email || account.disabledAt) return;
    const { id, token } = letters.make();
    // First the link, then the letter: no letter carries a link that does not work yet.
    if (!(await accounts.offerPasswordLink(account.id, { token, ttlMs: linkMs, restMs }))) return;
    const expiresAt = new Date(parts.clock.now().getTime() + linkMs);
    await letters.post({ id, accountId: account.id, login: account.login, email: account.email, expiresAt });
  };
}
