// Emitted from the contract by `npm run gen`; changes are lost.

/** The WebSocket subprotocol; the token is offered after it. */
export const terminalProtocol = 'gpuaas.terminal.v1';
/** A client acknowledges each time it has read this much. */
export const terminalAckBytes = 65536;
/** The most bytes of one message. */
export const terminalMessageBytes = 65536;
/** With what a terminal is closed, and whether the same shell can be joined again. */
export const terminalCloses = {
  1000: { name: 'exited', sentence: 'The shell has ended.', reconnect: false },
  4400: { name: 'malformed', sentence: 'The connection sent a message that this protocol does not have.', reconnect: false },
  4401: { name: 'token_refused', sentence: 'The token is unknown, was used before or is too old: open the terminal again.', reconnect: false },
  4403: { name: 'rights_lost', sentence: 'You may no longer use this terminal.', reconnect: false },
  4404: { name: 'allocation_ended', sentence: 'The allocation has ended, and its terminals with it.', reconnect: false },
  4408: { name: 'time_over', sentence: 'The session has reached its time limit, or nothing was typed for too long.', reconnect: false },
  4409: { name: 'taken_over', sentence: 'You opened this terminal in another place, which has taken it over.', reconnect: false },
  4410: { name: 'ended_by_operator', sentence: 'An operator or an administrator has ended this session.', reconnect: false },
  4413: { name: 'too_large', sentence: 'The connection sent a message that is too large: send input in smaller pieces.', reconnect: false },
  4429: { name: 'too_many', sentence: 'Too many terminals or connections are open: close one and try again.', reconnect: false },
  4500: { name: 'failed', sentence: 'The terminal failed for a reason on our side.', reconnect: true },
  4503: { name: 'gateway_stopping', sentence: 'The gateway is being restarted; the shell goes on. Connect again.', reconnect: true },
  4504: { name: 'node_unreachable', sentence: 'The machine does not answer. Try again in a moment.', reconnect: true },
  4507: { name: 'not_recorded', sentence: 'This session must be recorded, and its recording failed or is full. The shell has ended: open a new one.', reconnect: false },
  4508: { name: 'too_slow', sentence: 'This connection is too slow to watch the session.', reconnect: true },
} as const;
