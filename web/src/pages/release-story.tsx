import type { LastRelease } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useBalance, useLastRelease } from '../client/balance.ts';
import { useMay, useSession } from '../client/session.tsx';
import { Button, ButtonLink } from '../parts/button.tsx';
import { putStoryAway, readStoryPutAway } from '../shell/preferences.ts';
import { tellRelease } from '../words/billing/release.ts';
import { spellMoney } from '../words/money.ts';

/** For people who come back and find nothing running: what was released for lack of money, and what it had cost. */
export function ReleaseStory() {
  const release = useLastRelease().data?.release;
  const [putAway, setPutAway] = useState(readStoryPutAway);
  if (!release || (putAway !== null && putAway >= release.to)) return null;
  return (
    <Story
      release={release}
      onPutAway={() => {
        putStoryAway(release.to);
        setPutAway(release.to);
      }}
    />
  );
}

const fewest = 5;

function Story({ release, onPutAway }: { release: NonNullable<LastRelease['release']>; onPutAway(): void }) {
  const may = useMay();
  const here = useSession().project?.id;
  const isSpent = useBalance().data?.state === 'depleted';
  const shown = release.allocations.slice(0, fewest);
  const more = release.count - shown.length;
  return (
    <section
      aria-label="What was released"
      className="grid gap-3 rounded-lg border border-warn/50 bg-warn-soft px-4 py-3"
    >
      <h2 className="font-semibold">Your allocations were released because the balance was used up</h2>
      {tellRelease(release).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <ul className="grid gap-1 text-sm">
        {shown.map(({ id, name, project_id, project_name, sku, gpu_count, cost }) => (
          <li key={id} className="flex flex-wrap justify-between gap-x-4">
            <span className="min-w-0">
              {project_id === here && may('allocation_get') ? (
                <Link to="/allocations/$id" params={{ id }} className="font-medium underline underline-offset-2">
                  <bdi>{name}</bdi>
                </Link>
              ) : (
                <bdi className="font-medium">{name}</bdi>
              )}{' '}
              · {sku} × {gpu_count} · <bdi>{project_name}</bdi>
            </span>
            <span className="tabular">{spellMoney(cost)}</span>
          </li>
        ))}
        {more > 0 && <li>and {more.toLocaleString('en')} more</li>}
      </ul>
      <div className="flex flex-wrap gap-2">
        {isSpent && may('payment_session_create') && (
          <ButtonLink look="primary" icon="plus" to="/billing" search={{ pay: 'now' }}>
            Top up
          </ButtonLink>
        )}
        <ButtonLink icon="book" to="/ledger">
          See the lines
        </ButtonLink>
        <Button look="quiet" onClick={onPutAway}>
          Put away
        </Button>
      </div>
    </section>
  );
}
