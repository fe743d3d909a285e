import { defineMachine } from '../machine.ts';

/**
 * An invoice is a draft while finance may still look at it, and gets its number when it becomes final. After that nothing in it
 * changes: an invoice that is wrong becomes void, and a credit note takes back what it asked for.
 */
export const invoice = defineMachine({
  name: 'invoice',
  initial: 'draft',
  terminal: ['paid', 'void'],
  states: {
    draft: { finalise: 'final', discard: 'void' },
    final: { pay: 'paid', lapse: 'past_due', void: 'void' },
    past_due: { pay: 'paid', void: 'void' },
    paid: {},
    void: {},
  },
});
