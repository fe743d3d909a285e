import { terminalLimits } from '@gpuaas/contract/terminal';
import { makeRing } from './ring.ts';

/**
 * The output of one shell: what is kept of it, how far it was sent, and whether the shell may print more. Offsets count the
 * bytes that the shell has printed. The rules, each of which bounds what is kept:
 *
 * - A connection that is up gets every byte: the shell waits while the ring is full of bytes that were not sent yet.
 * - A person who reads gets every byte also across a lost connection: what was not acknowledged is kept, up to the window,
 *   and then the shell waits. A reader who is lost is waited for a moment (`release` ends that), so that a gateway that
 *   restarts costs no byte.
 * - Without a reader the shell prints on, and the ring keeps the end of it.
 * - What must be recorded is kept until it is: the shell waits at the length of the ring.
 */
export interface Output {
  readonly from: number;
  readonly to: number;
  readonly sent: number;
  readonly allocated: number;
  readonly hasReader: boolean;
  /** Whether there is more that the connection, if it is up, will get. */
  readonly hasMore: boolean;
  /** Whether the shell may print more. */
  readonly mayPrint: boolean;
  /** The next bytes for the gateway, if there are any that may be sent. */
  next(): Buffer | undefined;
  /**
   * Takes what the shell printed. A shell that is being ended is read without waiting: what has no room beside bytes that
   * are still to be sent or recorded is dropped and not counted, so that what is sent has no gap in its offsets.
   */
  push(bytes: Uint8Array): void;
  /** A gateway was asked where to begin. Nothing is forgotten until it says so. */
  offer(): void;
  /** The gateway wants the output from here. Answers where it begins: what is not kept any more cannot be sent. */
  resume(from: number): number;
  /** The connection is lost. */
  lose(): void;
  setReader(reads: boolean): void;
  /** Nobody came back in time: a lost reader is not waited for any longer. */
  release(): void;
  acknowledge(read: number, recorded: number): void;
  /** Acknowledgements wait behind input that the shell does not take: the window would never open. */
  ignoreWindow(isIgnored: boolean): void;
}

/** One frame of output. Small frames let control frames pass between them. */
const frameBytes = 32 * 1_024;
/** The largest piece that a terminal hands over at once, above every limit. */
const pieceBytes = 64 * 1_024;

export function makeOutput(order: {
  readonly ringBytes: number;
  readonly isRecorded: boolean;
  /** Not a byte may be missing, also before the reader has come: it counts as one that is waited for. */
  readonly isStream?: boolean;
  readonly windowBytes?: number;
}): Output {
  const { ringBytes, isRecorded, windowBytes = terminalLimits.windowBytes } = order;
  const limitBytes = Math.max(ringBytes, windowBytes) + pieceBytes;
  const ring = makeRing(limitBytes);
  let connection: 'none' | 'offered' | 'up' = 'none';
  /** `lost`: the reader was here a moment ago and is waited for. */
  let reader: 'none' | 'here' | 'lost' = order.isStream ? 'lost' : 'none';
  let isWindowIgnored = false;
  let sent = 0;
  let read = 0;
  let recorded = 0;

  const heldFor = () => (reader === 'none' || isWindowIgnored ? Number.POSITIVE_INFINITY : read);
  /** The oldest byte that a connection or a recording still has to get. */
  const owedFrom = () => {
    const floors = [ring.to];
    if (connection === 'up') floors.push(sent);
    if (connection === 'offered') floors.push(ring.from);
    if (isRecorded) floors.push(recorded);
    return Math.min(...floors);
  };
  const trim = () => ring.forget(Math.min(ring.to - ringBytes, heldFor(), owedFrom()));
  return {
    get from() {
      return ring.from;
    },
    get to() {
      return ring.to;
    },
    get sent() {
      return sent;
    },
    get allocated() {
      return ring.allocated;
    },
    get hasReader() {
      return reader === 'here';
    },
    get hasMore() {
      return connection === 'up' && sent < ring.to;
    },
    get mayPrint() {
      if (connection === 'up' && ring.to - sent >= ringBytes) return false;
      if (connection === 'offered' && ring.to - ring.from >= ringBytes) return false;
      if (isRecorded && ring.to - recorded >= ringBytes) return false;
      return ring.to - heldFor() < windowBytes;
    },
    next() {
      if (connection !== 'up') return undefined;
      const end = Math.min(ring.to, heldFor() + windowBytes);
      if (sent >= end) return undefined;
      const bytes = ring.read(sent, Math.min(frameBytes, end - sent));
      sent += bytes.length;
      return bytes;
    },
    push(bytes) {
      ring.push(bytes.subarray(0, Math.max(0, limitBytes - (ring.to - owedFrom()))));
      trim();
    },
    offer() {
      connection = 'offered';
    },
    resume(from) {
      connection = 'up';
      sent = Math.min(Math.max(from, ring.from), ring.to);
      return sent;
    },
    lose() {
      connection = 'none';
      if (reader === 'here') reader = 'lost';
      isWindowIgnored = false;
    },
    setReader(reads) {
      if (reads) {
        reader = 'here';
        // What was forgotten while nobody read cannot be waited for.
        read = Math.max(read, ring.from);
      } else if (reader === 'here') reader = 'lost';
    },
    release() {
      if (reader === 'lost' && !order.isStream) reader = 'none';
      trim();
    },
    acknowledge(readTo, recordedTo) {
      read = Math.min(Math.max(readTo, read), ring.to);
      recorded = Math.min(Math.max(recordedTo, recorded), ring.to);
      trim();
    },
    ignoreWindow(isIgnored) {
      isWindowIgnored = isIgnored;
    },
  };
}
