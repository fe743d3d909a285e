import {
  isStream,
  type TerminalHello,
  type TerminalInternalOutput,
  type TerminalPeerJoin,
  terminalCloseOfRefusal,
  terminalCloses,
  terminalNotices,
} from '@gpuaas/contract/terminal';
import type { WebSocket } from 'ws';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { InternalAnswer } from '../internal/client.ts';
import { after } from './after.ts';
import type { TerminalApi } from './api.ts';
import type { FindHome } from './find-home.ts';
import { readClientFrame } from './frames.ts';
import { later, nowMs } from './later.ts';
import type { Link } from './link.ts';
import type { GatewayMetrics } from './metrics.ts';
import { makeWire, type Wire, type WireListener } from './wire.ts';

export interface ClientParts {
  readonly api: TerminalApi;
  readonly findHome: FindHome;
  readonly metrics: GatewayMetrics;
  readonly log: Log;
  readonly clock: Clock;
  readonly copyId: string;
  readonly peerUrl: () => string;
  readonly helloMs: number;
  /** How long one may watch the session of another person with one token. */
  readonly watchMs: number;
  readonly messageBytes: number;
  readonly stopping: AbortSignal;
}
/** One browser, or another program that shows a terminal to a person. */
export interface Client {
  readonly wire: Wire;
  /** Undefined until its token was taken. */
  readonly role: TerminalPeerJoin['role'] | undefined;
  /** Whether the api has taken its token and the client has said hello. */
  readonly attached: Promise<boolean>;
  readonly done: Promise<void>;
}
export type Attached = TerminalInternalOutput<'attach'>;

const lookAgain = 4503;
const checkAgain = 'Whether you may watch is checked again. Connect again.';

/** How a client is reached, and how the api lets it in. */
export interface ClientOrder {
  /** The connection; what it says goes to the listener. */
  openWire(listener: WireListener): Wire;
  attach(): Promise<InternalAnswer<Attached>>;
}

/** A client with a WebSocket and a token. */
export function serveClient(
  socket: WebSocket,
  from: { readonly token: string; readonly allocationId: string; readonly address: string },
  parts: ClientParts,
): Client {
  const { token, allocationId: allocation_id, address } = from;
  return serve(
    {
      openWire: (listener) =>
        makeWire(socket, {
          ...{ clock: parts.clock, messageBytes: parts.messageBytes, listener },
          onPaused: (seconds) => parts.metrics.countPause('client', seconds),
        }),
      attach: () =>
        parts.api.ask('attach', {
          ...{ token, allocation_id, address, copy_id: parts.copyId, peer_url: parts.peerUrl() },
        }),
    },
    parts,
  );
}

/**
 * From the token to the end: the api takes the token, the client says hello, and its frames go to the home of the session. When the
 * home is lost the client keeps its connection and its place in the output, and is joined at the next one.
 */
export function serve(order: ClientOrder, parts: ClientParts): Client {
  const { metrics, log } = parts;
  const beganMs = nowMs(parts.clock);
  const heard = makeHearing(parts, () => wire.close(4400));
  const wire = order.openWire(heard);
  let attached: Attached | undefined;
  const known = Promise.withResolvers<boolean>();

  const run = async (): Promise<number> => {
    wire.pause('opening');
    const answer = await order.attach();
    if (!answer.ok) {
      metrics.countRefusal('token');
      return terminalCloseOfRefusal(answer.code);
    }
    attached = answer.value;
    // The guard looks at the rights of a session's owner alone. A watcher's are checked with its next token, so it needs one soon.
    if (attached.watched_by) {
      const callOff = later(parts.clock, parts.watchMs, () => wire.close(lookAgain, checkAgain));
      after(wire.closed, log, callOff);
    }
    wire.resume('opening');
    if (!(await heard.hello(wire.closed))) {
      metrics.countRefusal('hello');
      return 4400;
    }
    known.resolve(true);
    return stay(answer.value, wire, heard, parts, () => {
      const now = nowMs(parts.clock);
      metrics.connected((now - beganMs) / 1_000, (now - Date.parse(answer.value.minted_at)) / 1_000);
    });
  };
  const done = run()
    .catch((error: unknown) => {
      log.error({ err: error }, 'a client could not be served');
      return 4500;
    })
    .then(async (code) => {
      known.resolve(false);
      wire.close(code, terminalCloses[code as keyof typeof terminalCloses]?.sentence);
      metrics.countClose(await wire.closed);
    });
  return {
    wire,
    get role() {
      return attached?.role;
    },
    attached: known.promise,
    done,
  };
}

