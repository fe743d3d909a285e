import { hash, verify } from '@node-rs/argon2';
import { TooBusy } from '../port.ts';

/**
 * Passwords as argon2id hashes. A hash costs tens of milliseconds and some memory, which is its purpose, and also a
 * means of denial of service: so few run at once, few more may wait, and the rest is refused at once.
 */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a hash to compare with, a decoy is compared, and the answer is no. */
  verify(stored: string | undefined, password: string): Promise<boolean>;
}
export interface PasswordCost {
  readonly memoryKib: number;
  readonly passes: number;
}
export const defaultCost: PasswordCost = { memoryKib: 19_456, passes: 2 };

const argon2id = 2;
const atOnce = 2;
const mayWait = 64;
const shortest = 12;
const longest = 256;

/** Length is what counts. The upper end only keeps a stranger from sending us novels to hash. */
export const isWeak = (password: string): boolean =>
  password.length < shortest || password.length > longest || new Set(password).size < 5;

export async function openPasswords(cost: PasswordCost, decoySource: string): Promise<Passwords> {
  const options = { algorithm: argon2id, memoryCost: cost.memoryKib, timeCost: cost.passes, parallelism: 1 };
  const decoy = await hash(decoySource, options);
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      if (waiting.length >= mayWait) throw new TooBusy('too many passwords are being checked');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    hash: (password) => inTurn(() => hash(password.normalize('NFKC'), options)),
    verify: (stored, password) =>
      inTurn(async () => {
        // Too long to be anybody's: compared all the same, so that the answer takes its time.
        const given = password.slice(0, longest).normalize('NFKC');
        const same = await verify(stored ?? decoy, given);
        return same && stored !== undefined && password.length <= longest;
      }),
  };
}
