import { defineMachine } from '../machine.ts';

/** A project is removed in two steps: its resources are wound down, and proof of that deletes it. */
export const project = defineMachine({
  name: 'project',
  initial: 'active',
  terminal: ['deleted'],
  states: {
    active: { archive: 'archived', remove: 'removing' },
    archived: { restore: 'active', remove: 'removing' },
    removing: { prove: 'deleted', giveUp: 'active' },
    deleted: {},
  },
});
