import type { Overview } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { useMay } from '../client/session.tsx';
import { Icon } from '../parts/icon.tsx';
import { Panel } from '../parts/page.tsx';

/** What a new user does first. The list disappears when all steps are done. */
export function FirstSteps({ done }: { done: Overview['getting_started'] }) {
  const may = useMay();
  const steps = [
    { done: done.has_ssh_key, label: 'Add an SSH key', to: '/ssh-keys' },
    ...(may('allocation_create') ? [{ done: done.has_launched, label: 'Launch your first GPU', to: '/launch' }] : []),
    ...(may('invitation_create') ? [{ done: done.has_teammates, label: 'Invite a teammate', to: '/team' }] : []),
    { done: done.has_token, label: 'Create a token for scripts', to: '/tokens' },
  ];
  const open = steps.filter((step) => !step.done).length;
  if (open === 0) return null;
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

/** The last launches of the person, one click from the form. */
export function LaunchAgain({ shapes }: { shapes: Overview['launch_again'] }) {
  if (shapes.length === 0) return null;
  return (
    <Panel title="Launch again">
      <ul className="grid gap-2 sm:grid-cols-2">
        {shapes.map((each) => (
          <li key={`${each.sku} ${each.gpus} ${each.region}`}>
            <Link
              to="/launch"
              search={{ sku: each.sku, gpus: String(each.gpus), region: each.region }}
              className="flex items-center gap-3 rounded-lg border border-edge px-3 py-2 hover:border-accent"
            >
              <Icon name="launch" />
              <span className="min-w-0">
                {each.sku} × {each.gpus}
                <span className="block text-sm text-dim">in {each.region}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
