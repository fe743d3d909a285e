import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { TerminalOffset } from './frames.ts';
import { terminalLimits } from './limits.ts';

const strict = { additionalProperties: false } as const;
const Milliseconds = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Bytes = Type.Integer({ minimum: 0, maximum: terminalLimits.chunkBytes });

/**
 * One event of a recording: milliseconds since its beginning, what happened, and the value. Output (`o`) and input (`i`) say how many
 * bytes of the payload they are; a resize (`r`) has `COLUMNSxROWS`, a marker (`m`) a sentence of ours.
 */
export const TerminalRecordEvent = Type.Union([
  Type.Tuple([Milliseconds, Type.Enum(['o', 'i']), Bytes]),
  Type.Tuple([Milliseconds, Type.Literal('r'), Type.String({ pattern: '^[1-9][0-9]{0,3}x[1-9][0-9]{0,3}$' })]),
  Type.Tuple([Milliseconds, Type.Literal('m'), Type.String({ pattern: '^[A-Za-z0-9 ,.:-]{1,100}$' })]),
]);
export type TerminalRecordEvent = Static<typeof TerminalRecordEvent>;

/** What a home adds to the recording of its session. Bytes are as the shell printed them, whatever they are. */
export const TerminalRecord = Type.Object(
  {
    session_id: Uuid,
    copy_id: Type.String({ pattern: '^[A-Za-z0-9_-]{8,64}$' }),
    sequence: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    from: TerminalOffset,
    to: TerminalOffset,
    events: Type.Array(TerminalRecordEvent, { maxItems: terminalLimits.chunkEvents }),
    payload: Type.String({
      pattern: '^[A-Za-z0-9+/]*={0,2}$',
      maxLength: Math.ceil(terminalLimits.chunkBytes / 3) * 4,
      description: 'The bytes of all events, one after the other, in base64.',
    }),
    final: Type.Boolean({ description: 'Nothing follows: the shell has ended.' }),
  },
  { $id: 'TerminalRecord', ...strict },
);
export type TerminalRecord = Static<typeof TerminalRecord>;
/** Up to where output is stored. */
export const TerminalRecorded = Type.Object({ recorded: TerminalOffset }, { $id: 'TerminalRecorded', ...strict });

/** Where the recording of a session goes on; a copy that becomes its home begins there. */
export const TerminalRecordingPlace = Type.Object(
  {
    chunks: Type.Integer({ minimum: 0, description: 'Chunks that are stored.' }),
    last_ms: Milliseconds,
    began_at: Type.Union([Timestamp, Type.Null()], { description: 'Null: nothing is stored yet.' }),
    records_input: Type.Boolean(),
    patience_seconds: Type.Integer({
      minimum: 1,
      description: 'Without a chunk that is stored for this long, the session ends.',
    }),
  },
  strict,
);
export type TerminalRecordingPlace = Static<typeof TerminalRecordingPlace>;
