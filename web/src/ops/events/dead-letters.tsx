import type { DeadLetter } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk, useList } from '../../client/ask.ts';
import { Button } from '../../parts/button.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CorrelationId } from '../../parts/correlation.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { groupLetters, type LetterGroup } from '../../words/ops/letters.ts';
import { counted } from '../../words/sizes.ts';
import { EnvelopeDialog } from './envelope-dialog.tsx';
import type { EventSearch } from './events.tsx';

const states = choices.dlq_list.state;
type Verb = 'requeue' | 'discard';
interface Chosen {
  readonly letters: readonly DeadLetter[];
  readonly verb: Verb;
}

/** Dead letters: by consumer and reason first, then one by one. Each can be inspected, delivered again or discarded. */
export function DeadLetters({
  box,
  search,
  onSearch,
}: {
  box: 'dead' | 'refused';
  search: EventSearch;
  onSearch(next: EventSearch): void;
}) {
  const state = states.find((each) => each === search.state) ?? 'open';
  const isRefused = box === 'refused';
  const list = useList(
    ['events', 'dead', box, state],
    (from, options) =>
      isRefused
        ? api.adminOps.outboxFailedList({ ...from, state }, options)
        : api.adminOps.dlqList({ ...from, state }, options),
    { everyMs: 15_000 },
  );
  const [chosen, setChosen] = useState<Chosen>();
  const [open, setOpen] = useState<DeadLetter>();
  const settle = useAct(
    'settle',
    async ({ letters, verb, reason }: Chosen & { readonly reason: string }, { idempotencyKey, ...options }) => {
      for (const { stream_seq } of letters) {
        // One idempotency key per letter: the same click again settles none of them twice.
        const keyed = { ...options, ...(idempotencyKey && { idempotencyKey: `${idempotencyKey}-${stream_seq}` }) };
        if (verb === 'requeue') await api.adminOps.dlqRequeue({ stream_seq, reason }, keyed);
        else await api.adminOps.dlqDiscard({ stream_seq, reason }, keyed);
      }
    },
    { stale: ['events', 'health'], done: () => setChosen(undefined) },
  );
  const groups = state === 'open' ? groupLetters(list.rows ?? []) : [];
  return (
    <section className="grid gap-4" aria-label={isRefused ? 'Rejected by the bus' : 'Dead letters'}>
      <label className="flex items-center gap-2 justify-self-start text-sm text-dim">
        State
        <select className="field w-auto" value={state} onChange={(event) => onSearch({ state: event.target.value })}>
          {states.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      {groups.some(({ letters }) => letters.length > 1) && (
        <ul className="grid gap-3 md:grid-cols-2">
          {groups.map((group) => (
            <Group key={group.name} group={group} onChoose={(verb) => setChosen({ letters: group.letters, verb })} />
          ))}
        </ul>
      )}
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
                <span className="line-clamp-2 text-sm text-dim">{letter.reason}</span>
              </span>
            ),
          },
          { head: 'Consumer', cell: (letter) => letter.consumer ?? 'the bus' },
          { head: 'Attempts', end: true, cell: (letter) => letter.attempts },
          { head: 'State', cell: (letter) => <StateChip state={letter.state} /> },
          { head: 'When', cell: (letter) => <Ago at={letter.created_at} /> },
          { head: 'Trace', cell: (letter) => <CorrelationId id={letter.correlation_id} /> },
          {
            head: '',
            end: true,
            cell: (letter) => (
              <LetterActions
                letter={letter}
                onView={() => setOpen(letter)}
                onChoose={(verb) => setChosen({ letters: [letter], verb })}
              />
            ),
          },
        ]}
        empty={<Empty icon="mail" title={state === 'open' ? 'No undelivered events' : `Nothing was ${state}`} />}
      />
      {open && <Letter letter={open} onClose={() => setOpen(undefined)} />}
      {chosen && (
        <ConfirmSettling
          chosen={chosen}
          busy={settle.isPending}
          error={settle.error}
          onClose={() => setChosen(undefined)}
          onConfirm={(reason) => settle.mutate({ ...chosen, reason })}
        />
      )}
    </section>
  );
}

const titleOf = ({ letters, verb }: Chosen): string => {
  const what = letters.length === 1 ? 'it' : counted(letters.length, 'event');
  return verb === 'requeue' ? `Deliver ${what} again?` : `Discard ${what}?`;
};

function LetterActions({
  letter,
  onView,
  onChoose,
}: {
  letter: DeadLetter;
  onView(): void;
  onChoose(verb: Verb): void;
}) {
  return (
    <span className="flex flex-wrap justify-end gap-2">
      <Button aria-label={`View ${letter.event_type}`} onClick={onView}>
        View
      </Button>
      {letter.state === 'open' && (
        <>
          <Button onClick={() => onChoose('requeue')}>Deliver again</Button>
          <Button look="danger" onClick={() => onChoose('discard')}>
            Discard
          </Button>
        </>
      )}
    </span>
  );
}

function ConfirmSettling({
  chosen,
  busy,
  error,
  onClose,
  onConfirm,
}: {
  chosen: Chosen;
  busy: boolean;
  error: Error | null;
  onClose(): void;
  onConfirm(reason: string): void;
}) {
  return (
    <Confirm
      open
      onClose={onClose}
      title={titleOf(chosen)}
      verb={chosen.verb === 'requeue' ? 'Deliver again' : 'Discard'}
      danger={chosen.verb === 'discard'}
      reason
      busy={busy}
      error={error}
      onConfirm={onConfirm}
    >
      <p>
        <code className="font-mono">{chosen.letters[0]?.event_type}</code>
      </p>
      <p>
        {chosen.verb === 'requeue'
          ? 'The event is sent again. Consumers that already processed it ignore the repetition.'
          : 'No consumer will process it. It stays in this list with your reason.'}
      </p>
    </Confirm>
  );
}

function Group({ group, onChoose }: { group: LetterGroup<DeadLetter>; onChoose(verb: Verb): void }) {
  return (
    <li className="panel grid gap-2 p-4">
      <p className="font-medium">
        {group.letters.length} × {group.eventType}
      </p>
      <p className="line-clamp-2 text-sm text-dim">
        {group.consumer}: {group.reason}
      </p>
      <p className="text-sm text-dim">
        {counted(group.tenants, 'tenant')}; first <Ago at={group.firstAt} />, last <Ago at={group.lastAt} />
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => onChoose('requeue')}>Deliver all again</Button>
        <Button look="danger" onClick={() => onChoose('discard')}>
          Discard all
        </Button>
      </div>
    </li>
  );
}

function Letter({ letter, onClose }: { letter: DeadLetter; onClose(): void }) {
  const detail = useAsk(['events', 'dead', letter.stream_seq], (options) =>
    api.adminOps.dlqGet({ stream_seq: letter.stream_seq }, options),
  );
  if (!detail.data) {
    return (
      <Dialog open onClose={onClose} wide title={letter.event_type}>
        {detail.error ? <Problem error={detail.error} /> : <Loading rows={5} />}
      </Dialog>
    );
  }
  return (
    <EnvelopeDialog
      title={letter.event_type}
      envelope={detail.data.envelope}
      correlationId={letter.correlation_id}
      onClose={onClose}
    >
      <p className="rounded-lg bg-bad-soft px-4 py-3 text-bad">
        {letter.consumer ?? 'The bus'} failed after {counted(letter.attempts, 'attempt')}: {letter.reason}
      </p>
    </EnvelopeDialog>
  );
}
