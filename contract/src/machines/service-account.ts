import { defineMachine } from '../machine.ts';

/** A service account can be switched off and on again; removing it is for ever. */
export const serviceAccount = defineMachine({
  name: 'service_account',
  initial: 'active',
  terminal: ['deleted'],
  states: {
    active: { disable: 'disabled', remove: 'deleted' },
    disabled: { enable: 'active', remove: 'deleted' },
    deleted: {},
  },
});
