import { Link } from '@tanstack/react-router';
import { branding } from '../client/branding.ts';
import type { Session } from '../client/session.tsx';
import { Icon } from '../parts/icon.tsx';
import { groupProjects } from '../words/access.ts';
import { type Menu, type PlaceGroup, placeAt } from './places.ts';

/** The side navigation: brand, selected project, and pages. */
export function Nav(parts: {
  session: Session;
  menu: Menu;
  operating: boolean;
  path: string;
  isOpen: boolean;
  onHelp(): void;
}) {
  const { menu, operating, session } = parts;
  const groups = !operating ? menu.project : session.project ? menu.operator : [...menu.operator, ...menu.project];
  return (
    <nav
      aria-label="Main"
      className={`fixed inset-y-0 start-0 z-30 w-[15.5rem] flex-col gap-5 overflow-y-auto border-e border-edge bg-paper px-3 py-4 lg:sticky lg:top-0 lg:flex lg:h-screen ${parts.isOpen ? 'flex shadow-lift' : 'hidden'}`}
    >
      <Link to={menu.home} className="flex items-center gap-2.5 rounded-lg px-2">
        <img src={branding.logo_url ?? '/mark.svg'} alt="" width="26" height="26" />
        <bdi title={branding.name} className="truncate text-lg font-semibold tracking-tight">
          {branding.name}
        </bdi>
      </Link>
      {(session.project || menu.operator.length === 0) && <ProjectSwitcher session={session} />}
      {session.project && menu.operator.length > 0 && <ModeSwitch menu={menu} operating={operating} />}
      <div className="grid gap-4">
        {groups.map((group) => (
          <NavGroup key={group.name} group={group} path={parts.path} />
        ))}
      </div>
      <p className="mt-auto flex flex-wrap gap-x-3 gap-y-1 px-2 pt-4 text-sm text-dim">
        <a className="underline underline-offset-2 hover:text-ink" href="/docs">
          Docs
        </a>
        <a className="underline underline-offset-2 hover:text-ink" href="/docs/api">
          API
        </a>
        {branding.support_url && (
          <a className="underline underline-offset-2 hover:text-ink" href={branding.support_url} rel="noreferrer">
            Help
          </a>
        )}
        <button type="button" className="underline underline-offset-2 hover:text-ink" onClick={parts.onHelp}>
          Keys
        </button>
      </p>
    </nav>
  );
}

function ProjectSwitcher({ session }: { session: Session }) {
  if (session.projects.length === 0) return <p className="px-2 text-sm text-dim">You are not in a project.</p>;
  return (
    <label className="grid gap-1 px-2 text-[13px] text-dim">
      Project
      <select
        className="field truncate"
        value={session.project?.id}
        onChange={(event) => session.choose(event.target.value)}
      >
        {groupProjects(session.me.organizations, session.projects).map(({ id, label, projects }) => (
          <optgroup key={id} label={label}>
            {projects.map((project) => (
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

function ModeSwitch({ menu, operating }: { menu: Menu; operating: boolean }) {
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
      <Link
        to={menu.operator[0]?.places[0]?.to ?? '/'}
        aria-current={operating ? 'true' : undefined}
        className={face(operating, 'bg-ops-soft text-ops')}
      >
        Operator
      </Link>
    </div>
  );
}

function NavGroup({ group, path }: { group: PlaceGroup; path: string }) {
  const current = placeAt(group.places, path);
  return (
    <div>
      <h2 className="px-2 pb-1 text-[12px] font-semibold tracking-wide text-dim uppercase">{group.name}</h2>
      <ul className="grid gap-0.5">
        {group.places.map((place) => (
          <li key={place.to}>
            <Link
              to={place.to}
              aria-current={place === current ? 'page' : undefined}
              className={`flex min-h-9 items-center gap-2.5 rounded-lg px-2 ${place === current ? 'bg-accent-soft font-medium text-accent' : 'text-ink hover:bg-sunk'}`}
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
