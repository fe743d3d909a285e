import { GpuaasError } from '@gpuaas/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { api } from '../client/api.ts';
import { useUnread } from '../client/notifications.ts';
import { useOperatorLive } from '../client/operators.ts';
import { may, type Session, SessionProvider } from '../client/session.tsx';
import { useLive } from '../client/use-live.ts';
import { ButtonLink, IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { Page } from '../parts/page.tsx';
import { PartBoundary } from '../parts/part-boundary.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { BalanceMark } from './balance-mark.tsx';
import { listenToKeys, onKey } from './keys.ts';
import { LiveBanner, LiveMark } from './live-mark.tsx';
import { Nav } from './nav.tsx';
import { PersonMenu } from './person-menu.tsx';
import { isOpenTo, menuOf } from './places.ts';
import { keepProject, nextDensity, nextTheme, readProject } from './preferences.ts';
import { SpeedBanner } from './speed-banner.tsx';

const CommandMenu = lazyPart(() => import('./command-menu.tsx'), 'CommandMenu');
const KeyboardHelp = lazyPart(() => import('./keyboard-help.tsx'), 'KeyboardHelp');
const Notifications = lazyPart(() => import('./notifications.tsx'), 'Notifications');

/** The frame around all pages. It loads the session before it shows anything. */
export function Shell() {
  const me = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => api.me.get({ signal }) });
  const organizations = me.data?.organizations.map(({ id }) => id) ?? [];
  const projects = useQuery({
    queryKey: ['projects', organizations],
    enabled: me.data !== undefined,
    // A person who joins or leaves an organization stays on their page while the session is refetched.
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        organizations.map((organization_id) => api.projects.list({ organization_id, state: 'active' }, { signal })),
      );
      return lists.flatMap(({ data }) => data);
    },
  });
  const [wanted, setWanted] = useState(readProject);
  const session = useMemo((): Session | undefined => {
    if (!me.data || !projects.data) return undefined;
    const find = (id: string | null) => projects.data.find((project) => project.id === id);
    return {
      me: me.data,
      projects: projects.data,
      project: find(wanted) ?? find(me.data.default_project_id) ?? projects.data[0],
      choose(id) {
        keepProject(id);
        setWanted(id);
      },
    };
  }, [me.data, projects.data, wanted]);
  const error = me.error ?? projects.error;
  // Without a session the browser is on its way to the sign-in: nothing has failed.
  const isLeaving = error instanceof GpuaasError && error.status === 401;
  if (error && !session && !isLeaving) {
    return (
      <main className="mx-auto grid min-h-screen max-w-lg content-center p-6">
        <Problem error={error} again={() => void Promise.all([me.refetch(), projects.refetch()])} />
      </main>
    );
  }
  if (!session) {
    return (
      <main className="mx-auto max-w-6xl p-8">
        <Loading rows={6} label="Loading the console" />
      </main>
    );
  }
  return (
    <SessionProvider value={session}>
      <Frame session={session} />
    </SessionProvider>
  );
}

