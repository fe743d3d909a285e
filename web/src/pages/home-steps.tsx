import type { Allocation } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { hasRole, useSession } from '../client/session.tsx';
import { Icon } from '../parts/icon.tsx';
import { Panel } from '../parts/page.tsx';

/** What somebody new does first. Each step ticks itself when it is done, wherever it was done; then the list is gone. */
export function FirstSteps({ hasLaunched }: { hasLaunched: boolean }) {
  const session = useSession();
  const organization_id = session.project?.organization_id ?? '';
  const isAdmin = hasRole(session, 'admin');
  const keys = useAsk(['ssh-keys', 'first'], (options) => api.sshKeys.list({ limit: 1 }, options));
  const tokens = useAsk(['tokens', 'first'], (options) => api.personalTokens.list({ limit: 1 }, options));
  const members = useAsk(
    ['members', 'home', organization_id],
    (options) => api.members.list({ organization_id, limit: 2 }, options),
    { enabled: organization_id !== '' },
  );
  const steps = [
    { done: (keys.data?.data.length ?? 0) > 0, label: 'Add an SSH key', to: '/ssh-keys' },
    ...(hasRole(session, 'member') ? [{ done: hasLaunched, label: 'Launch your first GPU', to: '/launch' }] : []),
    ...(isAdmin ? [{ done: (members.data?.data.length ?? 0) > 1, label: 'Invite a teammate', to: '/team' }] : []),
    { done: (tokens.data?.data.length ?? 0) > 0, label: 'Make a token for scripts', to: '/tokens' },
  ];
  const isKnown = keys.data && tokens.data && members.data;
  const open = steps.filter(({ done }) => !done).length;
  if (!isKnown || open === 0) return null;
  return (
    <Panel
      title="Getting started"
      aside={
        <span className="text-sm text-dim">
          {steps.length - open} of {steps.length} done
        </span>
      }
    >
      <ol className="grid gap-2 sm:grid-cols-2 xl:grid-cols-4">
        {steps.map(({ done, label, to }) => (
          <li key={label}>
            <Link
              to={to}
              className={`flex min-h-11 items-center gap-3 rounded-lg border px-3 py-2 ${done ? 'border-transparent bg-sunk text-dim' : 'border-edge hover:border-accent'}`}
            >
              <span
                className={`grid size-6 shrink-0 place-items-center rounded-full ${done ? 'bg-ok-soft text-ok' : 'border-2 border-edge'}`}
              >
                {done && <Icon name="check" size={14} />}
              </span>
              <span className={done ? 'line-through' : 'font-medium'}>{label}</span>
              <span className="sr-only">{done ? '(done)' : '(to do)'}</span>
            </Link>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

const shownShapes = 4;
/** The shapes that somebody used last, one click from the form. */
export function LaunchAgain({ past }: { past: readonly Allocation[] }) {
  const shapes = new Map(past.map((each) => [`${each.sku} ${each.gpu_count} ${each.region}`, each]));
  if (shapes.size === 0) return null;
  return (
    <Panel title="Launch again">
      <ul className="grid gap-2 sm:grid-cols-2">
        {[...shapes.values()].slice(0, shownShapes).map((each) => (
          <li key={each.id}>
            <Link
              to="/launch"
              search={{ sku: each.sku, gpus: String(each.gpu_count), region: each.region }}
              className="flex items-center gap-3 rounded-lg border border-edge px-3 py-2 hover:border-accent"
            >
              <Icon name="launch" />
              <span className="min-w-0">
                {each.sku} × {each.gpu_count}
                <span className="block text-sm text-dim">in {each.region}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
