import type { TerminalEndReason, TerminalHomeOrder } from '@gpuaas/contract/terminal';
import { type Clock, sleepWell } from '../clock.ts';
import type { Shell } from '../host/port.ts';
import type { ServerTime } from '../server-time.ts';
import type { Log } from '../telemetry/log.ts';
import { makeBell } from './bell.ts';
import { type Connection, type Connector, keepConnected } from './connection.ts';
import { takeLeave } from './farewell.ts';
import { type Input, makeInput } from './input.ts';
import type { Link } from './link.ts';
import { makeOutput, type Output } from './output.ts';
import { makePatience } from './patience.ts';
import { print } from './print.ts';
import { watchTime } from './watch-time.ts';

/**
 * One shell with its connection to a gateway. The shell and the offsets of its output live here; connections come and go.
 * It ends when the shell does, when the gateway or the agent says so, when its time is over, when nothing was typed for too
 * long, or when no gateway could be reached for the grace time. Every end but the shell's own takes with it everything that
 * the shell has started.
 */
export interface Session {
  readonly sessionId: string;
  readonly allocationId: string;
  readonly pid: number;
  /** Resolves when bytes can flow. Rejects when the session ended without. */
  connected(): Promise<void>;
  /** Dials again at once, whatever the present connection looks like. */
  redial(): void;
  /** Resolves when the shell is gone and the gateway knows, or was given the time to know. */
  end(reason: AgentReason): Promise<void>;
  readonly ended: Promise<AgentReason>;
  /** What it holds in memory of output, in bytes, for tests and status. */
  readonly heldBytes: number;
}
export type AgentReason = TerminalEndReason | 'released' | 'agent_stopping' | 'gateway_lost';

export interface SessionOrder {
  readonly sessionId: string;
  readonly allocationId: string;
  readonly gatewayUrl: string;
  readonly endsAtMs: number;
  readonly graceMs: number;
  /** 0: never. */
  readonly idleMs: number;
  readonly ringBytes: number;
  readonly isRecorded: boolean;
  /** The bytes of a connection. It ends with its reader, since input that was under way then is lost. */
  readonly isStream?: boolean;
  readonly columns: number;
  readonly rows: number;
}
export interface SessionParts extends Connector {
  readonly pty: Shell;
  readonly time: ServerTime;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a program waits for a reader who was lost, before it prints on and the ring forgets. */
  readonly holdMs?: number;
}

const usualHoldMs = 10_000;
const unreadMs = 60_000;

export function startSession(order: SessionOrder, parts: SessionParts): Session {
  const { pty, clock, log, holdMs = usualHoldMs } = parts;
  const size = { columns: order.columns, rows: order.rows };
  const output = makeOutput(order);
  const changed = makeBell();
  const over = new AbortController();
  const ended = Promise.withResolvers<AgentReason>();
  let typedAtMs = parts.time.nowMs();
  let link: Link | undefined;
  let ending: Promise<void> | undefined;

  const complain = (what: string) => (error: unknown) => log.error({ session_id: order.sessionId, err: error }, what);
  /** For work that nobody waits for. */
  const unattended = (work: Promise<unknown>): void => {
    work.catch(complain('a terminal went wrong'));
  };
  const pump = () => {
    while (link?.hasRoom) {
      const bytes = output.next();
      if (!bytes) break;
      link.send(bytes);
    }
    changed.ring();
  };
  const input = makeTyping(pty, output, { link: () => link, pump });
  const patience = makePatience({ clock, holdMs, signal: over.signal, output, pump });
  const connection = keepConnected(order, {
    ...parts,
    signal: over.signal,
    greet(opened) {
      link = opened;
      output.offer();
      const { sessionId: session_id } = order;
      opened.say({ type: 'shell', session_id, pid: pty.pid, from: output.from, to: output.to, ...size });
      if (input.isFull) opened.pause();
    },
    onLost() {
      link = undefined;
      output.lose();
      unattended(order.isStream ? end('gateway_lost') : patience.releaseLater());
      changed.ring();
    },
    onOrder(said) {
      obey(said, { pty, size, output, link, onNoReader: () => unattended(patience.releaseLater()) });
      const reason = endingOf(said, order);
      if (reason) unattended(end(reason));
      pump();
    },
    onInput(bytes) {
      typedAtMs = parts.time.nowMs();
      input.add(bytes);
    },
    onDrained: pump,
    onEnd: (reason) => unattended(end(reason)),
  });
  /** A farewell that goes wrong does not keep the session, or the release that waits for its end. */
  const finish = async (reason: AgentReason, code: number | undefined) => {
    const leaving = takeLeave(code, { clock, changed, output, pump, link: () => link });
    await leaving.catch(complain('a terminal could not take its leave'));
    over.abort();
    changed.ring();
    link?.close(4503);
    log.info({ session_id: order.sessionId, reason }, 'a terminal ended');
    ended.resolve(reason);
  };
  const endShell = async (reason: AgentReason): Promise<void> => {
    changed.ring();
    sayEnding(link, reason);
    await pty.end().catch(complain('a terminal left processes behind'));
    const { code } = await pty.exited;
    await printing;
    await finish(reason, code);
  };
  const end = (reason: AgentReason): Promise<void> => {
    ending ??= endShell(reason);
    return ending;
  };
  const isOver = () => over.signal.aborted || ending !== undefined;
  const printing = print(pty, { output, changed, pump, isOver }).catch(
    complain('the output of a terminal could not be read'),
  );
  /** Keeps the exit code for a person who comes back within the grace time. */
  const leaveAlone = async (code: number | undefined) => {
    await printing;
    const back = connection.connected().catch(() => undefined);
    await Promise.race([back, sleepWell(clock, order.graceMs, over.signal)]);
    await finish('exited', code);
  };
  unattended(
    pty.exited.then(({ code }) => {
      ending ??= leaveAlone(code);
      // The rest of the output is taken without waiting for the reader, so the gateway makes room for it.
      if (link) output.ignoreWindow(true);
      pump();
      return ending;
    }),
  );
  unattended(watchEnds(order, { ...parts, typedAtMs: () => typedAtMs, signal: over.signal, output, end }));
  return sessionOf(order, { pty, connection, output, end, ended: ended.promise });
}

