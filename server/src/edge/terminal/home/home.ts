import {
  isStream,
  type TerminalEndReason,
  type TerminalHello,
  type TerminalNodeFrame,
  type TerminalRecordingPlace,
  type TerminalSessionFacts,
  terminalEndReasons,
  terminalLimits,
} from '@gpuaas/contract/terminal';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { later } from '../later.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { Wire } from '../wire.ts';
import {
  type Arrival,
  acknowledge,
  announceWriter,
  dismissAll,
  type HomeState,
  holdForRecorder,
  isWatchedByAdmin,
  makeHomeState,
  releaseNode,
  releaseRecorded,
  sayReady,
} from './home-state.ts';
import type { Recorder, RecorderFailure } from './recorder.ts';
import type { ClientSays, Seat } from './seat.ts';

/**
 * The home of a session: the copy where its agent is connected. All clients meet here. It passes output on to each from where
 * that client is, input of the one writer to the agent, and never holds more than bounds allow: it stops reading from the agent
 * while the writer's connection is full, and from the writer while the agent's is.
 *
 * It keeps a copy of the last output for clients that join. Everything that matters is with the agent, so that another copy can be
 * the home a moment later.
 */
export interface Home {
  readonly sessionId: string;
  readonly nodeId: string;
  readonly hasNode: boolean;
  readonly hasWriter: boolean;
  readonly watchers: number;
  /** Bytes of output that came from the agent here, and of input that went to it. */
  readonly sent: number;
  readonly written: number;
  /** How long the oldest output waits to be stored; 0 where nothing is recorded. */
  readonly recorderLagMs: number;
  /** Begins the recording, before the agent is asked for output. False: the session has ended, for it must be recorded. */
  record(place: TerminalRecordingPlace, from: number, size: Size): Promise<boolean>;
  /** The agent is here. Output follows from the offset that it is asked for. */
  settle(wire: Wire, arrival: Arrival): void;
  /** The agent's connection is gone; the same shell may come back here or at another copy. */
  lose(wire: Wire): void;
  takeOutput(bytes: Buffer): void;
  takeNodeFrame(frame: NodeSays): void;
  join(seat: Seat, hello: TerminalHello, takesOver: boolean): void;
  leave(seat: Seat): void;
  takeInput(seat: Seat, bytes: Buffer): void;
  takeClientFrame(seat: Seat, frame: ClientSays): void;
  /** The network took something that a client was sent: the agent may be read from again. */
  drained(seat: Seat): void;
  /** Ends the shell and closes everything. */
  end(reason: TerminalEndReason): void;
  /** Clients look for the new home; an agent that is still here dials again. */
  moveOut(): void;
}
export type NodeSays = Exclude<TerminalNodeFrame, { type: 'shell' }>;
interface Size {
  readonly columns: number;
  readonly rows: number;
}
export interface RecorderListener {
  readonly onStored: () => void;
  readonly onFailed: (reason: RecorderFailure) => void;
}
export interface HomeParts {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: GatewayMetrics;
  readonly makeRecorder: (place: TerminalRecordingPlace, from: number, on: RecorderListener) => Recorder;
  /** The session is over; without a reason the api knows it already. The recording has its end when `recorded` resolves. */
  readonly onEnded: (
    home: Home,
    reason: TerminalEndReason | undefined,
    exitCode: number | null,
    recorded: Promise<unknown>,
  ) => void;
  readonly onLost: (home: Home) => void;
  /** A client came or went. */
  readonly onChanged: () => void;
}

const endWithinMs = 5_000;
const mostWatchers = 32;
/** Other reasons come from the api itself. */
const ownReasons: readonly TerminalEndReason[] = [
  ...(['exited', 'closed_by_user', 'idle', 'time_over'] as const),
  ...(['node_lost', 'api_unreachable', 'recorder_failed', 'recording_full'] as const),
];
const toReport = (reason: TerminalEndReason) => (ownReasons.includes(reason) ? reason : undefined);

