import type { StreamedEvent } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { Dialog } from '../parts/dialog.tsx';
import { Empty } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { tellEvent } from '../words/sentences.ts';

/** What happened in the project while this page was open, newest first. */
export function Notices({ events, onClose }: { events: readonly StreamedEvent[]; onClose(): void }) {
  const told = events.flatMap((event) => {
    const sentence = tellEvent(event.type);
    return sentence ? [{ event, sentence }] : [];
  });
  return (
    <Dialog open onClose={onClose} title="Notices" lead="What happened since you opened the console.">
      {told.length === 0 ? (
        <Empty icon="bell" title="Nothing yet">
          <p>Whatever happens in this project shows up here at once.</p>
        </Empty>
      ) : (
        <ul className="grid gap-1">
          {told.map(({ event, sentence }) => {
            const id = event.data.payload['allocation_id'];
            return (
              <li key={event.id} className="flex items-baseline justify-between gap-4 rounded-lg px-2 py-1.5">
                {typeof id === 'string' ? (
                  <Link
                    to="/allocations/$id"
                    params={{ id }}
                    onClick={onClose}
                    className="text-accent underline underline-offset-2"
                  >
                    {sentence}
                  </Link>
                ) : (
                  <span>{sentence}</span>
                )}
                <span className="text-sm text-dim">
                  <Ago at={event.data.occurred_at} />
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Dialog>
  );
}
