import { defineMachine } from '../machine.ts';

/**
 * The life of a task-signing key. Exactly one is active. Staged keys allow a rollout before the announcement, keys in
 * grace allow a rollback.
 */
export const signer = defineMachine({
  name: 'signer',
  initial: 'staged',
  terminal: ['retired', 'revoked'],
  states: {
    staged: { activate: 'active', revoke: 'revoked' },
    active: { supersede: 'grace', revoke: 'revoked' },
    grace: { reactivate: 'active', retire: 'retired', revoke: 'revoked' },
    retired: {},
    revoked: {},
  },
});
