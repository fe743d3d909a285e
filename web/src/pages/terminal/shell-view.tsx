import type { TerminalToken } from '@gpuaas/sdk';
import { useEffect, useRef, useState } from 'react';
import { useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Problem } from '../../parts/states.tsx';
import { KeyBar } from './key-bar.tsx';
import { openScreen, type Screen } from './screen.ts';
import { type LineState, type Mode, openShellLine, type ShellLine } from './shell-line.ts';

/** A paste of more lines than this is shown before it is sent: each line may be a command that runs at once. */
const askAboveLines = 5;

export interface ShellParts {
  readonly screen: Screen;
  readonly line: ShellLine;
}

/** One shell: its screen, and above it what the person has to know or decide. It stays mounted while another tab is shown. */
export function ShellView({
  allocationId,
  sessionId,
  mode,
  isShown,
  fontSize,
  onOpen,
  onState,
  onSession,
  onTitle,
  onNewShell,
}: {
  allocationId: string;
  sessionId: string | undefined;
  mode: Mode;
  isShown: boolean;
  fontSize: number;
  onOpen(parts: ShellParts): void;
  onState(state: LineState): void;
  onSession(token: TerminalToken): void;
  onTitle(title: string): void;
  onNewShell(): void;
}) {
  const project = useSession().project?.id;
  const place = useRef<HTMLDivElement>(null);
  const parts = useRef<ShellParts>(undefined);
  const [state, setState] = useState<LineState>({ phase: 'connecting' });
  const [pasted, setPasted] = useState<string>();
  const heard = useRef({ onState, onSession, onTitle });
  heard.current = { onState, onSession, onTitle };

  // biome-ignore lint/correctness/useExhaustiveDependencies: one shell for the life of this view
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let line: ShellLine | undefined;
    const screen = openScreen(fontSize, {
      onInput: (text) => line?.type(text),
      onResize: (columns, rows) => line?.resize(columns, rows),
      onTitle: (title) => heard.current.onTitle(title),
    });
    screen.show(element);
    line = openShellLine({
      ...{ allocationId, project, sessionId, mode, screen },
      onState(next) {
        setState(next);
        heard.current.onState(next);
      },
      onSession: (token) => heard.current.onSession(token),
    });
    parts.current = { screen, line };
    onOpen(parts.current);
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (text.split(/\r\n|\r|\n/).length <= askAboveLines) return;
      event.preventDefault();
      event.stopPropagation();
      setPasted(text);
    };
    element.addEventListener('paste', onPaste, { capture: true });
    const watching = new ResizeObserver(() => element.offsetParent && screen.fit());
    watching.observe(element);
    screen.focus();
    return () => {
      watching.disconnect();
      line.close();
      screen.close();
    };
  }, []);
  useEffect(() => parts.current?.screen.setFontSize(fontSize), [fontSize]);
  useEffect(() => {
    if (!isShown) return;
    parts.current?.screen.fit();
    parts.current?.screen.focus();
  }, [isShown]);

  return (
    <div hidden={!isShown} role="tabpanel" aria-label="Shell" className="relative min-h-0 grow">
      <div ref={place} className="absolute inset-0 bg-[#0e1115] p-2" data-phase={state.phase} />
      <Banner state={state} parts={parts.current} onNewShell={onNewShell} />
      <KeyBar onType={(text) => parts.current?.screen.type(text)} />
      <Confirm
        open={pasted !== undefined}
        onClose={() => setPasted(undefined)}
        title={`Paste ${pasted?.split(/\r\n|\r|\n/).length ?? 0} lines?`}
        verb="Paste"
        busy={false}
        error={null}
        onConfirm={() => {
          if (pasted !== undefined) parts.current?.screen.paste(pasted);
          setPasted(undefined);
          parts.current?.screen.focus();
        }}
      >
        <p>Each line may run as a command as soon as it is pasted.</p>
        <pre className="max-h-48 overflow-auto rounded bg-sunk p-2 text-[13px]">{pasted}</pre>
      </Confirm>
    </div>
  );
}

/** What stands between the person and the shell: a lost connection, an end, a refusal, or a choice. */
function Banner({ state, parts, onNewShell }: { state: LineState; parts: ShellParts | undefined; onNewShell(): void }) {
  const connect = (mode: Mode) => parts?.line.connect(mode);
  if (state.phase === 'live' || state.phase === 'connecting') {
    const words = state.phase === 'connecting' ? 'Connecting…' : liveWords(state);
    return words ? <Strip tone="calm">{words}</Strip> : null;
  }
  if (state.phase === 'reconnecting') {
    return <Strip tone="warn">{state.sentence} Connecting again; the shell goes on meanwhile.</Strip>;
  }
  if (state.phase === 'in_use') {
    return (
      <Sheet title="This shell is open in another place">
        <p>You are connected to it from another tab or device.</p>
        <div className="flex flex-wrap gap-2">
          <Button look="primary" onClick={() => connect('take_over')}>
            Take over
          </Button>
          <Button onClick={() => connect('watch')}>Open read-only</Button>
          <Button onClick={onNewShell}>New shell</Button>
        </div>
      </Sheet>
    );
  }
  if (state.phase === 'refused') {
    return (
      <Sheet title="The terminal was not opened">
        <Problem error={state.error} />
        <Button onClick={onNewShell}>Try again</Button>
      </Sheet>
    );
  }
  return (
    <Sheet title={state.exit === undefined ? 'Disconnected' : 'The shell has ended'}>
      <p>
        {state.sentence}
        {typeof state.exit === 'number' && ` Its exit code is ${state.exit}.`} What it printed stays on this page until
        you leave it.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={onNewShell}>
          New shell
        </Button>
        {state.exit === undefined && <Button onClick={() => connect('take_over')}>Connect again</Button>}
      </div>
    </Sheet>
  );
}

function liveWords(state: LineState): string | undefined {
  if (state.ready?.role === 'watcher') return 'Read-only: another connection types.';
  return state.sentence;
}

const Strip = ({ tone, children }: { tone: 'calm' | 'warn'; children: React.ReactNode }) => (
  <p
    role="status"
    className={`absolute inset-x-0 top-0 px-3 py-1 text-[13px] ${tone === 'warn' ? 'bg-warn-soft text-warn' : 'bg-accent-soft text-accent'}`}
  >
    {children}
  </p>
);

const Sheet = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section aria-label={title} className="panel absolute inset-x-4 bottom-4 mx-auto grid max-w-xl gap-3 p-4 shadow-lift">
    <h2 className="font-semibold">{title}</h2>
    {children}
  </section>
);
