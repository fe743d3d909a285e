/**
 * The protocol of terminals: browsers and the command line on one side, the terminal-gateway in the middle, agents on the other
 * side, and what the gateway asks the API. The agent, the gateway and the API import this file; the SDKs get the same tables emitted.
 *
 * The agent owns the shell and the offsets of its output. A gateway copy carries frames and keeps nothing that matters, so a copy
 * that dies costs a reconnect and never a shell. The API mints and takes tokens, knows sessions and ends them.
 *
 * Binary messages are bytes: input towards the shell, output away from it. A text message is one JSON object with a `type`.
 */
export * from './close-codes.ts';
export * from './frames.ts';
export * from './internal.ts';
export * from './jump.ts';
export * from './kinds.ts';
export * from './limits.ts';
export * from './node-frames.ts';
export * from './recording.ts';
