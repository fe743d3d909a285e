import { api } from '../client/api.ts';
import { useAsk, useList } from '../client/ask.ts';
import { useSession } from '../client/session.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Copy } from '../parts/copy.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { tellAction } from '../words/sentences.ts';

/** Who did what in the project, in sentences. */
export function ActivityPage() {
  const session = useSession();
  const organization_id = session.project?.organization_id ?? '';
  const list = useList(['activity'], (from, options) => api.activity.list(from, options), {
    enabled: session.project !== undefined,
  });
  const members = useAsk(
    ['members', 'names', organization_id],
    (options) => api.members.list({ organization_id, limit: 200 }, options),
    { enabled: organization_id !== '' },
  );
  const names = new Map(members.data?.data.map(({ user_id, username }) => [user_id, username]));
  return (
    <Page
      title="Activity"
      lead="Who did what in this project. Nobody can change what is written here."
      shown={{ operation: 'activity_list', input: { limit: 50 } }}
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
                <bdi className="font-medium">
                  {entry.actor_id === session.me.id ? 'You' : (names.get(entry.actor_id) ?? 'Somebody')}
                </bdi>{' '}
                {tellAction(entry.action)}
              </span>
            ),
          },
          { head: 'Result', cell: (entry) => <StateChip state={entry.result} /> },
          { head: 'When', cell: (entry) => <Ago at={entry.created_at} /> },
          {
            head: 'Correlation',
            cell: (entry) => (
              <span className="inline-block max-w-44">
                <Copy text={entry.correlation_id} label="the correlation id" />
              </span>
            ),
          },
        ]}
        empty={<Empty icon="activity" title="Nothing has happened yet" />}
      />
    </Page>
  );
}
