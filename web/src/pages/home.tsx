import { Link } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { hasRole, isOperator, useSession } from '../client/session.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Icon } from '../parts/icon.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { addAmounts, spellMoney } from '../words/money.ts';
import { isLive } from '../words/rail.ts';
import { tellAction } from '../words/sentences.ts';
import { counted } from '../words/sizes.ts';

/** Where one begins: what runs, what it costs, and what is still to be done. */
export function HomePage() {
  const session = useSession();
  const inProject = session.project !== undefined;
  const keys = useAsk(['ssh-keys', 'first'], (options) => api.sshKeys.list({ limit: 1 }, options));
  const allocations = useAsk(['allocations', 'home'], (options) => api.allocations.list({ limit: 50 }, options), {
    enabled: inProject,
  });
  const members = useAsk(
    ['members', 'home'],
    (options) => api.members.list({ organization_id: session.project?.organization_id ?? '', limit: 2 }, options),
    { enabled: inProject },
  );
  const activity = useAsk(['activity', 'home'], (options) => api.activity.list({ limit: 6 }, options), {
    enabled: inProject,
  });
  const live = allocations.data?.data.filter(({ state }) => isLive(state)) ?? [];
  const billed = live.filter(({ state }) => state === 'active');
  const rate = addAmounts(billed.map(({ price }) => price.per_hour));
  const steps = [
    { done: (keys.data?.data.length ?? 0) > 0, label: 'Add an SSH key', to: '/ssh-keys' },
    { done: (allocations.data?.data.length ?? 0) > 0, label: 'Launch your first GPU', to: '/launch' },
    ...(hasRole(session, 'admin')
      ? [{ done: (members.data?.data.length ?? 0) > 1, label: 'Invite a teammate', to: '/team' }]
      : []),
  ];
  const known = keys.data !== undefined && (allocations.data !== undefined || !inProject);
  const open = steps.filter(({ done }) => !done).length;

  if (!session.project) {
    return (
      <Page title="Welcome">
        <div className="panel">
          <Empty icon="stack" title="You belong to no project yet">
            <p>GPUs are rented in a project. Ask an owner of your organization to add you to one.</p>
            {isOperator(session) && (
              <ButtonLink look="primary" icon="wall" to="/ops">
                Look after the fleet
              </ButtonLink>
            )}
          </Empty>
        </div>
      </Page>
    );
  }
  return (
    <Page
      title={session.project.name}
      lead={
        !known
          ? 'One moment.'
          : live.length === 0
            ? 'No GPUs are running. You are paying nothing.'
            : `${counted(
                live.reduce((sum, { gpu_count }) => sum + gpu_count, 0),
                'GPU',
              )} in ${counted(live.length, 'allocation')}${rate ? `, ${spellMoney(rate)} per hour` : ''}.`
      }
      actions={
        <ButtonLink look="primary" icon="launch" to="/launch">
          Launch
        </ButtonLink>
      }
      shown={{ operation: 'allocation_list', input: { limit: 50 } }}
    >
      {known && open > 0 && (
        <Panel
          title="Getting started"
          aside={
            <span className="text-sm text-dim">
              {steps.length - open} of {steps.length} done
            </span>
          }
        >
          <ol className="grid gap-2 sm:grid-cols-3">
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
      )}
      <div className="grid gap-6 lg:grid-cols-[3fr_2fr]">
        <Panel
          title="Running"
          aside={
            <Link to="/allocations" className="text-sm text-accent underline underline-offset-2">
              All allocations
            </Link>
          }
        >
          {allocations.error ? (
            <Problem error={allocations.error} again={() => void allocations.refetch()} />
          ) : !known ? (
            <Loading />
          ) : live.length === 0 ? (
            <Empty icon="cpu" title="Nothing is running">
              <p>A GPU is yours within a few minutes, and costs nothing until it is proven to work.</p>
              <ButtonLink look="primary" to="/launch">
                Launch a GPU
              </ButtonLink>
            </Empty>
          ) : (
            <ul className="grid gap-2">
              {live.slice(0, 6).map((allocation) => (
                <li key={allocation.id}>
                  <Link
                    to="/allocations/$id"
                    params={{ id: allocation.id }}
                    className="flex items-center gap-3 rounded-lg border border-edge px-3 py-2.5 hover:border-accent"
                  >
                    <span className="min-w-0 grow">
                      <bdi className="line-clamp-2 font-medium">{allocation.name}</bdi>
                      <span className="block text-sm text-dim">
                        {allocation.sku} × {allocation.gpu_count} · {allocation.region}
                      </span>
                    </span>
                    <span className="tabular hidden text-sm text-dim sm:block">
                      {spellMoney(allocation.price.per_hour)}/h
                    </span>
                    <StateChip state={allocation.state} />
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </Panel>
        <Panel
          title="Lately"
          aside={
            <Link to="/activity" className="text-sm text-accent underline underline-offset-2">
              All activity
            </Link>
          }
        >
          {activity.error ? (
            <Problem error={activity.error} again={() => void activity.refetch()} />
          ) : !activity.data ? (
            <Loading />
          ) : activity.data.data.length === 0 ? (
            <p className="text-dim">Nothing has happened in this project yet.</p>
          ) : (
            <ul className="grid gap-2">
              {activity.data.data.map((entry) => (
                <li key={entry.id} className="flex items-baseline justify-between gap-3">
                  <span>
                    Somebody ({entry.actor_role}) {tellAction(entry.action)}
                    {entry.result === 'failure' && <span className="text-bad"> in vain</span>}
                  </span>
                  <span className="text-sm text-dim">
                    <Ago at={entry.created_at} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Panel>
      </div>
    </Page>
  );
}
