import type { Terminals } from '../../terminal/terminals.ts';
import { type Handlers, toUse } from './handler.ts';

/** Opens shells on a lease. */
export const terminalHandlers = ({ terminals }: { readonly terminals: Terminals }) =>
  ({
    'terminal.open': {
      lane: ({ session_id: sessionId }) => ({ kind: 'terminal', sessionId }),
      lease: toUse,
      async run(params, work) {
        await terminals.open(params, work.signal);
        return {};
      },
    },
  }) satisfies Handlers;
