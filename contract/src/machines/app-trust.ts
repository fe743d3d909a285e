import { defineMachine } from '../machine.ts';

/**
 * Whether a version of an app is what its publisher signed. Verification may be repeated and may change its answer; a revocation is
 * for good, and its publisher publishes another version.
 */
export const appTrust = defineMachine({
  name: 'app_trust',
  initial: 'unverified',
  terminal: ['revoked'],
  states: {
    unverified: { verify: 'verified', fail: 'failed_verification', revoke: 'revoked' },
    verified: { fail: 'failed_verification', revoke: 'revoked' },
    failed_verification: { verify: 'verified', revoke: 'revoked' },
    revoked: {},
  },
});
