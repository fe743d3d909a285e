import {
  type TerminalEndReason,
  type TerminalNodeFrame,
  type TerminalSessionFacts,
  terminalLimits,
} from '@gpuaas/contract/terminal';
import type { GatewayMetrics } from '../metrics.ts';
import type { Wire } from '../wire.ts';
import { makePings, type Pings } from './pings.ts';
import type { Recorder } from './recorder.ts';
import { makeRing, type Ring } from './ring.ts';
import type { Seat } from './seat.ts';

export interface Arrival {
  readonly pty: Extract<TerminalNodeFrame, { type: 'shell' }>;
  readonly facts: TerminalSessionFacts;
}

/**
 * What the agent may have sent without an acknowledgement, and one piece above it: a writer who comes to a new home finds there
 * everything that it lacks.
 */
const ringBytes = Math.max(terminalLimits.ringBytes, terminalLimits.windowBytes) + 65_536;

/** What a home knows of its session. */
export interface HomeState {
  readonly sessionId: string;
  readonly ring: Ring;
  readonly seats: Set<Seat>;
  readonly pings: Pings<Seat>;
  readonly metrics: GatewayMetrics;
  facts: TerminalSessionFacts;
  node: Wire | undefined;
  pty: Arrival['pty'] | undefined;
  /** Only a session that must be recorded has one, from before its first output on. */
  recorder: Recorder | undefined;
  writer: Seat | undefined;
  /** The last acknowledgement that the agent got. */
  announced: number;
  ending: TerminalEndReason | undefined;
  isOver: boolean;
  sent: number;
  written: number;
}

export const makeHomeState = (facts: TerminalSessionFacts, metrics: GatewayMetrics): HomeState => ({
  ...{ sessionId: facts.id, facts, metrics },
  ring: makeRing(ringBytes),
  seats: new Set(),
  pings: makePings(),
  ...{ node: undefined, pty: undefined, writer: undefined, ending: undefined, isOver: false },
  ...{ recorder: undefined, announced: 0, sent: 0, written: 0 },
});

/** The agent sends so much beyond what the writer has read, and no more. */
export function acknowledge(state: HomeState): void {
  const { writer, node } = state;
  if (!writer || writer.read <= state.announced) return;
  state.announced = writer.read;
  node?.sendText({ type: 'ack', read: state.announced, recorded: state.recorder?.recorded ?? 0 });
}

/** More is stored: the agent lets go of it, and both sides are read from again. */
export function releaseRecorded(state: HomeState): void {
  const { node, recorder, writer } = state;
  if (!recorder) return;
  node?.sendText({ type: 'ack', read: Math.max(0, state.announced), recorded: recorder.recorded });
  if (recorder.pendingBytes > terminalLimits.pauseAboveBytes) return;
  node?.resume('recorder');
  writer?.releaseInput('recorder');
}

/** A recorder that has much to store holds those who give it more. */
export function holdForRecorder(state: HomeState): void {
  const { node, recorder, writer } = state;
  if (!recorder || recorder.pendingBytes <= terminalLimits.windowBytes) return;
  node?.pause('recorder');
  if (recorder.recordsInput) writer?.holdInput('recorder');
}

/** The agent is read from again once the writer's connection has room; without a writer it is never held. */
export function releaseNode(state: HomeState): void {
  const waiting = state.writer?.waitingBytes ?? 0;
  if (waiting <= terminalLimits.pauseAboveBytes / 2) state.node?.resume('client');
}

export function announceWriter(state: HomeState): void {
  state.node?.sendText({ type: 'client', writer: state.writer !== undefined });
  // Another writer may have read less than the one before it.
  state.announced = -1;
  acknowledge(state);
  releaseNode(state);
}

export function sayReady({ facts, pty, sessionId }: HomeState, seat: Seat, from: number): void {
  seat.start(from);
  seat.say({
    ...{ type: 'ready', session_id: sessionId, name: facts.name, from, role: seat.role, pid: pty?.pid ?? 0 },
    ...{ ends_at: facts.expires_at, recording: facts.recording, simulated: facts.simulated },
  });
}

export function dismissAll(state: HomeState, code: number): void {
  const seats = [...state.seats];
  state.seats.clear();
  state.writer = undefined;
  for (const seat of seats) seat.dismiss(code);
}

export const isWatchedByAdmin = ({ seats }: HomeState): boolean => [...seats].some(({ isAdmin }) => isAdmin);
