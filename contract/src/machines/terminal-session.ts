import { defineMachine } from '../machine.ts';

/** A session opens when the agent of its node has brought the shell, and ends once. */
export const terminalSession = defineMachine({
  name: 'terminal_session',
  initial: 'opening',
  terminal: ['ended'],
  states: {
    opening: { open: 'open', end: 'ended' },
    open: { end: 'ended' },
    ended: {},
  },
});
