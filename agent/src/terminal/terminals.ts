import type { TaskParams } from '@gpuaas/contract/node';
import type { Chance } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { Host } from '../host/port.ts';
import type { ServerTime } from '../server-time.ts';
import { TaskFailure } from '../tasks/failure.ts';
import type { Log } from '../telemetry/log.ts';
import type { Dial } from './dial.ts';
import { type AgentReason, type Session, startSession } from './session.ts';

/** The terminals of a host: opened by signed tasks, at most so many, and ended with the lease that they belong to. */
export interface Terminals {
  /** Resolves when bytes can flow. For a session that is here already, the agent dials again and keeps the shell. */
  open(params: TaskParams<'terminal.open'>, signal: AbortSignal): Promise<void>;
  endOf(allocationId: string, reason: AgentReason): Promise<void>;
  readonly sessions: readonly Session[];
  close(): Promise<void>;
}

/** More than all people of a host have windows for. Each is a process, a connection and at most 576 KiB. */
const mostSessions = 128;
/** A session whose gateway does not answer for this time is not opened. */
const openingMs = 20_000;

export function makeTerminals(parts: {
  readonly host: Host;
  readonly dial: Dial;
  readonly time: ServerTime;
  readonly clock: Clock;
  readonly elapsedMs: () => number;
  readonly chance: Chance;
  readonly log: Log;
  readonly mostSessions?: number;
  readonly openingMs?: number;
  readonly holdMs?: number;
}): Terminals {
  const { host, time, clock } = parts;
  const most = parts.mostSessions ?? mostSessions;
  const sessions = new Map<string, Session>();
  /** Counted from the decision on, or many at once would pass the limit together. */
  let opening = 0;
  let isClosing = false;

  const start = async (params: TaskParams<'terminal.open'>): Promise<Session> => {
    if (isClosing) throw new TaskFailure('aborted', 'The agent is stopping.');
    if (sessions.size + opening >= most) {
      throw new TaskFailure('session_limit', `${most} terminals are open on this host already; close one first.`);
    }
    opening += 1;
    try {
      const of = { allocationId: params.allocation_id, username: params.login.username };
      const shell = params.stream
        ? await host.openStream({ ...of, to: params.stream })
        : await host.openShell({ ...of, columns: params.columns, rows: params.rows });
      const session = startSession(orderOf(params), { ...parts, pty: shell });
      sessions.set(params.session_id, session);
      session.ended.finally(() => sessions.delete(params.session_id)).catch(() => undefined);
      return session;
    } finally {
      opening -= 1;
    }
  };
  const expectConnected = async (session: Session, signal: AbortSignal): Promise<void> => {
    const waited = new AbortController();
    const late = sleepWell(clock, parts.openingMs ?? openingMs, AbortSignal.any([signal, waited.signal]));
    const answered = session.connected().then(() => true);
    const gone = session.ended.then(() => false);
    try {
      if (await Promise.race([answered, gone, late.then(() => false)])) return;
    } finally {
      waited.abort();
      answered.catch(() => undefined);
    }
    signal.throwIfAborted();
    throw new TaskFailure('gateway_unreachable', 'No terminal gateway took the session; nothing of its shell is left.');
  };
  return {
    async open(params, signal) {
      if (Date.parse(params.ends_at) <= time.nowMs()) {
        throw new TaskFailure('session_over', 'The session has reached its end already; open another one.');
      }
      const known = sessions.get(params.session_id);
      if (known && known.allocationId !== params.allocation_id) {
        throw new TaskFailure('bad_params', 'The session belongs to another allocation.');
      }
      known?.redial();
      const session = known ?? (await start(params));
      try {
        await expectConnected(session, signal);
      } catch (error) {
        // A shell that was here before goes on for its grace time; a new one that nobody reaches is of no use.
        if (!known) await session.end('gateway_lost');
        throw error;
      }
    },
    async endOf(allocationId, reason) {
      const theirs = [...sessions.values()].filter((session) => session.allocationId === allocationId);
      await Promise.all(theirs.map((session) => session.end(reason)));
    },
    get sessions() {
      return [...sessions.values()];
    },
    async close() {
      isClosing = true;
      await Promise.all([...sessions.values()].map((session) => session.end('agent_stopping')));
    },
  };
}

const orderOf = (params: TaskParams<'terminal.open'>) => ({
  sessionId: params.session_id,
  allocationId: params.allocation_id,
  gatewayUrl: params.gateway_url,
  endsAtMs: Date.parse(params.ends_at),
  graceMs: params.grace_seconds * 1_000,
  idleMs: params.idle_seconds * 1_000,
  ringBytes: params.ring_bytes,
  isRecorded: params.recording === 'output',
  isStream: params.stream !== undefined,
  columns: params.columns,
  rows: params.rows,
});
