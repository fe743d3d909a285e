interface Close {
  readonly name: string;
  /** What a person reads. */
  readonly sentence: string;
  /** Whether a client may connect again and finds the same shell: with a new token and mode `take_over`, or `watch`. */
  readonly reconnect: boolean;
}
const close = (name: string, sentence: string, reconnect = false): Close => ({ name, sentence, reconnect });

/** Every code with which a terminal connection is closed. 1000 follows an `exit` frame. */
export const terminalCloses = {
  1000: close('exited', 'The shell has ended.'),
  4400: close('malformed', 'The connection sent a message that this protocol does not have.'),
  4401: close('token_refused', 'The token is unknown, was used before or is too old: open the terminal again.'),
  4403: close('rights_lost', 'You may no longer use this terminal.'),
  4404: close('allocation_ended', 'The allocation has ended, and its terminals with it.'),
  4408: close('time_over', 'The session has reached its time limit, or nothing was typed for too long.'),
  4409: close('taken_over', 'You opened this terminal in another place, which has taken it over.'),
  4410: close('ended_by_operator', 'An operator or an administrator has ended this session.'),
  4413: close('too_large', 'The connection sent a message that is too large: send input in smaller pieces.'),
  4429: close('too_many', 'Too many terminals or connections are open: close one and try again.'),
  4500: close('failed', 'The terminal failed for a reason on our side.', true),
  4503: close('gateway_stopping', 'The gateway is being restarted; the shell goes on. Connect again.', true),
  4504: close('node_unreachable', 'The machine does not answer. Try again in a moment.', true),
  4507: close(
    'not_recorded',
    'This session must be recorded, and its recording failed or is full. The shell has ended: open a new one.',
  ),
  4508: close('too_slow', 'This connection is too slow to watch the session.', true),
} as const satisfies Record<number, Close>;
export type TerminalCloseCode = keyof typeof terminalCloses;

/** Why a session ended, with the code with which its connections are closed. */
export const terminalEndReasons = {
  exited: 1000,
  closed_by_user: 1000,
  closed_by_admin: 4410,
  closed_by_operator: 4410,
  rights_lost: 4403,
  allocation_ended: 4404,
  time_over: 4408,
  idle: 4408,
  never_opened: 4504,
  shell_failed: 4500,
  node_lost: 4504,
  api_unreachable: 4500,
  recorder_failed: 4507,
  recording_full: 4507,
} as const satisfies Record<string, TerminalCloseCode>;
export type TerminalEndReason = keyof typeof terminalEndReasons;
export const terminalEndReasonNames = Object.keys(terminalEndReasons) as TerminalEndReason[];

/** The close code for a refusal of the API, by the error code of the problem. */
const closeOfRefusal: Readonly<Record<string, TerminalCloseCode>> = {
  validation_error: 4400,
  terminal_token_invalid: 4401,
  account_disabled: 4403,
  insufficient_permissions: 4403,
  ownership_required: 4403,
  allocation_not_found: 4404,
  allocation_not_active: 4404,
  terminal_session_ended: 4408,
  terminal_session_in_use: 4409,
  terminal_session_limit: 4429,
  rate_limit_exceeded: 4429,
  terminal_recording_required: 4403,
  terminal_unsupported: 4504,
  terminal_not_recorded: 4507,
};
export const terminalCloseOfRefusal = (errorCode: string): TerminalCloseCode => closeOfRefusal[errorCode] ?? 4500;
