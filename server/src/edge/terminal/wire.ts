import { terminalLimits } from '@gpuaas/contract/terminal';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../kernel/clock.ts';
import { later, nowMs } from './later.ts';

/**
 * One WebSocket. It counts what waits to be sent, stops reading while its owner asks for that, and notices a peer that is gone:
 * a gateway holds thousands of these, and each has a bound.
 */
export interface Wire {
  /** What was handed over and has not reached the network yet. */
  readonly waitingBytes: number;
  readonly isPaused: boolean;
  readonly isOpen: boolean;
  sendBytes(bytes: Buffer, sent?: () => void): void;
  sendText(frame: object | string, sent?: () => void): void;
  /** Nothing is read while one reason to pause is left. */
  pause(why: PauseReason): void;
  resume(why: PauseReason): void;
  close(code: number, reason?: string): void;
  terminate(): void;
  /** The code with which the other side, or we, closed. */
  readonly closed: Promise<number>;
  /** Sends a ping; answers false when the peer has missed too many. */
  probe(): boolean;
}
export type PauseReason = 'opening' | 'homeless' | 'node' | 'client' | 'peer' | 'recorder';
export interface WireListener {
  onBytes(bytes: Buffer): void;
  onText(text: string): void;
}

const maxReasonBytes = 120;
const nothingHeard = 1006;
/** A frame of JSON is small; only bytes are large. */
const maxTextBytes = 4_096;
/** The answer to a ping may wait behind a long paste. A peer that talks and answers none of so many reads nothing. */
const mostUnanswered = 10 * terminalLimits.missedPings;
/** How long a peer has to answer a close. */
const closeWithinMs = 5_000;
/**
 * More than this never waits on a connection: who sends pauses or leaves long before. A peer that asks for answers and reads none
 * would fill the memory of all.
 */
export const mostWaitingBytes = terminalLimits.watcherLagBytes + terminalLimits.windowBytes;

export function makeWire(
  socket: WebSocket,
  parts: {
    /** The largest message. The library refuses those above twice as much without reading them. */
    readonly messageBytes: number;
    readonly onPaused?: (seconds: number) => void;
    readonly listener: WireListener;
    readonly clock: Clock;
  },
): Wire {
  const pauses = new Set<PauseReason>();
  const closed = Promise.withResolvers<number>();
  const pulse = makePulse(socket);
  let pausedAtMs = 0;
  let callOff: (() => void) | undefined;

  const close = (code: number, reason = ''): void => {
    if (socket.readyState > socket.OPEN) return;
    pauses.clear();
    // A paused socket would never hear the answer to its close.
    if (socket.isPaused) socket.resume();
    socket.close(code, Buffer.from(reason).subarray(0, maxReasonBytes).toString());
    callOff = later(parts.clock, closeWithinMs, () => socket.terminate());
  };
  const send = (data: Buffer | string, sent?: () => void): void => {
    if (socket.readyState !== socket.OPEN) return;
    pulse.handed(Buffer.byteLength(data));
    socket.send(data, { binary: typeof data !== 'string' }, () => sent?.());
    if (socket.bufferedAmount > mostWaitingBytes) socket.terminate();
  };
  const take = (data: RawData, isBinary: boolean): void => {
    pulse.heard();
    // After our own close nothing counts any more.
    if (socket.readyState !== socket.OPEN) return;
    const bytes = data as Buffer;
    if (bytes.length > (isBinary ? parts.messageBytes : maxTextBytes)) {
      close(4413);
      return;
    }
    if (isBinary) parts.listener.onBytes(bytes);
    else parts.listener.onText(bytes.toString('utf8'));
  };
  socket.on('message', take);
  socket.on('pong', pulse.restart);
  answerPings(socket);
  // The library closes the connection itself; `close` follows.
  socket.on('error', () => undefined);
  socket.once('close', (code) => {
    callOff?.();
    closed.resolve(code === 0 ? nothingHeard : code);
  });

  return {
    get waitingBytes() {
      return socket.bufferedAmount;
    },
    get isPaused() {
      return pauses.size > 0;
    },
    get isOpen() {
      return socket.readyState === socket.OPEN;
    },
    sendBytes: send,
    sendText: (frame, sent) => send(typeof frame === 'string' ? frame : JSON.stringify(frame), sent),
    pause(why) {
      if (socket.readyState !== socket.OPEN) return;
      if (pauses.size === 0) {
        pausedAtMs = nowMs(parts.clock);
        socket.pause();
      }
      pauses.add(why);
    },
    resume(why) {
      if (!pauses.delete(why) || pauses.size > 0) return;
      parts.onPaused?.((nowMs(parts.clock) - pausedAtMs) / 1_000);
      pulse.restart();
      if (socket.readyState === socket.OPEN) socket.resume();
    },
    close,
    terminate: () => socket.terminate(),
    closed: closed.promise,
    probe() {
      if (socket.readyState !== socket.OPEN) return true;
      // Nothing is read while we pause, so silence says nothing then.
      if (pauses.size === 0 && pulse.isGone) return false;
      pulse.asked();
      socket.ping();
      return true;
    },
  };
}

/** The library would queue an answer to each ping (`autoPong`). One is under way at most; the protocol allows that. */
function answerPings(socket: WebSocket): void {
  let isAnswering = false;
  socket.on('ping', (data) => {
    if (isAnswering || socket.readyState !== socket.OPEN) return;
    isAnswering = true;
    socket.pong(data, undefined, () => {
      isAnswering = false;
    });
    if (socket.bufferedAmount > mostWaitingBytes) socket.terminate();
  });
}

/** Whether the peer is there and reads. */
function makePulse(socket: WebSocket) {
  let missed = 0;
  let unanswered = 0;
  let handedBytes = 0;
  let takenWhenAsked = 0;
  const takenBytes = () => handedBytes - socket.bufferedAmount;
  return {
    get isGone() {
      return missed >= terminalLimits.missedPings || unanswered >= mostUnanswered;
    },
    handed(bytes: number): void {
      handedBytes += bytes;
    },
    /** A peer that only talks, while what it is sent stays where it is, does not read: its words are no sign of life. */
    heard(): void {
      if (socket.bufferedAmount === 0 || takenBytes() > takenWhenAsked) missed = 0;
    },
    asked(): void {
      missed += 1;
      unanswered += 1;
      takenWhenAsked = Math.max(takenWhenAsked, takenBytes());
    },
    restart(): void {
      missed = 0;
      unanswered = 0;
    },
  };
}
