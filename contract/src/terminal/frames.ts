import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';

const strict = { additionalProperties: false } as const;
/** A place in the output of a shell, counted in bytes from its beginning. */
export const TerminalOffset = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const TerminalSide = Type.Integer({ minimum: 1, maximum: 1000 });
export const TerminalPingId = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
/** Shown in tabs and titles: no control characters. */
export const TerminalName = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$' });
export const TerminalRole = Type.Enum(['writer', 'watcher']);
export const TerminalRecording = Type.Enum(['off', 'metadata', 'output']);
export type TerminalRole = Static<typeof TerminalRole>;
export type TerminalRecording = Static<typeof TerminalRecording>;

export const terminalResize = Type.Object(
  { type: Type.Literal('resize'), columns: TerminalSide, rows: TerminalSide },
  strict,
);
export const terminalPing = Type.Object({ type: Type.Literal('ping'), id: TerminalPingId }, strict);
export const terminalPong = Type.Object({ type: Type.Literal('pong'), id: TerminalPingId }, strict);
/** The exit code of the shell, or null when a signal ended it. Nothing follows but the close. */
export const terminalExit = Type.Object(
  { type: Type.Literal('exit'), code: Type.Union([Type.Integer({ minimum: 0, maximum: 255 }), Type.Null()]) },
  strict,
);

/** The first text of a client, once. Anything before it is malformed. */
export const TerminalHello = Type.Object(
  {
    type: Type.Literal('hello'),
    from: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Output that the client has.' }),
    columns: TerminalSide,
    rows: TerminalSide,
  },
  strict,
);
export type TerminalHello = Static<typeof TerminalHello>;

/** What a client says, passed on unchanged to the home of the session. Only the writer resizes and ends. */
export const TerminalClientFrame = Type.Union(
  [
    TerminalHello,
    terminalResize,
    Type.Object({ type: Type.Literal('ack'), offset: TerminalOffset }, strict),
    terminalPing,
    Type.Object({ type: Type.Literal('end') }, strict),
  ],
  { $id: 'TerminalClientFrame' },
);
export type TerminalClientFrame = Static<typeof TerminalClientFrame>;

export const terminalNotices = {
  watched: 'An administrator watches this session.',
  unwatched: 'Nobody else watches this session any more.',
  node_unreachable: 'The machine does not answer; the terminal waits for it.',
  node_back: 'The machine answers again.',
  reconnecting: 'A gateway was lost; connecting to the machine through another one.',
  reconnected: 'Connected again.',
} as const;
export type TerminalNoticeCode = keyof typeof terminalNotices;

/** What the home says to a client. Bytes after `ready` begin at its `from`: first what is replayed, then what is new. */
export const TerminalHomeFrame = Type.Union(
  [
    Type.Object(
      {
        type: Type.Literal('ready'),
        session_id: Uuid,
        name: TerminalName,
        from: TerminalOffset,
        role: TerminalRole,
        pid: Type.Integer({ minimum: 0 }),
        ends_at: Timestamp,
        recording: TerminalRecording,
        simulated: Type.Boolean(),
      },
      strict,
    ),
    terminalPong,
    Type.Object(
      {
        type: Type.Literal('notice'),
        code: Type.Enum(Object.keys(terminalNotices) as TerminalNoticeCode[]),
        text: Type.String({ maxLength: 300 }),
      },
      strict,
    ),
    terminalExit,
  ],
  { $id: 'TerminalHomeFrame' },
);
export type TerminalHomeFrame = Static<typeof TerminalHomeFrame>;

/** The first text of a gateway copy that joins a session at its home. What follows are frames of its client. */
export const TerminalPeerJoin = Type.Object(
  {
    type: Type.Literal('join'),
    attachment_id: Uuid,
    role: TerminalRole,
    takes_over: Type.Boolean(),
    watched_by: Type.Optional(Type.Literal('admin')),
  },
  { $id: 'TerminalPeerJoin', additionalProperties: false },
);
export type TerminalPeerJoin = Static<typeof TerminalPeerJoin>;
