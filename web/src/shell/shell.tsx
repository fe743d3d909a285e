import type { StreamedEvent } from '@gpuaas/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { api } from '../client/api.ts';
import { letGo } from '../client/let-go.ts';
import { type LiveStatus, staleAfter, watchProject } from '../client/live.ts';
import { useOperatorLive } from '../client/operators.ts';
import { isOperator, type Session, SessionProvider } from '../client/session.tsx';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { listenToKeys, onKey } from './keys.ts';
import { PersonMenu } from './person-menu.tsx';
import { isAt, operatorPlaces, type PlaceGroup, projectPlaces } from './places.ts';
import { keepProject, readProject } from './preferences.ts';

const CommandMenu = lazy(() => import('./command-menu.tsx').then((part) => ({ default: part.CommandMenu })));
const KeyboardHelp = lazy(() => import('./keyboard-help.tsx').then((part) => ({ default: part.KeyboardHelp })));
const Notices = lazy(() => import('./notices.tsx').then((part) => ({ default: part.Notices })));

/** Everything that stays while pages come and go. It knows who is here before it shows anything. */
export function Shell() {
  const me = useQuery({ queryKey: ['me'], queryFn: ({ signal }) => api.me.get({ signal }) });
  const organizations = me.data?.organizations.map(({ id }) => id) ?? [];
  const projects = useQuery({
    queryKey: ['projects', organizations],
    enabled: me.data !== undefined,
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
  if (error && !session) {
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

function useLive(project: string | undefined) {
  const client = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>('connecting');
  const [notices, setNotices] = useState<readonly StreamedEvent[]>([]);
  useEffect(() => {
    if (!project) return;
    setNotices([]);
    return watchProject(project, {
      status: setStatus,
      caughtUp: () => void client.invalidateQueries(),
      event(event) {
        for (const word of staleAfter(event.type)) letGo(client.invalidateQueries({ queryKey: [word] }));
        setNotices((known) => [event, ...known].slice(0, 50));
      },
    });
  }, [client, project]);
  return { status, notices };
}

function Frame({ session }: { session: Session }) {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const navigate = useNavigate();
  const { status, notices } = useLive(session.project?.id);
  const [sheet, setSheet] = useState<'command' | 'help' | 'notices'>();
  const [isOpen, setOpen] = useState(false);
  const [seen, setSeen] = useState(0);
  const mayOperate = isOperator(session);
  const operating = mayOperate && path.startsWith('/ops');
  const fleetStatus = useOperatorLive(operating);
  const groups = operating ? operatorPlaces : projectPlaces;

  useEffect(() => listenToKeys(), []);
  useEffect(() => {
    const all = [...projectPlaces, ...(mayOperate ? operatorPlaces : [])].flatMap(({ places }) => places);
    const ends = [
      onKey('command', () => setSheet('command')),
      onKey('?', () => setSheet('help')),
      onKey('n', () => void navigate({ to: '/launch' })),
      ...all.flatMap(({ key, to }) => (key ? [onKey(`g ${key}`, () => void navigate({ to }))] : [])),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [mayOperate, navigate]);
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
      <nav
        aria-label="Main"
        className={`fixed inset-y-0 start-0 z-30 w-[15.5rem] flex-col gap-5 overflow-y-auto border-e border-edge bg-paper px-3 py-4 lg:sticky lg:top-0 lg:flex lg:h-screen ${isOpen ? 'flex shadow-lift' : 'hidden'}`}
      >
        <div className="flex items-center gap-2.5 px-2">
          <img src="/mark.svg" alt="" width="26" height="26" />
          <span className="text-lg font-semibold tracking-tight">GPUaaS</span>
        </div>
        <ProjectSwitcher session={session} />
        {mayOperate && <ModeSwitch operating={operating} />}
        <div className="grid gap-4">
          {groups.map((group) => (
            <NavGroup key={group.name} group={group} path={path} />
          ))}
        </div>
        <p className="mt-auto px-2 pt-4 text-sm text-dim">
          <a className="underline underline-offset-2 hover:text-ink" href="/openapi.json">
            API
          </a>
          <span className="mx-2">·</span>
          <button
            type="button"
            className="underline underline-offset-2 hover:text-ink"
            onClick={() => setSheet('help')}
          >
            Keys
          </button>
        </p>
      </nav>
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
            <span className="truncate">Go to, or find an id</span>
            <kbd className="ms-auto hidden rounded bg-sunk px-1.5 font-sans text-xs sm:block">Ctrl K</kbd>
          </button>
          <LiveMark status={operating ? fleetStatus : status} />
          <IconButton
            icon="bell"
            label={notices.length > seen ? `Notices, ${notices.length - seen} new` : 'Notices'}
            onClick={() => {
              setSeen(notices.length);
              setSheet('notices');
            }}
          />
          <PersonMenu session={session} />
        </header>
        <main id="content" tabIndex={-1} className="min-w-0 grow outline-none">
          <Outlet />
        </main>
      </div>
      <Suspense>
        {sheet === 'command' && <CommandMenu onClose={close} />}
        {sheet === 'help' && <KeyboardHelp onClose={close} />}
        {sheet === 'notices' && <Notices events={notices} onClose={close} />}
      </Suspense>
    </div>
  );
}

function ProjectSwitcher({ session }: { session: Session }) {
  if (session.projects.length === 0) return <p className="px-2 text-sm text-dim">You belong to no project yet.</p>;
  return (
    <label className="grid gap-1 px-2 text-[13px] text-dim">
      Project
      <select
        className="field truncate"
        value={session.project?.id}
        onChange={(event) => session.choose(event.target.value)}
      >
        {session.me.organizations.map((organization) => (
          <optgroup key={organization.id} label={organization.name}>
            {session.projects
              .filter((project) => project.organization_id === organization.id)
              .map((project) => (
                <option key={project.id} value={project.id}>
                  {project.name}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

function ModeSwitch({ operating }: { operating: boolean }) {
  const face = (on: boolean, tone: string) =>
    `rounded-md px-2 py-1 text-center text-sm font-medium ${on ? tone : 'text-dim hover:text-ink'}`;
  return (
    <div className="mx-2 grid grid-cols-2 gap-1 rounded-lg bg-sunk p-1">
      <Link
        to="/"
        aria-current={operating ? undefined : 'true'}
        className={face(!operating, 'bg-paper text-ink shadow-lift')}
      >
        Project
      </Link>
      <Link to="/ops" aria-current={operating ? 'true' : undefined} className={face(operating, 'bg-ops-soft text-ops')}>
        Operator
      </Link>
    </div>
  );
}

function NavGroup({ group, path }: { group: PlaceGroup; path: string }) {
  return (
    <div>
      <h2 className="px-2 pb-1 text-[12px] font-semibold tracking-wide text-dim uppercase">{group.name}</h2>
      <ul className="grid gap-0.5">
        {group.places.map((place) => (
          <li key={place.to}>
            <Link
              to={place.to}
              aria-current={isAt(place, path) ? 'page' : undefined}
              className={`flex min-h-9 items-center gap-2.5 rounded-lg px-2 ${isAt(place, path) ? 'bg-accent-soft font-medium text-accent' : 'text-ink hover:bg-sunk'}`}
            >
              <Icon name={place.icon} />
              {place.label}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Whether what is on the screen is true now. Quiet while it is. */
function LiveMark({ status }: { status: LiveStatus }) {
  return (
    <span role="status" className="text-sm">
      {status === 'reconnecting' && (
        <span className="flex items-center gap-1.5 rounded-full bg-warn-soft px-2.5 py-1 text-warn">
          <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-current" />
          Reconnecting
        </span>
      )}
      {status === 'live' && (
        <span className="flex items-center gap-1.5 px-2 text-dim" title="What you see changes as it happens">
          <span aria-hidden="true" className="size-2 rounded-full bg-ok" />
          <span className="max-sm:sr-only">Live</span>
        </span>
      )}
    </span>
  );
}
