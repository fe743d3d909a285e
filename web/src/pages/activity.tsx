import type { Activity } from '@gpuaas/sdk';
import { tellAction } from '@gpuaas/sdk/actions';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useList } from '../client/ask.ts';
import { actorName } from '../client/names.ts';
import { useSession } from '../client/session.tsx';
import { SimulatedChip, StateChip } from '../parts/chip.tsx';
import { CorrelationId } from '../parts/correlation.tsx';
import { Filter } from '../parts/filter.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, NoProject } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { plainWord, shortId } from '../words/sizes.ts';

/** Who did what in the project, in sentences. Steps of the platform are shown on request. */
export function ActivityPage() {
  const session = useSession();
  const search = useSearch({ strict: false }) as { actors?: string };
  const navigate = useNavigate();
  const actors = search.actors === 'all' ? 'all' : 'people';
  const list = useList(['activity', actors], (from, options) => api.activity.list({ ...from, actors }, options), {
    enabled: session.project !== undefined,
  });
  if (!session.project) {
    return (
      <Page title="Activity">
        <NoProject />
      </Page>
    );
  }
  return (
    <Page
      title="Activity"
      lead="Who did what in this project. Entries cannot be changed."
      actions={
        <Filter
          label="By"
          any="people and service accounts"
          value={actors === 'all' ? 'all' : undefined}
          options={[['all', 'everything, including platform steps']]}
          onChoose={(next) => void navigate({ to: '/activity', search: next ? { actors: next } : {} })}
        />
      }
      shown={{ operation: 'activity_list', input: { actors, limit: 50 } }}
    >
      <Rows
        label="Activity"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'What',
            cell: (entry) => (
              <span>
                <bdi className="font-medium">{actorName(entry, session.me.id)}</bdi> {tellAction(entry.action)}
              </span>
            ),
          },
          {
            head: 'On',
            cell: (entry) => (
              <span className="flex flex-wrap items-center gap-1.5">
                <Target entry={entry} />
                <SimulatedChip of={entry} />
              </span>
            ),
          },
          { head: 'Result', cell: (entry) => <StateChip state={entry.result} /> },
          { head: 'When', cell: (entry) => <Ago at={entry.created_at} /> },
          {
            head: 'Correlation',
            cell: (entry) => <CorrelationId id={entry.correlation_id} />,
          },
        ]}
        empty={<Empty icon="activity" title="No activity yet" />}
      />
    </Page>
  );
}

function Target({ entry }: { entry: Activity }) {
  const words = (
    <bdi className="line-clamp-1">
      {entry.target_name ?? `${plainWord(entry.target_type)} ${shortId(entry.target_id)}`}
    </bdi>
  );
  const place = places[entry.target_type];
  if (!place) return <span className="text-dim">{words}</span>;
  return (
    <Link to={place} params={{ id: entry.target_id }} className="text-accent underline-offset-2 hover:underline">
      {words}
    </Link>
  );
}
const places: Readonly<Record<string, '/allocations/$id' | '/groups/$id'>> = {
  allocation: '/allocations/$id',
  allocation_group: '/groups/$id',
};