function Frame({ session }: { session: Session }) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const navigate = useNavigate();
  const status = useLive(session.project?.id);
  const [sheet, setSheet] = useState<'command' | 'help' | 'notifications'>();
  const [isOpen, setOpen] = useState(false);
  const menu = useMemo(() => menuOf(session), [session]);
  const mayOperate = menu.operator.length > 0;
  // A person who operates and has no project sees the operator's menu on their own pages too.
  const operating = mayOperate && (path.startsWith('/ops') || !session.project);
  const fleetStatus = useOperatorLive(operating && may(session, 'admin_event_stream'));
  const shownStatus = operating ? fleetStatus : status;

  useEffect(() => listenToKeys(), []);
  useEffect(() => {
    const all = [...menu.project, ...menu.operator].flatMap(({ places }) => places);
    const ends = [
      onKey('command', () => setSheet('command')),
      onKey('?', () => setSheet('help')),
      ...(may(session, 'allocation_create') ? [onKey('n', () => void navigate({ to: '/launch' }))] : []),
      onKey('D', nextDensity),
      onKey('T', nextTheme),
      ...all.flatMap(({ key, to }) => (key ? [onKey(`g ${key}`, () => void navigate({ to }))] : [])),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [session, menu, navigate]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes whenever one has arrived somewhere
  useEffect(() => setOpen(false), [path]);

  const close = () => setSheet(undefined);
  return (
    <div className="min-h-screen lg:grid lg:grid-cols-[15.5rem_1fr]">
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:fixed focus:start-3 focus:top-3"
      >
        Skip to content
      </a>
      <Nav
        session={session}
        menu={menu}
        operating={operating}
        path={path}
        isOpen={isOpen}
        onHelp={() => setSheet('help')}
      />
      {isOpen && (
        <button
          type="button"
          aria-label="Close the menu"
          className="fixed inset-0 z-20 bg-veil lg:hidden"
          onClick={() => setOpen(false)}
        />
      )}
      <div className="flex min-w-0 flex-col">
        {operating && <div aria-hidden="true" className="h-0.5 bg-ops" />}
        <header className="sticky top-0 z-10 flex items-center gap-1.5 border-b border-edge bg-ground/90 px-3 py-2 backdrop-blur sm:px-6">
          <IconButton icon="menu" label="Menu" className="lg:hidden" onClick={() => setOpen(true)} />
          <button
            type="button"
            onClick={() => setSheet('command')}
            className="me-auto flex min-h-9 min-w-0 items-center gap-2 rounded-lg border border-edge bg-paper px-3 text-dim hover:border-line sm:w-72"
          >
            <Icon name="search" size={16} />
            <span className="truncate">Search or jump to…</span>
            <kbd className="ms-auto hidden rounded bg-sunk px-1.5 font-sans text-xs sm:block">Ctrl K</kbd>
          </button>
          {!operating && <BalanceMark />}
          <LiveMark status={shownStatus} />
          <Bell onOpen={() => setSheet('notifications')} />
          <PersonMenu session={session} />
        </header>
        <LiveBanner status={shownStatus} />
        <SpeedBanner speed={session.me.gpu_time_speed} />
        <main id="content" tabIndex={-1} className="min-w-0 grow outline-none">
          {isOpenTo(session, path) ? <Outlet /> : <NotForYou home={menu.home} />}
        </main>
      </div>
      <PartBoundary onClose={close}>
        <Suspense>
          {sheet === 'command' && <CommandMenu onClose={close} />}
          {sheet === 'help' && <KeyboardHelp onClose={close} />}
          {sheet === 'notifications' && <Notifications onClose={close} />}
        </Suspense>
      </PartBoundary>
    </div>
  );
}

function NotForYou({ home }: { home: string }) {
  return (
    <Page title="Not available">
      <div className="panel">
        <Empty icon="key" title="Your role does not include this page">
          <p>Ask an administrator if you need it.</p>
          <ButtonLink look="primary" to={home as '/'}>
            Go home
          </ButtonLink>
        </Empty>
      </div>
    </Page>
  );
}

/** The number of unread notifications; the server stores what was read, so every browser shows the same. */
function Bell({ onOpen }: { onOpen(): void }) {
  const fresh = useUnread().data?.unread ?? 0;
  // The visible text is part of the accessible name.
  const shown = fresh > 9 ? '9+' : String(fresh);
  return (
    <IconButton icon="bell" label={fresh > 0 ? `Notifications, ${shown} new` : 'Notifications'} onClick={onOpen}>
      {fresh > 0 && (
        <span
          aria-hidden="true"
          className="absolute -end-0.5 -top-0.5 min-w-4 rounded-full bg-accent px-1 text-center text-[10px] leading-4 font-semibold text-on-accent"
        >
          {shown}
        </span>
      )}
    </IconButton>
  );
}