export function makeHome(facts: TerminalSessionFacts, parts: HomeParts): Home {
  const state = makeHomeState(facts, parts.metrics);
  const home: Home = {
    sessionId: facts.id,
    nodeId: facts.node_id,
    get hasNode() {
      return state.node !== undefined;
    },
    get hasWriter() {
      return state.writer !== undefined;
    },
    get watchers() {
      return state.seats.size - (state.writer ? 1 : 0);
    },
    get sent() {
      return state.sent;
    },
    get written() {
      return state.written;
    },
    get recorderLagMs() {
      return state.recorder?.lagMs ?? 0;
    },
    async record(place, from, size) {
      if (state.recorder) return !state.isOver;
      const listener = { onStored: () => releaseRecorded(state), onFailed: home.end };
      state.recorder = parts.makeRecorder(place, from, listener);
      return state.recorder.begin(size);
    },
    settle(wire, arrival) {
      settle(state, wire, arrival);
      parts.onChanged();
    },
    lose(wire) {
      if (state.node !== wire || state.isOver) return;
      lose(state);
      parts.onLost(home);
    },
    takeOutput: (bytes) => takeOutput(state, bytes),
    takeNodeFrame(frame) {
      if (frame.type !== 'exit') return hearNode(state, frame);
      if (state.isOver) return;
      state.isOver = true;
      const leave = (reason: TerminalEndReason, recorded: Promise<unknown>) => {
        for (const seat of state.seats) seat.say(frame);
        dismissAll(state, terminalEndReasons[reason]);
        state.node?.close(1000);
        parts.onEnded(home, toReport(reason), frame.code, recorded);
      };
      const finished = finish(state);
      // Clients hear of the end once everything that they were sent is stored.
      if (!state.recorder) leave(state.ending ?? 'exited', finished);
      else {
        finished
          .catch(() => false)
          .then((isStored) => leave(isStored ? (state.ending ?? 'exited') : 'recorder_failed', finished))
          .catch((error: unknown) => parts.log.error({ err: error }, 'a recorded terminal could not be closed'));
      }
    },
    join(seat, hello, takesOver) {
      join(state, seat, hello, takesOver);
      parts.onChanged();
    },
    leave(seat) {
      leave(state, seat);
      parts.onChanged();
    },
    takeInput: (seat, bytes) => takeInput(state, seat, bytes),
    takeClientFrame: (seat, frame) => hearClient(state, seat, frame),
    drained(seat) {
      if (seat !== state.writer) return;
      acknowledge(state);
      releaseNode(state);
    },
    end(reason) {
      if (state.isOver) return;
      state.isOver = true;
      endShell(parts.clock, state.node, reason);
      dismissAll(state, terminalEndReasons[reason]);
      parts.onEnded(home, toReport(reason), null, finish(state));
    },
    moveOut() {
      state.isOver = true;
      state.recorder?.stop();
      state.node?.sendText({ type: 'redial' });
      dismissAll(state, 4503);
    },
  };
  return home;
}

/** The rest of the recording is stored, if there is one. A recorder that has failed stores nothing more. */
const finish = async ({ recorder }: HomeState): Promise<boolean> => recorder?.finish() ?? true;

function settle(state: HomeState, wire: Wire, { facts, pty }: Arrival): void {
  const { ring, seats } = state;
  const isBack = state.pty !== undefined;
  // The agent has dialled again before the old connection was noticed to be gone.
  state.node?.terminate();
  Object.assign(state, { node: wire, facts, pty });
  const goesOn = isBack && ring.to >= pty.from && ring.to <= pty.to;
  if (!goesOn) ring.restart(pty.from);
  wire.sendText({ type: 'resume', from: ring.to });
  releaseRecorded(state);
  if (isBack) state.recorder?.mark('the machine answers again');
  for (const seat of seats) {
    const from = Math.min(Math.max(seat.next, ring.from), pty.to);
    // A client that lacks output which nobody has any more learns where it goes on.
    if (from !== seat.next) sayReady(state, seat, from);
    seat.releaseInput('homeless');
    if (isBack) seat.notice('node_back');
  }
  // An agent whose writer is on the way back keeps what that one lacks; it is not asked to let go of it.
  if (state.writer) announceWriter(state);
}

function lose(state: HomeState): void {
  state.node = undefined;
  state.recorder?.mark('the machine does not answer');
  for (const seat of state.seats) {
    seat.notice('node_unreachable');
    seat.releaseInput('node');
    seat.holdInput('homeless');
  }
}

function takeOutput(state: HomeState, bytes: Buffer): void {
  const at = state.ring.to;
  state.ring.write(bytes);
  state.sent += bytes.length;
  state.metrics.countBytes('output', bytes.length);
  state.recorder?.output(at, bytes);
  holdForRecorder(state);
  for (const seat of [...state.seats]) seat.give(at, bytes);
  const waiting = state.writer?.waitingBytes ?? 0;
  if (waiting > terminalLimits.pauseAboveBytes) state.node?.pause('client');
}

