import type { Allocation } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { useAllocationNames, useNames } from '../client/names.ts';
import { hasRole, isOperator, useSession } from '../client/session.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Empty, Loading, NoProject, Problem } from '../parts/states.tsx';
import { Ago, Lasting } from '../parts/time.tsx';
import { tellAction } from '../words/actions.ts';
import { addAmounts, spellMoney } from '../words/money.ts';
import { isLive } from '../words/rail.ts';
import { counted } from '../words/sizes.ts';
import { shownState } from './allocation-rows.tsx';
import { FirstSteps, LaunchAgain } from './home-steps.tsx';

const link = 'text-sm text-accent underline underline-offset-2';
const shownRunning = 6;

/** Where one begins: what runs, what it costs, and what is still to be done. */
export function HomePage() {
  const session = useSession();
  const isIn = session.project !== undefined;
  const allocations = useAsk(['allocations', 'home'], (options) => api.allocations.list({ limit: 100 }, options), {
    enabled: isIn,
  });
  if (!session.project) {
    return (
      <Page title="Welcome">
        <NoProject>
          {isOperator(session) && (
            <ButtonLink look="primary" icon="wall" to="/ops">
              Look after the fleet
            </ButtonLink>
          )}
        </NoProject>
      </Page>
    );
  }
  const all = allocations.data?.data;
  const live = all?.filter(({ state }) => isLive(state)) ?? [];
  const mayLaunch = hasRole(session, 'member');
  return (
    <Page
      title={session.project.name}
      lead={all ? sumUp(live) : 'One moment.'}
      actions={
        mayLaunch && (
          <ButtonLink look="primary" icon="launch" to="/launch">
            Launch
          </ButtonLink>
        )
      }
      shown={{ operation: 'allocation_list', input: { limit: 50 } }}
    >
      {all && <FirstSteps hasLaunched={all.some(({ requested_by }) => requested_by === session.me.id)} />}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid grid-cols-1 gap-6">
          <Panel
            title="Running"
            aside={
              <Link to="/allocations" className={link}>
                All allocations
              </Link>
            }
          >
            {allocations.error && !all ? (
              <Problem error={allocations.error} again={() => void allocations.refetch()} />
            ) : !all ? (
              <Loading />
            ) : live.length === 0 ? (
              <Empty icon="cpu" title="Nothing is running">
                <p>A GPU is yours within a few minutes, and costs nothing until it is proven to work.</p>
                {mayLaunch && (
                  <ButtonLink look="primary" to="/launch">
                    Launch a GPU
                  </ButtonLink>
                )}
              </Empty>
            ) : (
              <ul className="grid grid-cols-1 gap-2">
                {live.slice(0, shownRunning).map((allocation) => (
                  <li key={allocation.id}>
                    <Card it={allocation} />
                  </li>
                ))}
                {live.length > shownRunning && (
                  <li>
                    <Link to="/allocations" className={link}>
                      and {live.length - shownRunning} more
                    </Link>
                  </li>
                )}
              </ul>
            )}
          </Panel>
          {mayLaunch && all && <LaunchAgain past={all.filter(({ requested_by }) => requested_by === session.me.id)} />}
        </div>
        <Lately />
      </div>
    </Page>
  );
}

/** `5 GPUs in 4 allocations, $22.50 per hour. 1 waits in line.` */
function sumUp(live: readonly Allocation[]): string {
  const waiting = live.filter((each) => shownState(each) === 'queued').length;
  const held = live.filter((each) => shownState(each) !== 'queued');
  const rate = addAmounts(held.filter(({ state }) => state === 'active').map(({ price }) => price.per_hour));
  const gpus = held.reduce((sum, { gpu_count }) => sum + gpu_count, 0);
  const what =
    held.length === 0
      ? 'No GPUs are running. You are paying nothing.'
      : `${counted(gpus, 'GPU')} in ${counted(held.length, 'allocation')}${rate ? `, ${spellMoney(rate)} per hour` : ''}.`;
  return waiting === 0 ? what : `${what} ${waiting} ${waiting === 1 ? 'waits' : 'wait'} in line.`;
}

function Card({ it }: { it: Allocation }) {
  return (
    <Link
      to="/allocations/$id"
      params={{ id: it.id }}
      className="flex items-center gap-3 rounded-lg border border-edge px-3 py-2.5 hover:border-accent"
    >
      <span className="min-w-0 grow">
        <bdi className="line-clamp-2 font-medium">{it.name}</bdi>
        <span className="block text-sm text-dim">
          {it.sku} × {it.gpu_count} · {it.region}
          {it.active_at && (
            <>
              {' · '}
              <Lasting from={it.active_at} until={null} />
            </>
          )}
        </span>
      </span>
      <span className="tabular hidden text-sm text-dim sm:block">{spellMoney(it.price.per_hour)}/h</span>
      <StateChip state={shownState(it)} />
    </Link>
  );
}

function Lately() {
  const nameOf = useNames();
  const things = useAllocationNames();
  const activity = useAsk(['activity', 'home'], (options) =>
    api.activity.list({ limit: 8, actors: 'people' }, options),
  );
  return (
    <Panel
      title="Lately"
      aside={
        <Link to="/activity" className={link}>
          All activity
        </Link>
      }
    >
      {activity.error && !activity.data ? (
        <Problem error={activity.error} again={() => void activity.refetch()} />
      ) : !activity.data ? (
        <Loading />
      ) : activity.data.data.length === 0 ? (
        <p className="text-dim">Nothing has happened in this project yet.</p>
      ) : (
        <ul className="grid grid-cols-1 gap-2">
          {activity.data.data.map((entry) => (
            <li key={entry.id} className="flex items-baseline justify-between gap-3">
              <span className="min-w-0">
                <bdi className="font-medium">{nameOf(entry.actor_id)}</bdi>{' '}
                {things.has(entry.target_id) ? (
                  <>
                    {tellAction(entry.action).replace(/ an allocation$/, '')} <bdi>{things.get(entry.target_id)}</bdi>
                  </>
                ) : (
                  tellAction(entry.action)
                )}
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
  );
}