/** In the session, at one home after the other. Answers the code to close the client with. */
async function stay(
  { session, role, takes_over, watched_by, home, attachment_id }: Attached,
  wire: Wire,
  heard: Hearing,
  parts: ClientParts,
  onJoined: () => void,
): Promise<number> {
  const left = new AbortController();
  after(wire.closed, parts.log, () => left.abort(new Error('the client is gone')));
  // A stream whose client has gone still looks for its home, which ends it: nobody else will.
  const signal = isStream(session.kind) ? parts.stopping : AbortSignal.any([left.signal, parts.stopping]);
  let isRejoin = false;
  let place = home ? { copyId: home.copy_id, peerUrl: home.peer_url } : undefined;
  let passed: number | undefined;
  const makeOrder = () => ({
    ...{ wire, isRejoin },
    join: {
      ...{ type: 'join' as const, attachment_id, role, takes_over: takes_over && !isRejoin },
      ...(watched_by && { watched_by }),
    },
    hello: { ...heard.said(), ...(passed !== undefined && { from: passed }) },
  });
  for (;;) {
    wire.pause('homeless');
    const link = await parts.findHome(session.id, place, makeOrder, signal);
    const isTaken = typeof link !== 'number' && (await isTakenBy(link, wire));
    wire.resume('homeless');
    if (typeof link === 'number') return link;
    if (isTaken) {
      if (isRejoin) wire.sendText({ type: 'notice', code: 'reconnected', text: terminalNotices.reconnected });
      else onJoined();
      heard.connect(link);
    }
    const code = await Promise.race([link.gone, wire.closed.then(() => undefined)]);
    heard.disconnect();
    link.leave();
    if (code === undefined) return 1000;
    if (code !== lookAgain || parts.stopping.aborted) return code;
    place = undefined;
    // Nothing of the client was handed over, so nothing is lost, and it still has to hear that it is ready.
    if (!isTaken) continue;
    // Input that was under way is lost with a home. A person types again; a stream would be wrong from there on.
    if (isStream(session.kind)) return 4504;
    passed = link.passed;
    isRejoin = true;
    wire.sendText({ type: 'notice', code: 'reconnecting', text: terminalNotices.reconnecting });
  }
}

/** Whether a home takes the client in before the way there, or the client, is gone. */
const isTakenBy = (link: Link, wire: Wire): Promise<boolean> => {
  const gone = () => false;
  return Promise.race([link.taken, link.gone.then(gone), wire.closed.then(gone)]);
};

/** What the client says, in the order in which it must say it: one hello, then everything else. */
interface Hearing {
  onBytes(bytes: Buffer): void;
  onText(text: string): void;
  /** Resolves with whether a hello came in time. */
  hello(closed: Promise<unknown>): Promise<boolean>;
  /** The hello, with the size that the client last said. */
  said(): TerminalHello;
  connect(link: Link): void;
  disconnect(): void;
}
type Said = { readonly bytes: Buffer } | { readonly text: string };
/** Programs ping every few seconds. More, as after a pause in which they went on, get no answer. */
const pings = { atOnce: 10, everyMs: 250 } as const;
/** What was under way when we stopped reading; the network may hand over this much more. */
const mostEarly = 256;

function makeHearing(parts: Pick<ClientParts, 'helloMs' | 'clock' | 'log'>, refuse: () => void): Hearing {
  let hello: TerminalHello | undefined;
  let link: Link | undefined;
  const early: Said[] = [];
  const mayPing = makeAllowance(parts.clock, pings);
  const came = Promise.withResolvers<boolean>();
  const take = (said: Said) => {
    if (!link) {
      if (early.push(said) > mostEarly) refuse();
      return;
    }
    if ('bytes' in said) return link.takeInput(said.bytes);
    const frame = readClientFrame(said.text);
    if (!frame || frame.type === 'hello') return refuse();
    if (frame.type === 'ping' && !mayPing()) return;
    if (frame.type === 'resize' && hello) hello = { ...hello, columns: frame.columns, rows: frame.rows };
    link.takeFrame(frame, said.text);
  };
  return {
    onBytes(bytes) {
      if (hello) take({ bytes });
      else refuse();
    },
    onText(text) {
      if (hello) return take({ text });
      const frame = readClientFrame(text);
      if (frame?.type !== 'hello') return refuse();
      hello = frame;
      came.resolve(true);
    },
    async hello(closed) {
      const callOff = later(parts.clock, parts.helloMs, () => came.resolve(false));
      after(closed, parts.log, () => came.resolve(false));
      return came.promise.finally(callOff);
    },
    said: () => hello ?? { type: 'hello', from: 0, columns: 80, rows: 24 },
    connect(next) {
      link = next;
      for (const said of early.splice(0)) take(said);
    },
    disconnect() {
      link = undefined;
    },
  };
}

/** So many at once, and one more after each length of time. */
function makeAllowance(clock: Clock, { atOnce, everyMs }: { readonly atOnce: number; readonly everyMs: number }) {
  let left = atOnce;
  let atMs = nowMs(clock);
  return (): boolean => {
    const now = nowMs(clock);
    left = Math.min(atOnce, left + (now - atMs) / everyMs);
    atMs = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
