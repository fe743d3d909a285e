import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Page } from '../../parts/page.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { EventLog } from './event-log.tsx';
import { EventTail } from './event-tail.tsx';

const boxes = [
  ['live', 'Live', 'admin_event_stream'],
  ['outbox', 'History', 'admin_event_list'],
  ['dead', 'Dead letters', 'dlq_list'],
  ['refused', 'Rejected by the bus', 'outbox_failed_list'],
] as const;
type Box = (typeof boxes)[number][0];
export interface EventSearch {
  readonly box?: string | undefined;
  readonly state?: string | undefined;
  readonly type?: string | undefined;
  readonly about?: string | undefined;
}

/** Live events, kept events, and undelivered events. */
export function EventsPage() {
  const search = useSearch({ strict: false }) as EventSearch;
  const navigate = useNavigate();
  const may = useMay();
  const offered = boxes.filter(([, , operation]) => may(operation));
  const box: Box = offered.find(([name]) => name === search.box)?.[0] ?? 'live';
  const health = useAsk(['health'], (options) => api.adminOps.platformHealthGet(options), { everyMs: 15_000 });
  const findingOf = (name: string) => health.data?.findings.find((finding) => finding.name === name);
  const dead = findingOf('dead_letters')?.value ?? 0;
  const go = (next: EventSearch) =>
    void navigate({
      to: '/ops/events',
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  return (
    <Page
      title="Events"
      lead="Events from commit to delivery. Consumers process each event once."
      shown={
        box === 'dead' || box === 'refused'
          ? { operation: box === 'dead' ? 'dlq_list' : 'outbox_failed_list', input: { state: search.state, limit: 50 } }
          : { operation: 'admin_event_list', input: { type: search.type, about: search.about, limit: 50 } }
      }
    >
      {dead > 0 && box !== 'dead' && may('dlq_list') && (
        <p role="status" className="rounded-lg bg-warn-soft px-4 py-3 text-warn">
          {dead === 1 ? 'One event was' : `${dead} events were`} not delivered.{' '}
          <button type="button" className="underline underline-offset-2" onClick={() => go({ box: 'dead' })}>
            View {dead === 1 ? 'it' : 'them'}
          </button>
        </p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div role="tablist" aria-label="Which events" className="flex flex-wrap gap-1 rounded-lg bg-sunk p-1">
          {offered.map(([name, label]) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={box === name}
              className={`rounded-md px-3 py-1 text-sm font-medium ${box === name ? 'bg-paper text-ink shadow-lift' : 'text-dim hover:text-ink'}`}
              onClick={() => go({ box: name, state: '' })}
            >
              {label}
            </button>
          ))}
        </div>
        <p className="text-sm text-dim">{findingOf('outbox_age')?.message ?? ''}</p>
      </div>
      {box === 'live' && <EventTail />}
      {box === 'outbox' && <EventLog search={search} onSearch={go} />}
      {(box === 'dead' || box === 'refused') && <DeadLetters box={box} search={search} onSearch={go} />}
    </Page>
  );
}
