import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { may, useSession } from '../client/session.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { menuOf } from './places.ts';
import { setDensity, setTheme } from './preferences.ts';

interface Command {
  readonly id: string;
  readonly label: string;
  /** The kind of entry, at the end of the line. */
  readonly kind: string;
  readonly icon: IconName;
  /** Further search words. */
  readonly words?: string;
  run(): void;
}
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const shown = 12;

/** One box to navigate, act and search. Arrow keys choose, Enter opens. */
export function CommandMenu({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = text.trim().toLowerCase();
  const all = useCommands();
  const found = useIds(wanted);
  const commands = [
    ...found,
    ...all.filter(({ label, kind, words }) => `${label} ${kind} ${words ?? ''}`.toLowerCase().includes(wanted)),
  ].slice(0, shown);
  const chosen = Math.min(at, Math.max(0, commands.length - 1));

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((chosen + step + commands.length) % Math.max(1, commands.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(commands[chosen]);
    }
  };
  return (
    <Dialog open onClose={onClose} title="Search or jump to">
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={commands[chosen] ? `command-${chosen}` : undefined}
        aria-label="Search or jump to"
        className="field"
        placeholder="Page, action, name or ID"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="commands" role="listbox" aria-label="Results" className="mt-3 grid grid-cols-1 gap-0.5">
        {commands.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box above listens to the keys
          <div
            key={command.id}
            id={`command-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => run(command)}
            onMouseMove={() => setAt(index)}
            className={`flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 ${index === chosen ? 'bg-accent-soft text-accent' : ''}`}
          >
            <Icon name={command.icon} size={16} />
            <bdi className="min-w-0 grow truncate">{command.label}</bdi>
            <span className="shrink-0 text-sm text-dim">{command.kind}</span>
          </div>
        ))}
      </div>
      {commands.length === 0 && <p className="px-3 py-4 text-dim">No results.</p>}
    </Dialog>
  );
}

function useCommands(): readonly Command[] {
  const session = useSession();
  const navigate = useNavigate();
  const isIn = session.project !== undefined;
  const allocations = useAsk(['allocations', 'menu'], (options) => api.allocations.list({ limit: 100 }, options), {
    enabled: isIn,
  });
  const groups = useAsk(['groups', 'menu'], (options) => api.allocationGroups.list({ limit: 100 }, options), {
    enabled: isIn,
  });
  const go = (to: string) => () => void navigate({ to });
  const menu = menuOf(session);
  const places = [...menu.project, ...menu.operator].flatMap(({ name, places: inGroup }) =>
    inGroup.map(({ to, label, icon }): Command => ({ id: to, label, kind: name, icon, run: go(to) })),
  );
  return [
    ...places,
    ...(may(session, 'node_create')
      ? [{ id: 'enrol', label: 'Enrol a node', kind: 'Platform', icon: 'plus', run: go('/ops/enrol') } as const]
      : []),
    ...(allocations.data?.data ?? []).map(
      ({ id, name, state }): Command => ({
        id,
        label: name,
        kind: `Allocation, ${state}`,
        icon: 'cpu',
        words: id,
        run: go(`/allocations/${id}`),
      }),
    ),
    ...(groups.data?.data ?? []).map(
      ({ id, name }): Command => ({
        id,
        label: name,
        kind: 'Group',
        icon: 'stack',
        words: id,
        run: go(`/groups/${id}`),
      }),
    ),
    ...session.projects.map(
      (project): Command => ({
        id: project.id,
        label: project.name,
        kind: 'Switch project',
        icon: 'stack',
        words: `${project.id} ${project.slug}`,
        run: () => {
          session.choose(project.id);
          go('/')();
        },
      }),
    ),
    ...(['light', 'dark', 'system'] as const).map(
      (theme): Command => ({
        id: `theme ${theme}`,
        label: theme,
        kind: 'Theme',
        icon: 'rules',
        run: () => setTheme(theme),
      }),
    ),
    ...(['comfortable', 'compact'] as const).map(
      (density): Command => ({
        id: `density ${density}`,
        label: density,
        kind: 'Density',
        icon: 'rules',
        run: () => setDensity(density),
      }),
    ),
  ];
}

/** Looks an id up through the API, so that only existing objects are offered. */
function useIds(wanted: string): readonly Command[] {
  const session = useSession();
  const navigate = useNavigate();
  const operator = may(session, 'node_get');
  const story = may(session, 'admin_correlation_get') ? '/ops' : session.project ? '' : undefined;
  const isId = uuid.test(wanted);
  const go = (to: string) => () => void navigate({ to });
  const looks = useAsk(
    ['ids', wanted, operator],
    async (options): Promise<readonly Command[]> => {
      const hits = await Promise.allSettled([
        api.allocations.get({ allocation_id: wanted }, options).then(
          ({ name }): Command => ({
            id: 'a',
            label: name,
            kind: 'Allocation',
            icon: 'cpu',
            run: go(`/allocations/${wanted}`),
          }),
        ),
        api.allocationGroups.get({ allocation_group_id: wanted }, options).then(
          ({ name }): Command => ({
            id: 'g',
            label: name,
            kind: 'Group',
            icon: 'stack',
            run: go(`/groups/${wanted}`),
          }),
        ),
        ...(operator
          ? [
              api.adminNodes.get({ node_id: wanted }, options).then(
                ({ name }): Command => ({
                  id: 'n',
                  label: name,
                  kind: 'Node',
                  icon: 'server',
                  run: go(`/ops/nodes/${wanted}`),
                }),
              ),
            ]
          : []),
      ]);
      return hits.flatMap((hit) => (hit.status === 'fulfilled' ? [hit.value] : []));
    },
    { enabled: isId },
  );
  const mayBeCorrelation = wanted.length >= 8 && !wanted.includes(' ');
  return [
    ...(isId ? (looks.data ?? []) : []),
    ...(mayBeCorrelation && story !== undefined
      ? [
          {
            id: 'correlation',
            label: 'Trace this correlation ID',
            kind: 'Correlation',
            icon: 'book',
            run: go(`${story}/correlations/${encodeURIComponent(wanted)}`),
          } as const,
        ]
      : []),
  ];
}
