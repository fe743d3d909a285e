import { type Static, Type } from 'typebox';
import { Uuid } from '../ids.ts';
import { type TerminalEndReason, terminalEndReasonNames } from './close-codes.ts';
import { TerminalOffset, TerminalSide, terminalExit, terminalPing, terminalPong, terminalResize } from './frames.ts';

const strict = { additionalProperties: false } as const;

/** What the home says to the agent. Its bytes are input. */
export const TerminalHomeOrder = Type.Union(
  [
    Type.Object({ type: Type.Literal('resume'), from: TerminalOffset }, strict),
    Type.Object({ type: Type.Literal('client'), writer: Type.Boolean() }, strict),
    terminalResize,
    Type.Object(
      {
        type: Type.Literal('ack'),
        read: Type.Integer({ minimum: 0, description: 'How far the writer has read.' }),
        recorded: Type.Integer({ minimum: 0, description: 'How far the recording is stored, if there is one.' }),
      },
      strict,
    ),
    terminalPing,
    Type.Object({ type: Type.Literal('end'), reason: Type.Enum(terminalEndReasonNames) }, strict),
    Type.Object({ type: Type.Literal('redial') }, strict),
  ],
  { $id: 'TerminalHomeOrder' },
);
export type TerminalHomeOrder = Static<typeof TerminalHomeOrder>;

/** What the agent says to the home. Its bytes are output, from the offset that `resume` named. */
export const TerminalNodeFrame = Type.Union(
  [
    Type.Object(
      {
        type: Type.Literal('shell'),
        session_id: Uuid,
        pid: Type.Integer({ minimum: 0 }),
        from: Type.Integer({ minimum: 0, description: 'The oldest output that is kept.' }),
        to: Type.Integer({ minimum: 0, description: 'The offset of the next output.' }),
        columns: TerminalSide,
        rows: TerminalSide,
      },
      strict,
    ),
    terminalPong,
    Type.Object(
      {
        type: Type.Literal('ending'),
        reason: Type.Enum(['idle', 'time_over', 'allocation_ended'] satisfies TerminalEndReason[]),
      },
      strict,
    ),
    terminalExit,
  ],
  { $id: 'TerminalNodeFrame' },
);
export type TerminalNodeFrame = Static<typeof TerminalNodeFrame>;
