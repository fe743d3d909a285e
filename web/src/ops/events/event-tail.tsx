import type { StreamedEvent } from '@gpuaas/sdk';
import { useState } from 'react';
import { useRecentEvents } from '../../client/operators.ts';
import { Button } from '../../parts/button.tsx';
import { CorrelationId } from '../../parts/correlation.tsx';
import { Rows, wholeList } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { tellEvent } from '../../words/sentences.ts';
import { shortId } from '../../words/sizes.ts';

/** Live events. While paused the list stands still; the event log has all of them. */
export function EventTail() {
  const recent = useRecentEvents();
  const [held, setHeld] = useState<readonly StreamedEvent[]>();
  const events = held ?? recent;
  return (
    <section className="grid gap-3" aria-label="Live events">
      <div className="flex items-center justify-between gap-3">
        <p className="text-sm text-dim">
          {held
            ? `Paused; ${recent.length - held.length > 0 ? `${recent.length - held.length} more since` : 'nothing since'}.`
            : 'As they happen, newest first.'}
        </p>
        <Button onClick={() => setHeld(held ? undefined : recent)}>{held ? 'Resume' : 'Pause'}</Button>
      </div>
      <Rows
        label="Live events"
        list={wholeList({ data: { data: events }, error: null, isLoading: false, refetch: () => undefined })}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Event',
            cell: ({ type }) => (
              <span>
                <code className="font-mono text-[13px] font-semibold">{type}</code>
                <span className="block text-sm text-dim">{tellEvent(type) ?? ''}</span>
              </span>
            ),
          },
          {
            head: 'Tenant',
            cell: ({ data }) =>
              data.organization_id ? (
                <span className="font-mono text-xs text-dim">{shortId(data.organization_id)}</span>
              ) : (
                'the platform'
              ),
          },
          { head: 'When', cell: ({ data }) => <Ago at={data.occurred_at} /> },
          { head: 'Trace', end: true, cell: ({ data }) => <CorrelationId id={data.correlation_id} /> },
        ]}
        empty={
          <Empty icon="activity" title="Quiet">
            <p>New events appear here immediately.</p>
          </Empty>
        }
      />
    </section>
  );
}
