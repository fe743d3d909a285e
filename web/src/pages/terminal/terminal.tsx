import type { AllocationDetail, TerminalSession } from '@gpuaas/sdk';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { api, isAbsent } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { branding } from '../../client/branding.ts';
import { useSession } from '../../client/session.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { fontSizes } from './screen.ts';
import { type ShellParts, ShellView } from './shell-view.tsx';
import { firstTabs, keepSessions, mostTabs, readKept, type Tab } from './tabs.ts';
import { Toolbar } from './toolbar.tsx';

/** Shells of one allocation, in tabs. */
export function TerminalPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const allocation = useAsk(['allocation', id], (options) => api.allocations.get({ allocation_id: id }, options));
  const sessions = useAsk(
    ['terminal-sessions', id, 'first'],
    async (options) => (await api.terminals.sessionList({ allocation_id: id, live: true, limit: 50 }, options)).data,
    { freshMs: Number.POSITIVE_INFINITY },
  );
  const error = allocation.error ?? sessions.error;
  if (error) {
    return (
      <div className="mx-auto w-full max-w-2xl p-8">
        {isAbsent(error) ? (
          <Empty icon="search" title="Allocation not found">
            <p>It may belong to another project or organization.</p>
            <ButtonLink to="/allocations">All allocations</ButtonLink>
          </Empty>
        ) : (
          <Problem error={error} again={() => void Promise.all([allocation.refetch(), sessions.refetch()])} />
        )}
      </div>
    );
  }
  if (!allocation.data || !sessions.data) return <Loading rows={8} label="Loading the terminal" />;
  const action = allocation.data.actions.find(({ action }) => action === 'open_terminal');
  if (!action?.allowed) {
    return (
      <Empty icon="terminal" title="No terminal">
        <p>{action?.why_not}</p>
        <ButtonLink to="/allocations/$id" params={{ id }}>
          Back to the allocation
        </ButtonLink>
      </Empty>
    );
  }
  return <Shells it={allocation.data} live={sessions.data} />;
}

function Shells({ it, live }: { it: AllocationDetail; live: readonly TerminalSession[] }) {
  const { me } = useSession();
  const search = useSearch({ strict: false }) as { session?: string };
  const nextKey = useRef(0);
  const makeTab = (mode: Tab['mode'], sessionId: string | undefined): Tab => {
    const key = nextKey.current + 1;
    nextKey.current = key;
    const known = live.find(({ id }) => id === sessionId);
    return {
      ...{ key, mode, sessionId, name: known?.name ?? 'shell', title: '' },
      state: { phase: 'connecting' },
    };
  };
  const [tabs, setTabs] = useState<readonly Tab[]>(() =>
    firstTabs(live, me.id, readKept(it.id), search.session).map(([mode, id]) => makeTab(mode, id)),
  );
  const [shown, setShown] = useState(tabs[0]?.key);
  const [fontSize, setFontSize] = useState<number>(fontSizes.usual);
  const parts = useRef(new Map<number, ShellParts>());
  const change = (key: number, next: Partial<Tab>) =>
    setTabs((all) => all.map((tab) => (tab.key === key ? { ...tab, ...next } : tab)));
  useEffect(() => keepSessions(it.id, tabs), [it.id, tabs]);
  const current = tabs.find(({ key }) => key === shown);
  useEffect(() => {
    document.title = `${current?.title || it.name} · terminal · ${branding.name}`;
  }, [current?.title, it.name]);

  const add = (instead?: number) => {
    const tab = makeTab('open', undefined);
    setTabs((all) => [...all.filter(({ key }) => key !== instead), tab]);
    setShown(tab.key);
  };
  const leave = (key: number) => {
    parts.current.delete(key);
    const rest = tabs.filter((tab) => tab.key !== key);
    setTabs(rest);
    if (shown === key) setShown(rest.at(-1)?.key);
  };
  return (
    <div className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-col overflow-hidden" data-terminal="">
      <Toolbar
        it={it}
        tabs={tabs}
        shown={current}
        fontSize={fontSize}
        onFontSize={setFontSize}
        onShow={setShown}
        onLeave={leave}
        onAdd={tabs.length < mostTabs ? () => add() : undefined}
        partsOf={(key) => parts.current.get(key)}
      />
      {tabs.map(({ key, mode, sessionId }) => (
        <ShellView
          key={key}
          allocationId={it.id}
          sessionId={sessionId}
          mode={mode}
          isShown={key === shown}
          fontSize={fontSize}
          onOpen={(opened) => parts.current.set(key, opened)}
          onState={(state) => change(key, { state })}
          onSession={({ session_id, name }) => change(key, { sessionId: session_id, name })}
          onTitle={(title) => change(key, { title })}
          onNewShell={() => add(key)}
        />
      ))}
      {tabs.length === 0 && (
        <Empty icon="terminal" title="No shell is shown">
          <p>Shells that you left go on for a while; open the terminal again to find them.</p>
          <Link to="/allocations/$id" params={{ id: it.id }} className="text-accent underline">
            Back to {it.name}
          </Link>
        </Empty>
      )}
    </div>
  );
}
