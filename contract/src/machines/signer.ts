import { defineMachine } from '../machine.ts';

/** The life of a task-signing key. Exactly one is active; the others let a rollout overtake its announcement or be undone. */
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
