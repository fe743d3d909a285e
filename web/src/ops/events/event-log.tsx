import type { LoggedEvent } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { CorrelationId } from '../../parts/correlation.tsx';
import { WordFilter } from '../../parts/filter.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { shortId } from '../../words/sizes.ts';
import { EnvelopeDialog } from './envelope-dialog.tsx';
import type { EventSearch } from './events.tsx';

/** Only complete types are sent; the route refuses a partial word. */
const typeShape = /^[a-z_]+(?:\.[a-z_]+)*$/;

/** The events that are kept, to be searched. */
export function EventLog({ search, onSearch }: { search: EventSearch; onSearch(next: EventSearch): void }) {
  const type = search.type && typeShape.test(search.type) ? search.type : undefined;
  const about = search.about;
  const list = useList(
    ['events', type, about],
    (from, options) => api.adminOps.eventList({ ...from, ...(type && { type }), ...(about && { about }) }, options),
    { everyMs: 60_000 },
  );
  const [open, setOpen] = useState<LoggedEvent>();
  return (
    <section className="grid gap-3" aria-label="Kept events">
      <div className="flex flex-wrap gap-2">
        <WordFilter
          label="Type"
          placeholder="Type, e.g. provisioning.node"
          value={search.type}
          onChange={(next) => onSearch({ type: next })}
        />
        <WordFilter
          label="About"
          placeholder="Id of the object"
          value={search.about}
          onChange={(next) => onSearch({ about: next })}
        />
      </div>
      <Rows
        label="Kept events"
        list={list}
        keyOf={({ position }) => position}
        columns={[
          {
            head: 'Event',
            cell: (event) => (
              <span>
                <code className="font-mono text-[13px] font-semibold">{event.event_type}</code>
                <span className="block font-mono text-xs text-dim">about {shortId(event.key)}</span>
              </span>
            ),
          },
          {
            head: 'State',
            cell: (event) =>
              event.is_published ? <Chip tone="ok">on the bus</Chip> : <Chip tone="warn">waiting for the relay</Chip>,
          },
          { head: 'When', cell: (event) => <Ago at={event.created_at} /> },
          { head: 'Trace', cell: (event) => <CorrelationId id={event.correlation_id} /> },
          {
            head: '',
            end: true,
            cell: (event) => (
              <Button aria-label={`View ${event.event_type}`} onClick={() => setOpen(event)}>
                View
              </Button>
            ),
          },
        ]}
        empty={<Empty icon="mail" title={type || about ? 'No events match' : 'No events are kept'} />}
      />
      {open && (
        <EnvelopeDialog
          title={open.event_type}
          envelope={open.envelope}
          correlationId={open.correlation_id}
          onClose={() => setOpen(undefined)}
        />
      )}
    </section>
  );
}
