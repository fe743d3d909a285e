import type { NotificationPreference } from '@gpuaas/sdk';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { Page } from '../../parts/page.tsx';
import { Loading, Problem } from '../../parts/states.tsx';

type Kind = NotificationPreference['kind'];
const areas: readonly (readonly [NotificationPreference['area'], string])[] = [
  ['compute', 'Allocations'],
  ['money', 'Money'],
  ['security', 'Security'],
  ['access', 'Teams and projects'],
  ['operations', 'Operating the platform'],
];
const mails: readonly (readonly [NotificationPreference['mail'], string])[] = [
  ['each', 'A mail for each'],
  ['daily', 'One mail a day'],
  ['none', 'No mail'],
];

/** What a person is notified of, by kind and channel. */
export function NotificationSettingsPage() {
  const answer = useAsk(['notification-preferences'], (options) => api.notifications.preferencesGet(options));
  const set = useAct(
    'notification preference',
    (input: { kind: Kind; inbox?: boolean; mail?: NotificationPreference['mail'] }, options) =>
      api.notifications.preferenceSet(input, options),
    { stale: ['notification-preferences'] },
  );
  return (
    <Page
      title="Notification settings"
      lead="What you are notified of, and how. Mail about money and security is always sent."
      shown={{ operation: 'notification_preferences_get', input: {} }}
    >
      {set.error && <Problem error={set.error} />}
      {answer.error && !answer.data && <Problem error={answer.error} again={() => void answer.refetch()} />}
      {!answer.data && !answer.error && <Loading rows={6} label="Loading settings" />}
      {answer.data && (
        <>
          <p className="pb-3 text-dim">
            {answer.data.address === null
              ? 'No mail address is known for you yet. It is taken from your next sign-in to the console.'
              : `Mails go to ${answer.data.address}.`}
          </p>
          {areas
            .map(([area, title]) => ({ area, title, rows: answer.data.data.filter((each) => each.area === area) }))
            .filter(({ rows }) => rows.length > 0)
            .map(({ area, title, rows }) => (
              <Area key={area} title={title} rows={rows} busy={set.isPending} onSet={(input) => set.mutate(input)} />
            ))}
        </>
      )}
    </Page>
  );
}

function Area(parts: {
  title: string;
  rows: readonly NotificationPreference[];
  busy: boolean;
  onSet(input: { kind: Kind; inbox?: boolean; mail?: NotificationPreference['mail'] }): void;
}) {
  return (
    <section className="panel mb-4 p-4">
      <h2 className="pb-2 font-semibold">{parts.title}</h2>
      <ul className="grid grid-cols-1 gap-3">
        {parts.rows.map((each) => (
          <li key={each.kind} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <span className="min-w-0 grow basis-64">{each.title}</span>
            <label className="flex items-center gap-2">
              <input
                type="checkbox"
                checked={each.inbox}
                disabled={parts.busy}
                onChange={(event) => parts.onSet({ kind: each.kind, inbox: event.target.checked })}
              />
              <span>
                In the list<span className="sr-only">: {each.title}</span>
              </span>
            </label>
            {each.mail_required ? (
              <span className="w-44 text-dim">Always mailed</span>
            ) : (
              <select
                aria-label={`Mail: ${each.title}`}
                className="field w-44"
                value={each.mail}
                disabled={parts.busy}
                onChange={(event) =>
                  parts.onSet({ kind: each.kind, mail: event.target.value as NotificationPreference['mail'] })
                }
              >
                {mails.map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
