import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { type TerminalEndReason, terminalEndReasonNames } from './close-codes.ts';
import { TerminalName, TerminalOffset, TerminalRecording, TerminalRole } from './frames.ts';
import { TerminalJump, TerminalJumpAdmission, TerminalJumpAdmitted, TerminalJumpKeys } from './jump.ts';
import { TerminalKind } from './kinds.ts';
import { terminalTokenPattern } from './limits.ts';
import { TerminalRecord, TerminalRecorded, TerminalRecordingPlace } from './recording.ts';

const strict = { additionalProperties: false } as const;

/** The name of a running gateway copy: another one after each start. */
export const TerminalCopyId = Type.String({ pattern: '^[A-Za-z0-9_-]{8,64}$' });
const PeerUrl = Type.String({ pattern: '^wss://[A-Za-z0-9.:\\[\\]-]{1,255}$' });
const Copy = { copy_id: TerminalCopyId, peer_url: PeerUrl };
const Home = Type.Union([Type.Object(Copy, strict), Type.Null()]);
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const TerminalSessionFacts = Type.Object(
  {
    id: Uuid,
    allocation_id: Uuid,
    node_id: Uuid,
    user_id: Uuid,
    name: TerminalName,
    kind: TerminalKind,
    expires_at: Timestamp,
    recording: TerminalRecording,
    simulated: Type.Boolean(),
  },
  { $id: 'TerminalSessionFacts', ...strict },
);
export type TerminalSessionFacts = Static<typeof TerminalSessionFacts>;

export const TerminalAttach = Type.Object(
  {
    token: Type.String({ pattern: terminalTokenPattern }),
    allocation_id: Uuid,
    address: Type.String({ maxLength: 64, description: 'Of the client, as the gateway sees it.' }),
    ...Copy,
  },
  { $id: 'TerminalAttach', ...strict },
);
export const TerminalAttached = Type.Object(
  {
    attachment_id: Uuid,
    session: TerminalSessionFacts,
    role: TerminalRole,
    takes_over: Type.Boolean(),
    watched_by: Type.Optional(Type.Literal('admin')),
    minted_at: Timestamp,
    home: Home,
  },
  { $id: 'TerminalAttached', ...strict },
);

export const TerminalArrival = Type.Object(
  {
    session_id: Uuid,
    node_id: Uuid,
    certificate_serial: Type.String({ pattern: '^[0-9A-Fa-f]{1,64}$' }),
    ...Copy,
    from: TerminalOffset,
    to: TerminalOffset,
  },
  { $id: 'TerminalArrival', ...strict },
);
export const TerminalArrived = Type.Object(
  {
    session: TerminalSessionFacts,
    recorded: TerminalOffset,
    recording: Type.Union([TerminalRecordingPlace, Type.Null()], { description: 'Null: output is not recorded.' }),
  },
  { $id: 'TerminalArrived', ...strict },
);

export const TerminalHomeQuestion = Type.Object(
  {
    session_id: Uuid,
    wait_seconds: Type.Integer({ minimum: 0, maximum: 20 }),
    except_copy_id: Type.Optional(
      Type.String({ ...TerminalCopyId, description: 'A home that was lost: the answer waits for another one.' }),
    ),
  },
  { $id: 'TerminalHomeQuestion', ...strict },
);
export const TerminalHomeAnswer = Type.Object({ home: Home }, { $id: 'TerminalHomeAnswer', ...strict });

/** The sessions whose home this copy is. It is also the sign of life of the copy. */
export const TerminalWatch = Type.Object(
  {
    ...Copy,
    wait_seconds: Type.Integer({ minimum: 0, maximum: 20 }),
    sessions: Type.Array(
      Type.Object({ id: Uuid, writer: Type.Boolean(), watchers: Count, sent: Count, written: Count }, strict),
      { maxItems: 10_000 },
    ),
  },
  { $id: 'TerminalWatch', ...strict },
);
export const TerminalWatched = Type.Object(
  {
    end: Type.Array(Type.Object({ session_id: Uuid, reason: Type.Enum(terminalEndReasonNames) }, strict), {
      description: 'Sessions of the question that are over. Their close code follows from the reason.',
    }),
    gone_copies: Type.Array(TerminalCopyId, {
      description: 'Homes of live sessions, other than the asking copy, that have not reported for a minute.',
    }),
  },
  { $id: 'TerminalWatched', ...strict },
);

/** Reasons that a gateway may give; the others are the API's own. */
export const terminalGatewayEndReasons = [
  'exited',
  'closed_by_user',
  'idle',
  'time_over',
  'node_lost',
  'shell_failed',
  'api_unreachable',
  'recorder_failed',
  'recording_full',
] as const satisfies readonly TerminalEndReason[];
export const TerminalEnded = Type.Object(
  {
    session_id: Uuid,
    copy_id: TerminalCopyId,
    reason: Type.Enum([...terminalGatewayEndReasons]),
    exit_code: Type.Union([Type.Integer({ minimum: 0, maximum: 255 }), Type.Null()]),
    sent: Count,
    written: Count,
  },
  { $id: 'TerminalEnded', ...strict },
);
const TerminalNothing = Type.Object({}, { $id: 'TerminalNothing', ...strict });
export const TerminalEndedAnswer = Type.Object({}, { $id: 'TerminalEndedAnswer', ...strict });

/** What a gateway asks the API on its internal listener, over mTLS, as the process that its certificate names. */
export const terminalInternalRoutes = {
  attach: { path: '/internal/v1/terminal/attach', carries: TerminalAttach, answers: TerminalAttached },
  arrive: { path: '/internal/v1/terminal/arrive', carries: TerminalArrival, answers: TerminalArrived },
  home: { path: '/internal/v1/terminal/home', carries: TerminalHomeQuestion, answers: TerminalHomeAnswer },
  watch: { path: '/internal/v1/terminal/watch', carries: TerminalWatch, answers: TerminalWatched },
  record: { path: '/internal/v1/terminal/record', carries: TerminalRecord, answers: TerminalRecorded },
  ended: { path: '/internal/v1/terminal/ended', carries: TerminalEnded, answers: TerminalEndedAnswer },
  jump_keys: { path: '/internal/v1/terminal/jump-keys', carries: TerminalNothing, answers: TerminalJumpKeys },
  jump_admit: {
    path: '/internal/v1/terminal/jump-admit',
    carries: TerminalJumpAdmission,
    answers: TerminalJumpAdmitted,
  },
  jump_open: {
    path: '/internal/v1/terminal/jump-open',
    carries: Type.Object({ ...TerminalJump.properties, ...Copy }, { $id: 'TerminalJumpOpen', ...strict }),
    answers: TerminalAttached,
  },
} as const;
export type TerminalInternalRoute = keyof typeof terminalInternalRoutes;
export type TerminalInternalInput<R extends TerminalInternalRoute> = Static<
  (typeof terminalInternalRoutes)[R]['carries']
>;
export type TerminalInternalOutput<R extends TerminalInternalRoute> = Static<
  (typeof terminalInternalRoutes)[R]['answers']
>;
/** All of them are POST, and only this process may call them. */
export const terminalInternalCaller = 'terminal-gateway';
