import { type Static, Type } from 'typebox';

/**
 * What a session carries. `shell`: a terminal on the machine. `ssh`: the bytes between an SSH client and the sshd of the machine, which
 * only these two can read. `forward`: connections to one port of the machine.
 */
export const TerminalKind = Type.Enum(['shell', 'ssh', 'forward']);
export type TerminalKind = Static<typeof TerminalKind>;
export const TerminalPort = Type.Integer({ minimum: 1, maximum: 65_535 });

/** A stream has no screen to come back to: it ends with its connection, because input that was under way would be lost unseen. */
export const isStream = (kind: TerminalKind): boolean => kind !== 'shell';
