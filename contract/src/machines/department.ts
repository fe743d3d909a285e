import { defineMachine } from '../machine.ts';

/** A department is never deleted, because spending is reported by department. A disabled one takes no new projects. */
export const department = defineMachine({
  name: 'department',
  initial: 'active',
  terminal: [],
  states: {
    active: { disable: 'disabled' },
    disabled: { enable: 'active' },
  },
});
