import type { FactorsOfAccounts } from '../bin/api/factors.ts';
import { systemIds } from '../kernel/id.ts';
import type { Factor } from '../ports/identity-provider/port.ts';

const at = new Date('2026-01-01T00:00:00Z');
/** Subjects of tests are words; those of our own provider are ids of accounts. */
const accountId = '01900000-0000-7000-8000-0000000000ac';
const factor = (id: string): Factor => ({ id, kind: 'totp', name: 'Phone', createdAt: at, lastUsedAt: undefined });

/** What the double refuses: a person with no account, a factor too many, a code after too many wrong ones. */
export const refusing = { subject: 'kept-elsewhere', name: 'One too many', code: '000000' } as const;

/** A provider that grants every change to a factor that was begun, for tests about routes. A real one has its own tests. */
export function makeFactorsDouble(): FactorsOfAccounts {
  const begun = new Set<string>();
  return {
    findAccount: async (subject) =>
      subject === refusing.subject
        ? undefined
        : {
            ...{ id: accountId, login: subject, displayName: subject, email: 'somebody@example.com' },
            ...{ createdAt: at, disabledAt: undefined, signInsEndedAt: undefined },
          },
    factors: {
      list: async () => ({ factors: [factor('01900000-0000-7000-8000-00000000000f')], recoveryCodesLeft: 10 }),
      has: async () => false,
      beginTotp: async (_, name) => {
        if (name === refusing.name) return { refused: 'too_many_factors' };
        const id = systemIds.next();
        begun.add(id);
        return { id, secret: 'A', uri: 'otpauth://x', expiresAt: at };
      },
      confirmTotp: async (_, id, code) => {
        if (code === refusing.code) return { refused: 'too_many_tries', waitMs: 60_000 };
        return begun.has(id) ? { factor: factor(id), recoveryCodes: ['a', 'b'] } : { refused: 'not_found' };
      },
      takesPasskeys: true,
      beginPasskey: async (_, name) => {
        if (name === refusing.name) return { refused: 'passkeys_unavailable' };
        const id = systemIds.next();
        begun.add(id);
        return { id, options: {}, expiresAt: at };
      },
      confirmPasskey: async (_, id, response) => {
        if (response === refusing.code) return { refused: 'passkey_wrong' };
        return begun.has(id) ? { factor: factor(id), recoveryCodes: ['a', 'b'] } : { refused: 'not_found' };
      },
      waysToProve: async () => ({ app: true, passkey: undefined }),
      provePasskey: async () => ({ by: 'passkey', methods: ['hwk', 'pop'] }),
      remove: async (_, id) => (begun.has(id) ? factor(id) : { refused: 'not_found' }),
      renewRecoveryCodes: async () => ['a', 'b'],
      prove: async () => ({ by: 'totp', methods: ['otp'] }),
      reset: async () => 1,
    },
  };
}