/** Why the session is over by what the gateway says. A stream is over with its only client. */
function endingOf(said: TerminalHomeOrder, { isStream }: SessionOrder): AgentReason | undefined {
  if (said.type === 'end') return said.reason;
  return isStream && said.type === 'client' && !said.writer ? 'closed_by_user' : undefined;
}

/** Ends the session when its time is over. A stream that nobody came for holds a connection to sshd for nothing and ends, too. */
async function watchEnds(
  order: SessionOrder,
  parts: Parameters<typeof watchTime>[1] & {
    readonly output: Output;
    readonly end: (reason: AgentReason) => Promise<void>;
  },
): Promise<void> {
  const unread = async () => {
    const isLate = await sleepWell(parts.clock, unreadMs, parts.signal);
    return isLate && !parts.output.hasReader ? ('gateway_lost' as const) : new Promise<undefined>(() => undefined);
  };
  const reason = await Promise.race([watchTime(order, parts), ...(order.isStream ? [unread()] : [])]);
  if (reason) await parts.end(reason);
}

/** Reasons that the gateway cannot see by itself. */
function sayEnding(link: Link | undefined, reason: AgentReason): void {
  if (reason === 'idle' || reason === 'time_over') link?.say({ type: 'ending', reason });
  if (reason === 'released') link?.say({ type: 'ending', reason: 'allocation_ended' });
}

/** Input that the shell does not take pauses the connection. */
function makeTyping(
  pty: Shell,
  output: Output,
  parts: { readonly link: () => Link | undefined; readonly pump: () => void },
): Input {
  const input = makeInput({
    write: (bytes) => pty.write(bytes),
    onChange() {
      // Acknowledgements wait behind this input, and the shell may wait for them before it takes more.
      output.ignoreWindow(input.isFull);
      if (input.isFull) parts.link()?.pause();
      else parts.link()?.resume();
      parts.pump();
    },
  });
  return input;
}

function sessionOf(
  { sessionId, allocationId }: SessionOrder,
  {
    pty,
    connection,
    output,
    ...rest
  }: { pty: Shell; connection: Connection; output: Output } & Pick<Session, 'end' | 'ended'>,
): Session {
  return {
    ...{ sessionId, allocationId, pid: pty.pid, ...rest },
    connected: () => connection.connected(),
    redial: () => connection.redial(),
    get heldBytes() {
      return output.allocated;
    },
  };
}

/** Does what the gateway says about readers and size. Its `end` is the session's own business. */
function obey(
  said: TerminalHomeOrder,
  parts: {
    readonly pty: Shell;
    readonly size: { columns: number; rows: number };
    readonly output: Output;
    readonly link: Link | undefined;
    readonly onNoReader: () => void;
  },
): void {
  const { output } = parts;
  if (said.type === 'resume') output.resume(said.from);
  if (said.type === 'client') {
    output.setReader(said.writer);
    if (!said.writer) parts.onNoReader();
  }
  if (said.type === 'resize') {
    Object.assign(parts.size, { columns: said.columns, rows: said.rows });
    parts.pty.resize(said.columns, said.rows);
  }
  if (said.type === 'ack') output.acknowledge(said.read, said.recorded);
  if (said.type === 'ping') parts.link?.say({ type: 'pong', id: said.id });
}
