import { connectTerminal, GpuaasError, GpuaasUnreachable, type TerminalEnd, type TerminalLine } from '@gpuaas/sdk';
import type { Run, Session } from '../command.ts';
import { type ExitCode, exitCodes, Failure, usageFailure } from '../failure.ts';
import { makeEscape } from '../input/escape.ts';
import { resolveAllocation } from '../resolve.ts';

/** The process's own terminal, as far as a shell in it needs one. */
interface Screen {
  readonly input: NodeJS.ReadableStream & { setRawMode?(isRaw: boolean): unknown; unref?(): unknown };
  readonly output: {
    write(bytes: Uint8Array | string): unknown;
    readonly columns?: number;
    readonly rows?: number;
    on?(event: 'resize', listener: () => void): unknown;
    off?(event: 'resize', listener: () => void): unknown;
  };
}
type Mode = 'open' | 'join' | 'take_over' | 'watch';
/** As long as a lost shell lives on by default. */
const reconnectForMs = 300_000;
const [firstPauseMs, longestPauseMs] = [500, 7_000];

const sizeOf = ({ output }: Screen) => ({ columns: output.columns ?? 80, rows: output.rows ?? 24 });

function modeOf(session: Session): Mode {
  const asked = session.text('session') !== undefined;
  if (!asked && (session.is('take-over') || session.is('read-only'))) {
    throw usageFailure(
      '--take-over and --read-only need --session.',
      'gpuaas terminal-sessions ID shows the sessions.',
    );
  }
  if (!asked) return 'open';
  if (session.is('read-only')) return 'watch';
  return session.is('take-over') ? 'take_over' : 'join';
}

export const terminal: Run = async (session) => {
  const { stdin, stdout } = session.around;
  if (stdin.isTTY !== true || stdout.isTTY !== true) {
    throw usageFailure(
      'A shell needs a terminal on both sides.',
      'Run it without pipes, or use gpuaas ssh ID COMMAND.',
    );
  }
  const screen: Screen = { input: stdin, output: stdout as Screen['output'] };
  const allocationId = await resolveAllocation(session);
  const end = await stay(session, screen, allocationId, modeOf(session));
  if (end === 'left') return exitCodes.ok;
  if (end.exit !== undefined) return (end.exit ?? exitCodes.interrupted) as ExitCode;
  if (end.code === 1000) return exitCodes.ok;
  throw new Failure(exitCodes.failed, end.sentence);
};

/** Keeps the shell on the screen, over as many connections as it takes. */
async function stay(
  session: Session,
  screen: Screen,
  allocationId: string,
  first: Mode,
): Promise<TerminalEnd | 'left'> {
  const sleep = session.around.parts?.sleep ?? ((ms: number) => new Promise((done) => setTimeout(done, ms)));
  const name = session.text('name');
  const api = await session.api();
  let [mode, sessionId, offset] = [first, session.text('session'), 0];
  let lost: { readonly since: number; pauseMs: number } | undefined;
  for (;;) {
    try {
      const token = await api.terminals.tokenMint({
        ...{ allocation_id: allocationId, mode, ...sizeOf(screen) },
        ...(sessionId !== undefined && { session_id: sessionId }),
        ...(mode === 'open' && name !== undefined && { name }),
      });
      sessionId = token.session_id;
      const seen = await connection(session, screen, token, offset);
      if (seen.left) return 'left';
      if (!seen.end.reconnect) return seen.end;
      if (seen.ready) lost = undefined;
      offset = seen.offset;
    } catch (error) {
      if (!lost || !isPassing(error)) throw error;
    }
    // The old connection may look alive for a while: this client is the one that typed there.
    mode = first === 'watch' ? 'watch' : 'take_over';
    lost ??= { since: session.now(), pauseMs: firstPauseMs };
    if (session.now() - lost.since > reconnectForMs) {
      throw new Failure(exitCodes.server, 'The connection was lost and could not be made again in five minutes.');
    }
    session.around.stderr.write('\r\nThe connection was lost; connecting again.\r\n');
    await sleep(lost.pauseMs);
    lost.pauseMs = Math.min(longestPauseMs, lost.pauseMs + lost.pauseMs);
  }
}

/** What may be different in a moment. */
const isPassing = (error: unknown): boolean =>
  error instanceof GpuaasUnreachable || (error instanceof GpuaasError && (error.status >= 500 || error.status === 429));

interface Seen {
  readonly end: TerminalEnd;
  readonly left: boolean;
  readonly ready: boolean;
  readonly offset: number;
}

/** One connection, from hello to close. The screen is in raw mode meanwhile, and as before afterwards. */
function connection(
  session: Session,
  screen: Screen,
  token: { readonly url: string; readonly token: string },
  from: number,
): Promise<Seen> {
  const { input, output } = screen;
  const over = Promise.withResolvers<Seen>();
  const state = { left: false, ready: false };
  const note = (text: string) => session.around.stderr.write(`\r\n[${text}]\r\n`);
  const line: TerminalLine = connectTerminal(
    {
      ...token,
      ...sizeOf(screen),
      from,
      ...(session.around.parts?.WebSocket && { WebSocket: session.around.parts.WebSocket }),
    },
    {
      onReady: ({ role, simulated, recording }) => {
        state.ready = true;
        if (from === 0 && role === 'watcher') note('You watch; what you type goes nowhere.');
        if (from === 0 && recording === 'output') note('This session is recorded.');
        if (from === 0 && simulated) session.say('The GPUs of this machine are simulated.');
      },
      onOutput(bytes) {
        output.write(bytes);
      },
      onNotice: ({ text }) => note(text),
      onEnd: (end) => over.resolve({ ...state, end, offset: line.offset }),
    },
  );
  const read = makeEscape({
    pass: (bytes) => line.write(bytes),
    leave: () => {
      state.left = true;
      line.close();
    },
  });
  const type = (bytes: Uint8Array | string) =>
    read(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes);
  const resize = () => {
    const { columns, rows } = sizeOf(screen);
    line.resize(columns, rows);
  };
  input.setRawMode?.(true);
  input.on('data', type);
  input.resume();
  output.on?.('resize', resize);
  return over.promise.finally(() => {
    input.off('data', type);
    output.off?.('resize', resize);
    input.setRawMode?.(false);
    input.pause();
  });
}
