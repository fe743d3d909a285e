import { connectTerminal, GpuaasError, type TerminalLine, type TerminalReady, type TerminalToken } from '@gpuaas/sdk';
import { api } from '../../client/api.ts';
import { letGo } from '../../client/let-go.ts';
import type { Screen } from './screen.ts';

/** What becomes of a connection to a shell. */
export type Phase = 'connecting' | 'live' | 'reconnecting' | 'in_use' | 'refused' | 'ended';
export interface LineState {
  readonly phase: Phase;
  readonly ready?: TerminalReady;
  readonly latencyMs?: number;
  /** Why it ended, or what the gateway says: a sentence. */
  readonly sentence?: string;
  readonly exit?: number | null;
  readonly error?: unknown;
}
export type Mode = 'open' | 'join' | 'take_over' | 'watch';
export interface ShellLine {
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Connects again, in another way if wanted. */
  connect(mode: Mode): void;
  endShell(): void;
  close(): void;
}

/** After these there is nothing more to say about what was announced before. */
const endsNotice: ReadonlySet<string> = new Set(['node_back', 'reconnected', 'unwatched']);
const pingEveryMs = 5_000;
const pauseMs = { first: 500, most: 8_000 } as const;
/** After this time the person decides whether to go on trying. */
const giveUpMs = 5 * 60_000;

export interface LineOrder {
  readonly allocationId: string;
  readonly project: string | undefined;
  readonly sessionId: string | undefined;
  readonly mode: Mode;
  readonly screen: Screen;
  onState(state: LineState): void;
  onSession(token: TerminalToken): void;
}

/** Keeps one shell connected: gets tokens, connects, and comes back to the same shell after a lost connection. */
export function openShellLine(order: LineOrder): ShellLine {
  const { screen } = order;
  let sessionId = order.sessionId;
  let line: TerminalLine | undefined;
  let state: LineState = { phase: 'connecting' };
  let isClosed = false;
  let lostAtMs: number | undefined;
  let nextWaitMs: number = pauseMs.first;
  let again: ReturnType<typeof setTimeout> | undefined;
  const encoder = new TextEncoder();

  const become = (next: LineState) => {
    state = next;
    if (!isClosed) order.onState(state);
  };
  const latency = measureLatency((id) => state.phase === 'live' && line?.ping(id));

  const comeBack = (role: TerminalReady['role'] | undefined, sentence: string) => {
    lostAtMs ??= performance.now();
    if (performance.now() - lostAtMs > giveUpMs) return become({ phase: 'ended', sentence });
    become({ ...state, phase: 'reconnecting', sentence });
    const waitMs = nextWaitMs;
    nextWaitMs = Math.min(waitMs * 2, pauseMs.most);
    // Taking over, because the lost connection may still look alive to the gateway.
    again = setTimeout(() => letGo(connect(role === 'watcher' ? 'watch' : 'take_over')), waitMs);
  };

  async function connect(mode: Mode): Promise<void> {
    clearTimeout(again);
    if (state.phase !== 'reconnecting') become({ phase: 'connecting' });
    let token: TerminalToken;
    try {
      token = await mint(order, mode, sessionId);
    } catch (error) {
      return refuse(error, mode);
    }
    if (isClosed) return;
    sessionId = token.session_id;
    order.onSession(token);
    attach(token);
  }

  function refuse(error: unknown, mode: Mode): void {
    const isRefusal = error instanceof GpuaasError && error.status < 500 && error.status !== 429;
    if (!isRefusal && state.phase === 'reconnecting') {
      comeBack(mode === 'watch' ? 'watcher' : 'writer', "Can't reach the server.");
    } else {
      const isInUse = error instanceof GpuaasError && error.code === 'terminal_session_in_use';
      become({ phase: isInUse ? 'in_use' : 'refused', error });
    }
  }

  function attach(token: TerminalToken): void {
    const had = line?.offset ?? 0;
    line?.close();
    const mine = connectTerminal(
      { url: token.url, token: token.token, columns: screen.columns, rows: screen.rows, from: had },
      {
        onReady(ready) {
          if (had > 0 && ready.from > had) screen.note('some output was not kept while the connection was lost');
          [lostAtMs, nextWaitMs] = [undefined, pauseMs.first];
          become({ phase: 'live', ready });
          mine.resize(screen.columns, screen.rows);
        },
        onOutput: (bytes) => screen.write(bytes),
        onNotice({ code, text }) {
          become(withNotice(state, code, text));
        },
        onPong(id) {
          const latencyMs = latency.of(id);
          if (latencyMs !== undefined && state.phase === 'live') become({ ...state, latencyMs });
        },
        onEnd({ sentence, reconnect, exit }) {
          if (isClosed || line !== mine) return;
          if (reconnect) comeBack(state.ready?.role, sentence);
          else become({ ...state, phase: 'ended', sentence, ...(exit !== undefined && { exit }) });
        },
      },
    );
    line = mine;
  }

  letGo(connect(order.mode));
  return {
    type: (text) => line?.write(encoder.encode(text)),
    resize: (columns, rows) => line?.resize(columns, rows),
    connect: (mode) => {
      [lostAtMs, nextWaitMs] = [undefined, pauseMs.first];
      if (mode === 'open') [sessionId, line] = [undefined, undefined];
      letGo(connect(mode));
    },
    endShell: () => line?.end(),
    close() {
      isClosed = true;
      latency.close();
      clearTimeout(again);
      line?.close();
    },
  };
}

function withNotice(state: LineState, code: string, text: string): LineState {
  if (!endsNotice.has(code)) return { ...state, sentence: text };
  const { phase, ready, latencyMs } = state;
  return { phase, ...(ready && { ready }), ...(latencyMs !== undefined && { latencyMs }) };
}

const mint = (order: LineOrder, mode: Mode, sessionId: string | undefined) =>
  api.terminals.tokenMint(
    {
      ...{ allocation_id: order.allocationId, mode, columns: order.screen.columns, rows: order.screen.rows },
      ...(mode !== 'open' && sessionId !== undefined && { session_id: sessionId }),
    },
    order.project === undefined ? {} : { project: order.project },
  );

/** Pings while the page is visible; the answer comes from the machine, so it measures the whole way. */
function measureLatency(ping: (id: string) => void): { of(id: string): number | undefined; close(): void } {
  let sent: { readonly id: string; readonly atMs: number } | undefined;
  const pinging = setInterval(() => {
    if (document.hidden) return;
    sent = { id: String(Math.round(performance.now())), atMs: performance.now() };
    ping(sent.id);
  }, pingEveryMs);
  return {
    of: (id) => (sent?.id === id ? Math.round(performance.now() - sent.atMs) : undefined),
    close: () => clearInterval(pinging),
  };
}
