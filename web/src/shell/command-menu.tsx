import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { isOperator, useSession } from '../client/session.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { operatorPlaces, projectPlaces } from './places.ts';
import { setTheme } from './preferences.ts';

interface Command {
  readonly label: string;
  readonly icon: IconName;
  run(): void;
}
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** One box for going, doing and finding. Arrow keys choose, Enter does. */
export function CommandMenu({ onClose }: { onClose(): void }) {
  const session = useSession();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const commands = useMemo(() => {
    const go = (to: string) => () => void navigate({ to });
    const operator = isOperator(session);
    const places = [...projectPlaces, ...(operator ? operatorPlaces : [])].flatMap(({ name, places: inGroup }) =>
      inGroup.map(({ to, label, icon }): Command => ({ label: `${name} · ${label}`, icon, run: go(to) })),
    );
    const fixed: Command[] = [
      ...places,
      ...(operator ? [{ label: 'Enrol a node', icon: 'plus', run: go('/ops/enrol') } as const] : []),
      ...session.projects.map(
        (project): Command => ({
          label: `Switch to ${project.name}`,
          icon: 'stack',
          run: () => session.choose(project.id),
        }),
      ),
      ...(['light', 'dark', 'system'] as const).map(
        (theme): Command => ({ label: `Theme: ${theme}`, icon: 'rules', run: () => setTheme(theme) }),
      ),
    ];
    const wanted = text.trim();
    const found: Command[] = wanted.length < 8 || wanted.includes(' ') ? [] : searches(wanted, operator);
    return [...found, ...fixed.filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()))].slice(0, 12);

    function searches(id: string, mayOperate: boolean): Command[] {
      const ids: Command[] = uuid.test(id)
        ? [
            { label: 'Open the allocation with this id', icon: 'cpu', run: go(`/allocations/${id}`) },
            ...(mayOperate
              ? [{ label: 'Open the node with this id', icon: 'server', run: go(`/ops/nodes/${id}`) } as const]
              : []),
          ]
        : [];
      return mayOperate
        ? [
            ...ids,
            {
              label: 'Everything under this correlation id',
              icon: 'book',
              run: go(`/ops/correlations/${encodeURIComponent(id)}`),
            },
          ]
        : ids;
    }
  }, [text, session, navigate]);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt((now) => (now + step + commands.length) % Math.max(1, commands.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(commands[at]);
    }
  };
  return (
    <Dialog open onClose={onClose} title="Go to">
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={commands[at] ? `command-${at}` : undefined}
        aria-label="A page, an act, or an id"
        className="field"
        placeholder="A page, an act, or an id"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="commands" role="listbox" aria-label="Results" className="mt-3 grid gap-0.5">
        {commands.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box above listens to the keys
          <div
            key={command.label}
            id={`command-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => run(command)}
            onMouseMove={() => setAt(index)}
            className={`flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 ${index === at ? 'bg-accent-soft text-accent' : ''}`}
          >
            <Icon name={command.icon} size={16} />
            <span className="truncate">{command.label}</span>
          </div>
        ))}
      </div>
      {commands.length === 0 && <p className="px-3 py-4 text-dim">Nothing has that name.</p>}
    </Dialog>
  );
}
