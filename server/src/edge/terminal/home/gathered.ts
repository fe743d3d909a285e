import { type TerminalRecordEvent, terminalLimits } from '@gpuaas/contract/terminal';

/** Events of a recording that are not under way yet, with their bytes. */
export interface Gathered {
  /** What waits, as bytes: those of terminals, and a share for each event. */
  readonly size: number;
  /** Since when the oldest event waits. */
  readonly sinceMs: number | undefined;
  readonly isEmpty: boolean;
  /** It is worth a chunk. */
  readonly isFull: boolean;
  /** Something waits from now on, at the latest. */
  touch(nowMs: number): void;
  add(ms: number, kind: 'o' | 'i', bytes: Buffer): void;
  note(event: TerminalRecordEvent): void;
  /** Takes out as much as one chunk holds. */
  take(): { readonly events: TerminalRecordEvent[]; readonly payload: Buffer; readonly outputBytes: number };
}

/** A full chunk is smaller than the largest one: what comes while it is under way may still go with it. */
const fullBytes = terminalLimits.chunkBytes / 4;
const fullEvents = terminalLimits.chunkEvents / 2;
/** Output within this time is one event: a viewer sees no difference, and a chunk holds more. */
const sameEventMs = 5;

/** What an event takes beside its bytes, roughly. */
const eventBytes = 32;
export const sizeOf = (events: number, bytes: number): number => events * eventBytes + bytes;

export function makeGathered(): Gathered {
  let events: TerminalRecordEvent[] = [];
  let pieces: Buffer[] = [];
  let size = 0;
  let sinceMs: number | undefined;
  return {
    get size() {
      return sizeOf(events.length, size);
    },
    get sinceMs() {
      return sinceMs;
    },
    get isEmpty() {
      return events.length === 0;
    },
    get isFull() {
      return size >= fullBytes || events.length >= fullEvents;
    },
    touch(nowMs) {
      sinceMs ??= nowMs;
    },
    add(ms, kind, bytes) {
      const last = events.at(-1);
      if (last?.[1] === kind && ms - last[0] <= sameEventMs) last[2] += bytes.length;
      else events.push([ms, kind, bytes.length]);
      // A copy: a few bytes that point into a large buffer of the network would keep all of it.
      pieces.push(Buffer.from(bytes));
      size += bytes.length;
    },
    note(event) {
      // Only the last of several sizes is ever seen; a window that is dragged sends hundreds.
      if (event[1] === 'r' && events.at(-1)?.[1] === 'r') events.pop();
      events.push(event);
    },
    take() {
      const bytes = Buffer.concat(pieces);
      const { taken, rest, takenBytes, outputBytes } = divide(events);
      events = rest;
      size = bytes.length - takenBytes;
      pieces = size > 0 ? [bytes.subarray(takenBytes)] : [];
      if (rest.length === 0) sinceMs = undefined;
      return { events: taken, payload: bytes.subarray(0, takenBytes), outputBytes };
    },
  };
}

/** What one chunk holds of the events, and the rest. An event that is too large is cut in two. */
function divide(events: readonly TerminalRecordEvent[]) {
  const taken: TerminalRecordEvent[] = [];
  const rest: TerminalRecordEvent[] = [];
  let [takenBytes, outputBytes] = [0, 0];
  for (const event of events) {
    const [ms, kind, value] = event;
    if (rest.length > 0 || taken.length >= terminalLimits.chunkEvents) {
      rest.push(event);
      continue;
    }
    if (kind === 'r' || kind === 'm') {
      taken.push(event);
      continue;
    }
    const fitting = Math.min(value, terminalLimits.chunkBytes - takenBytes);
    if (fitting > 0) taken.push([ms, kind, fitting]);
    if (kind === 'o') outputBytes += fitting;
    takenBytes += fitting;
    if (fitting < value) rest.push([ms, kind, value - fitting]);
  }
  return { taken, rest, takenBytes, outputBytes };
}
