import type { TerminalEndReason, TerminalRecordEvent, TerminalRecordingPlace } from '@gpuaas/contract/terminal';
import type { Clock } from '../../../kernel/clock.ts';
import type { TerminalApi } from '../api.ts';
import { later, nowMs } from '../later.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { type Gathered, makeGathered, sizeOf } from './gathered.ts';

/**
 * Records the output of one session at its home. It gathers what happens into chunks and asks the api to store each; the api
 * writes them to the object store, where this process has no key. Chunks go one after the other, so that a chunk is stored before
 * the next one leaves. The agent keeps output until it is stored, and pauses the shell when too much waits: a copy that takes over
 * gets the rest from the agent, without a gap and without a repetition.
 */
export interface Recorder {
  /** Output up to here is stored. */
  readonly recorded: number;
  /** What waits to be stored. */
  readonly pendingBytes: number;
  /** How long the oldest of it waits. */
  readonly lagMs: number;
  readonly recordsInput: boolean;
  /** Stores the first chunk. False: this session must not begin. */
  begin(size: { readonly columns: number; readonly rows: number }): Promise<boolean>;
  /** Output that begins at this offset; what was taken before is left out. */
  output(at: number, bytes: Buffer): void;
  input(bytes: Buffer): void;
  resize(columns: number, rows: number): void;
  /** A moment that a viewer may want to find. */
  mark(what: string): void;
  /** Stores the rest and says that nothing follows; whether that went well. */
  finish(): Promise<boolean>;
  /** Another copy goes on, or the session is over: nothing more is stored from here. */
  stop(): void;
}
export interface RecorderParts {
  readonly sessionId: string;
  readonly copyId: string;
  readonly api: TerminalApi;
  readonly clock: Clock;
  readonly metrics: GatewayMetrics;
  /** More is stored. */
  readonly onStored: () => void;
  readonly onFailed: (reason: RecorderFailure) => void;
}
export type RecorderFailure = Extract<TerminalEndReason, 'recorder_failed' | 'recording_full'>;

/** A chunk leaves when it is full, or when its first event has waited so long. */
const gatherMs = 2_000;
const [firstPauseMs, longestPauseMs] = [100, 2_000];

export function makeRecorder(place: TerminalRecordingPlace, recordedTo: number, parts: RecorderParts): Recorder {
  const { clock } = parts;
  const gathered = makeGathered();
  const stopped = new AbortController();
  let beganMs = place.began_at === null ? nowMs(clock) : Date.parse(place.began_at);
  let lastMs = place.last_ms;
  let to = recordedTo;
  let isFinishing = false;
  let callOff: (() => void) | undefined;

  const fail = (reason: RecorderFailure): false => {
    if (stopped.signal.aborted) return false;
    stopped.abort(new Error('the recording failed'));
    callOff?.();
    parts.metrics.countRecorderFailure(reason);
    parts.onFailed(reason);
    return false;
  };
  const storing = makeStoring(place, recordedTo, { ...parts, gathered, fail, signal: stopped.signal });
  const store = async (): Promise<boolean> => {
    const isStored = await storing.store(false);
    if (isStored && !gathered.isEmpty) stir();
    return isStored;
  };
  const storeNow = (): void => {
    callOff?.();
    callOff = undefined;
    store().catch(() => fail('recorder_failed'));
  };
  /** Something was gathered: it leaves now, or a moment later. */
  const stir = (): void => {
    if (stopped.signal.aborted || isFinishing) return;
    gathered.touch(nowMs(clock));
    if (storing.isBusy) return;
    if (gathered.isFull) storeNow();
    else callOff ??= later(clock, gatherMs, storeNow);
  };
  const at = (): number => {
    lastMs = Math.max(lastMs, nowMs(clock) - beganMs);
    return lastMs;
  };
  const note = (event: TerminalRecordEvent): void => {
    if (stopped.signal.aborted) return;
    gathered.note(event);
    stir();
  };
  const end = (why: string): void => {
    callOff?.();
    stopped.abort(new Error(why));
  };

  return {
    get recorded() {
      return storing.recorded;
    },
    get pendingBytes() {
      return gathered.size + (storing.underWay?.size ?? 0);
    },
    get lagMs() {
      const since = storing.underWay?.sinceMs ?? gathered.sinceMs;
      return since === undefined ? 0 : Math.max(0, nowMs(clock) - since);
    },
    recordsInput: place.records_input,
    async begin({ columns, rows }) {
      if (place.began_at === null) beganMs = nowMs(clock);
      else gathered.note([at(), 'm', 'goes on at another gateway']);
      gathered.note([at(), 'r', `${columns}x${rows}`]);
      return store();
    },
    output(from, bytes) {
      const skipped = Math.max(0, to - from);
      if (stopped.signal.aborted || skipped >= bytes.length) return;
      // The agent has let go of output that was never stored.
      if (from > to) return void fail('recorder_failed');
      to = from + bytes.length;
      gathered.add(at(), 'o', skipped === 0 ? bytes : bytes.subarray(skipped));
      stir();
    },
    input(bytes) {
      if (!place.records_input || stopped.signal.aborted) return;
      gathered.add(at(), 'i', bytes);
      stir();
    },
    resize: (columns, rows) => note([at(), 'r', `${columns}x${rows}`]),
    mark: (what) => note([at(), 'm', what]),
    async finish() {
      isFinishing = true;
      callOff?.();
      const isStored = await storing.store(true);
      end('the recording is complete');
      return isStored;
    },
    stop: () => end('the recording goes on elsewhere'),
  };
}

