import { defineMachine } from '../machine.ts';

/** An event that could not be delivered stays open until an operator decides. */
export const deadLetter = defineMachine({
  name: 'dead_letter',
  initial: 'open',
  terminal: ['requeued', 'discarded'],
  states: {
    open: { requeue: 'requeued', discard: 'discarded' },
    requeued: {},
    discarded: {},
  },
});