function hearNode(state: HomeState, frame: Exclude<NodeSays, { type: 'exit' }>): void {
  if (frame.type === 'ending') {
    state.ending ??= frame.reason;
    return;
  }
  const asked = state.pings.take(frame.id);
  if (asked && state.seats.has(asked.by) && !isFull(asked.by)) asked.by.say({ type: 'pong', id: asked.id });
}

function join(state: HomeState, seat: Seat, hello: TerminalHello, takesOver: boolean) {
  const { ring, seats, writer: before } = state;
  if (seat.role === 'writer' && before) {
    if (!takesOver) return seat.dismiss(4409);
    seats.delete(before);
    before.dismiss(4409);
    state.recorder?.mark('taken over in another place');
  }
  if (seat.role === 'watcher' && seats.size > mostWatchers) return seat.dismiss(4429);
  seats.add(seat);
  const newest = Math.max(ring.to, state.pty?.to ?? 0);
  sayReady(state, seat, Math.min(Math.max(hello.from, ring.from), newest));
  seat.give(ring.from, ring.read(ring.from));
  if (!state.node) seat.holdInput('homeless');
  if (seat.role === 'watcher') {
    if (!seat.isAdmin) return;
    before?.notice('watched');
    state.recorder?.mark('an administrator watches');
    return;
  }
  state.writer = seat;
  state.node?.sendText({ type: 'resize', columns: hello.columns, rows: hello.rows });
  state.recorder?.resize(hello.columns, hello.rows);
  if (isWatchedByAdmin(state)) seat.notice('watched');
  announceWriter(state);
}

function leave(state: HomeState, seat: Seat): void {
  if (!state.seats.delete(seat)) return;
  state.pings.forget(seat);
  if (seat === state.writer) {
    // Nobody joins a stream again, so it ends with its client.
    if (isStream(state.facts.kind)) hearClient(state, seat, { type: 'end' });
    state.writer = undefined;
    announceWriter(state);
    return;
  }
  if (seat.isAdmin && !isWatchedByAdmin(state)) state.writer?.notice('unwatched');
}

function takeInput(state: HomeState, seat: Seat, bytes: Buffer): void {
  const { node } = state;
  // A watcher that types is not heard.
  if (seat !== state.writer || !node) return;
  state.written += bytes.length;
  state.metrics.countBytes('input', bytes.length);
  state.recorder?.input(bytes);
  holdForRecorder(state);
  node.sendBytes(bytes, () => releaseInput(node, seat));
  if (isFull(node)) seat.holdInput('node');
}
const isFull = (wire: Pick<Wire, 'waitingBytes'>) => wire.waitingBytes > terminalLimits.pauseAboveBytes;
const releaseInput = (node: Wire, seat: Seat): void => {
  if (node.waitingBytes <= terminalLimits.pauseAboveBytes / 2) seat.releaseInput('node');
};

/** A frame of the writer, which waits while the agent takes nothing, as its input does. */
function passOn({ node }: HomeState, seat: Seat, frame: object): void {
  if (!node) return;
  node.sendText(frame, () => releaseInput(node, seat));
  if (isFull(node)) seat.holdInput('node');
}

function hearClient(state: HomeState, seat: Seat, frame: ClientSays): void {
  const isWriter = seat === state.writer;
  switch (frame.type) {
    case 'ack':
      if (seat.acknowledge(frame.offset) && isWriter) acknowledge(state);
      return;
    case 'ping':
      // A watcher is never held, so its pings must not wait: an answer that late would measure nothing.
      if (!state.node || isFull(state.node)) return;
      state.node.sendText({ type: 'ping', id: state.pings.keep(seat, frame.id) });
      return;
    case 'resize':
      if (!isWriter) return;
      state.recorder?.resize(frame.columns, frame.rows);
      passOn(state, seat, frame);
      return;
    case 'end':
      if (!isWriter) return;
      state.ending = 'closed_by_user';
      passOn(state, seat, { type: 'end', reason: 'closed_by_user' });
  }
}

/** The agent closes when its shell is gone; its own limits end the shell if this was not heard. */
function endShell(clock: Clock, node: Wire | undefined, reason: TerminalEndReason): void {
  if (!node) return;
  node.sendText({ type: 'end', reason });
  const callOff = later(clock, endWithinMs, () => node.close(1000));
  node.closed.then(callOff, callOff);
}
