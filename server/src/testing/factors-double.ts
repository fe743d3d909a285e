import type { FactorsOfAccounts } from '../bin/api/factors.ts';
import type { Factor } from '../ports/identity-provider/port.ts';

const at = new Date('2026-01-01T00:00:00Z');
/** Subjects of tests are words; those of our own provider are ids of accounts. */
const accountId = '01900000-0000-7000-8000-0000000000ac';
const factor = (id: string): Factor => ({ id, kind: 'totp', name: 'Phone', createdAt: at, lastUsedAt: undefined });

/** A provider that grants every change, for tests about routes. What a real one does is tried by its own tests. */
export const makeFactorsDouble = (): FactorsOfAccounts => ({
  findAccount: async (subject) => ({
    ...{ id: accountId, login: subject, displayName: subject, email: 'somebody@example.com' },
    ...{ createdAt: at, disabledAt: undefined },
  }),
  factors: {
    list: async () => ({ factors: [factor('01900000-0000-7000-8000-00000000000f')], recoveryCodesLeft: 10 }),
    has: async () => false,
    beginTotp: async () => ({
      id: '01900000-0000-7000-8000-00000000000f',
      secret: 'A',
      uri: 'otpauth://x',
      expiresAt: at,
    }),
    confirmTotp: async (_, id) => ({ factor: factor(id), recoveryCodes: ['a', 'b'] }),
    remove: async (_, id) => factor(id),
    renewRecoveryCodes: async () => ['a', 'b'],
    prove: async () => ({ by: 'totp', methods: ['otp'] }),
    reset: async () => 1,
  },
});
