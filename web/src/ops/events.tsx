import type { DeadLetter } from '@gpuaas/sdk';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useList } from '../client/ask.ts';
import { Button } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';

const states = ['open', 'requeued', 'discarded'] as const;

/** Events that could not be delivered: refused by the bus, or given up by a consumer. */
export function EventsPage() {
  const search = useSearch({ strict: false }) as { state?: string; box?: string };
  const navigate = useNavigate();
  const state = states.find((each) => each === search.state) ?? 'open';
  const isOutbox = search.box === 'outbox';
  const list = useList(
    ['dead-letters', search.box, state],
    (from, options) =>
      isOutbox
        ? api.adminOps.outboxFailedList({ ...from, state }, options)
        : api.adminOps.dlqList({ ...from, state }, options),
    { everyMs: 5_000 },
  );
  const [chosen, setChosen] = useState<{ letter: DeadLetter; verb: 'requeue' | 'discard' }>();
  const settle = useAct(
    'settle',
    ({ letter, verb, reason }: { letter: DeadLetter; verb: 'requeue' | 'discard'; reason: string }, options) => {
      const { event_id, stream_seq } = letter;
      if (isOutbox) {
        return verb === 'requeue'
          ? api.adminOps.outboxRequeue({ event_id, reason }, options)
          : api.adminOps.outboxDiscard({ event_id, reason }, options);
      }
      return verb === 'requeue'
        ? api.adminOps.dlqRequeue({ stream_seq, reason }, options)
        : api.adminOps.dlqDiscard({ stream_seq, reason }, options);
    },
    { stale: ['dead-letters'], done: () => setChosen(undefined) },
  );
  const go = (next: { state?: string; box?: string }) =>
    void navigate({
      to: '/ops/events',
      search: { state: next.state ?? state, ...((next.box ?? search.box) && { box: next.box ?? search.box ?? '' }) },
    });
  return (
    <Page
      title="Events"
      lead="What could not be delivered. Consumers that had an event already take no second effect from it."
      actions={
        <>
          <select
            aria-label="Which"
            className="field w-auto"
            value={isOutbox ? 'outbox' : 'dlq'}
            onChange={(event) => go({ box: event.target.value })}
          >
            <option value="dlq">Dead letters</option>
            <option value="outbox">Refused by the bus</option>
          </select>
          <select
            aria-label="State"
            className="field w-auto"
            value={state}
            onChange={(event) => go({ state: event.target.value })}
          >
            {states.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </>
      }
      shown={{ operation: isOutbox ? 'outbox_failed_list' : 'dlq_list', input: { state, limit: 50 } }}
    >
      <Rows
        label="Events that could not be delivered"
        list={list}
        keyOf={({ stream_seq }) => stream_seq}
        columns={[
          {
            head: 'Event',
            cell: (letter) => (
              <span>
                <code className="font-mono text-[13px] font-semibold">{letter.event_type}</code>
                <span className="block text-sm text-dim">{letter.reason}</span>
              </span>
            ),
          },
          { head: 'Consumer', cell: (letter) => letter.consumer ?? 'the bus' },
          { head: 'Tries', end: true, cell: (letter) => letter.attempts },
          { head: 'State', cell: (letter) => <StateChip state={letter.state} /> },
          { head: 'When', cell: (letter) => <Ago at={letter.created_at} /> },
          {
            head: '',
            end: true,
            cell: (letter) => (
              <span className="flex flex-wrap justify-end gap-2">
                <Link
                  to="/ops/audit"
                  search={{ correlation: letter.correlation_id }}
                  className="self-center text-accent underline underline-offset-2"
                >
                  Trace
                </Link>
                {letter.state === 'open' && (
                  <>
                    <Button onClick={() => setChosen({ letter, verb: 'requeue' })}>Deliver again</Button>
                    <Button look="danger" onClick={() => setChosen({ letter, verb: 'discard' })}>
                      Discard
                    </Button>
                  </>
                )}
              </span>
            ),
          },
        ]}
        empty={<Empty icon="mail" title={state === 'open' ? 'Everything was delivered' : `Nothing was ${state}`} />}
      />
      {chosen && (
        <Confirm
          open
          onClose={() => setChosen(undefined)}
          title={chosen.verb === 'requeue' ? 'Deliver it again?' : 'Discard it?'}
          verb={chosen.verb === 'requeue' ? 'Deliver again' : 'Discard'}
          danger={chosen.verb === 'discard'}
          reason
          busy={settle.isPending}
          error={settle.error}
          onConfirm={(reason) => settle.mutate({ ...chosen, reason })}
        >
          <p>
            <code className="font-mono">{chosen.letter.event_type}</code>
          </p>
        </Confirm>
      )}
    </Page>
  );
}
