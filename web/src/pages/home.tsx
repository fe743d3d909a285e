import type { Activity, Allocation, Overview } from '@gpuaas/sdk';
import { tellAction } from '@gpuaas/sdk/actions';
import { Link, Navigate } from '@tanstack/react-router';
import { actorName } from '../client/names.ts';
import { useOverview } from '../client/overview.ts';
import { may, useSession } from '../client/session.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { SimulatedChip, StateChip } from '../parts/chip.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Empty, Loading, NoProject, Problem } from '../parts/states.tsx';
import { Ago, Lasting } from '../parts/time.tsx';
import { menuOf } from '../shell/places.ts';
import { spellMoney } from '../words/money.ts';
import { sumUp, unended } from '../words/overview.ts';
import { spellQuota } from '../words/quota.ts';
import { shownState } from './allocation-rows.tsx';
import { FirstSteps, LaunchAgain } from './home-steps.tsx';
import { ReleaseStory } from './release-story.tsx';

const link = 'text-sm text-accent underline underline-offset-2';

/** The start page: what runs, what it costs, and the first steps. All sums come from the server. */
export function HomePage() {
  const session = useSession();
  const overview = useOverview();
  const { home } = menuOf(session);
  if (home !== '/') return <Navigate to={home} replace />;
  if (!session.project) {
    return (
      <Page title="Welcome">
        <NoProject />
      </Page>
    );
  }
  const it = overview.data;
  const mayLaunch = may(session, 'allocation_create');
  return (
    <Page
      title={session.project.name}
      lead={it ? `${sumUp(it)} The organization holds ${spellQuota(it.gpu_quota)}.` : 'Loading…'}
      actions={
        mayLaunch && (
          <ButtonLink look="primary" icon="launch" to="/launch">
            Launch
          </ButtonLink>
        )
      }
      shown={{ operation: 'overview_get', input: {} }}
    >
      <ReleaseStory />
      {it && <FirstSteps done={it.getting_started} />}
      {overview.error && !it ? (
        <Problem error={overview.error} again={() => void overview.refetch()} />
      ) : (
        <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="grid grid-cols-1 gap-6">
            <Running it={it} mayLaunch={mayLaunch} />
            {mayLaunch && it && <LaunchAgain shapes={it.launch_again} />}
          </div>
          <RecentActivity entries={it?.activity ?? undefined} me={session.me.id} />
        </div>
      )}
    </Page>
  );
}

function Running({ it, mayLaunch }: { it: Overview | undefined; mayLaunch: boolean }) {
  const more = it ? unended(it.states) - it.current.length : 0;
  return (
    <Panel
      title="Running"
      aside={
        <Link to="/allocations" className={link}>
          All allocations
        </Link>
      }
    >
      {!it ? (
        <Loading />
      ) : it.current.length === 0 ? (
        <Empty icon="cpu" title="Nothing is running">
          <p>
            A GPU is ready within a few minutes. Its price counts from the moment its host has verified that it works.
          </p>
          {mayLaunch && (
            <ButtonLink look="primary" to="/launch">
              Launch a GPU
            </ButtonLink>
          )}
        </Empty>
      ) : (
        <ul className="grid grid-cols-1 gap-2">
          {it.current.map((allocation) => (
            <li key={allocation.id}>
              <Card it={allocation} />
            </li>
          ))}
          {more > 0 && (
            <li>
              <Link to="/allocations" className={link}>
                and {more} more
              </Link>
            </li>
          )}
        </ul>
      )}
    </Panel>
  );
}

function Card({ it }: { it: Allocation }) {
  return (
    <Link
      to="/allocations/$id"
      params={{ id: it.id }}
      className="flex items-center gap-3 rounded-lg border border-edge px-3 py-2.5 hover:border-accent"
    >
      <span className="min-w-0 grow">
        <bdi className="line-clamp-2 font-medium wrap-anywhere">{it.name}</bdi>
        <span className="block text-sm text-dim">
          {it.sku} × {it.gpu_count} · {it.region}
          {it.active_at && (
            <>
              {' · '}
              <Lasting from={it.active_at} until={it.releasing_at ?? it.ended_at} />
            </>
          )}
        </span>
        {it.concerns.map(({ kind, message, deadline_at }) => (
          <span key={`${kind} ${message}`} className="block text-sm text-warn">
            {message}
            {deadline_at && (
              <>
                {' '}
                <Ago at={deadline_at} />
              </>
            )}
          </span>
        ))}
      </span>
      <span className="tabular hidden shrink-0 text-sm whitespace-nowrap text-dim sm:block">
        {spellMoney(it.price.per_hour)}/h
      </span>
      <span className="flex flex-wrap justify-end gap-1">
        <StateChip state={shownState(it)} />
        <SimulatedChip of={it} />
      </span>
    </Link>
  );
}

function RecentActivity({ entries, me }: { entries: readonly Activity[] | undefined; me: string }) {
  return (
    <Panel
      title="Recent activity"
      aside={
        <Link to="/activity" className={link}>
          All activity
        </Link>
      }
    >
      {!entries ? (
        <Loading />
      ) : entries.length === 0 ? (
        <p className="text-dim">No activity yet.</p>
      ) : (
        <ul className="grid grid-cols-1 gap-2">
          {entries.map((entry) => (
            <li key={entry.id} className="flex items-baseline justify-between gap-3">
              <span className="line-clamp-3 min-w-0 wrap-anywhere">
                <bdi className="font-medium">{actorName(entry, me)}</bdi>{' '}
                {entry.target_type === 'allocation' && entry.target_name ? (
                  <>
                    {tellAction(entry.action).replace(/ an allocation$/, '')} <bdi>{entry.target_name}</bdi>
                  </>
                ) : (
                  tellAction(entry.action)
                )}
                {entry.result === 'failure' && <span className="text-bad"> (failed)</span>}
              </span>
              <span className="shrink-0 text-sm whitespace-nowrap text-dim">
                <Ago at={entry.created_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