/** Stores what was gathered in chunks, one after the other. */
function makeStoring(
  place: TerminalRecordingPlace,
  recordedTo: number,
  parts: RecorderParts & {
    readonly gathered: Gathered;
    readonly fail: (reason: RecorderFailure) => false;
    readonly signal: AbortSignal;
  },
) {
  const { clock, gathered, signal, fail } = parts;
  const patienceMs = place.patience_seconds * 1_000;
  let [sequence, recorded] = [place.chunks, recordedTo];
  let underWay: { readonly sinceMs: number; readonly size: number } | undefined;
  let busy: Promise<boolean> | undefined;

  const storeOne = async (isFinal: boolean): Promise<boolean> => {
    const sinceMs = gathered.sinceMs ?? nowMs(clock);
    const { events, payload, outputBytes } = gathered.take();
    underWay = { sinceMs, size: sizeOf(events.length, payload.length) };
    const chunk = {
      ...{ session_id: parts.sessionId, copy_id: parts.copyId, sequence: sequence + 1, from: recorded, events },
      ...{ to: recorded + outputBytes, payload: payload.toString('base64'), final: isFinal && gathered.isEmpty },
    };
    const stored = await insist(parts.api, chunk, { clock, patienceMs, signal });
    underWay = undefined;
    if (signal.aborted) return false;
    if (stored !== 'stored') return fail(stored);
    [sequence, recorded] = [chunk.sequence, chunk.to];
    parts.metrics.countRecorded(payload.length);
    parts.onStored();
    return true;
  };
  /** Until nothing is left that has to go now; at the end that is everything. */
  const run = async (isFinal: boolean): Promise<boolean> => {
    do {
      if (!(await storeOne(isFinal))) return false;
    } while (isFinal ? !gathered.isEmpty : gathered.isFull);
    return true;
  };
  return {
    get recorded() {
      return recorded;
    },
    get underWay() {
      return underWay;
    },
    get isBusy() {
      return busy !== undefined;
    },
    /** Whether it went well. A chunk that is under way comes first. */
    async store(isFinal: boolean): Promise<boolean> {
      if (busy && !(await busy)) return false;
      if (signal.aborted) return false;
      busy = run(isFinal).catch(() => fail('recorder_failed'));
      const isStored = await busy;
      busy = undefined;
      return isStored;
    },
  };
}

/** Asks until the chunk is stored, the api refuses it, or the patience is over. */
async function insist(
  api: TerminalApi,
  chunk: Parameters<TerminalApi['ask']>[1] & { readonly sequence: number },
  { clock, patienceMs, signal }: { readonly clock: Clock; readonly patienceMs: number; readonly signal: AbortSignal },
): Promise<'stored' | RecorderFailure> {
  const until = nowMs(clock) + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    try {
      const answer = await api.ask('record', chunk as never, signal);
      if (answer.ok) return 'stored';
      return answer.code === 'terminal_not_recorded' ? 'recording_full' : 'recorder_failed';
    } catch {
      if (signal.aborted || nowMs(clock) + pauseMs >= until) return 'recorder_failed';
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }
}
