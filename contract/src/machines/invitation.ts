import { defineMachine } from '../machine.ts';

/** An invitation is accepted once, revoked, or expires. */
export const invitation = defineMachine({
  name: 'invitation',
  initial: 'pending',
  terminal: ['accepted', 'revoked', 'expired'],
  states: {
    pending: { accept: 'accepted', revoke: 'revoked', expire: 'expired' },
    accepted: {},
    revoked: {},
    expired: {},
  },
});
