import { defineMachine } from '../machine.ts';

/** A service account can be disabled and enabled; removing it is final. */
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
