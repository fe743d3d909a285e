import type { Notice } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../client/api.ts';
import { useAct } from '../client/ask.ts';
import { useLatestNotices } from '../client/notices.ts';
import { Chip } from '../parts/chip.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { tellNotice } from '../words/sentences.ts';

/**
 * The notices of the project, newest first. Opening marks them as read; new ones stay highlighted until this closes.
 */
export function Notices({ onClose }: { onClose(): void }) {
  const latest = useLatestNotices();
  const read = useAct('notices read', (until: string, options) => api.notices.read({ until }, options), {
    stale: ['notices', 'overview'],
  });
  const all = latest.data?.data;
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const newest = all?.find((notice) => !notice.read);
  const { mutate } = read;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one newest unread notice is marked once
  useEffect(() => {
    if (!newest || !all) return;
    setFresh((known) => new Set([...known, ...all.filter((notice) => !notice.read).map(({ id }) => id)]));
    mutate(newest.at);
  }, [newest?.id]);
  return (
    <Dialog open onClose={onClose} title="Notices" lead="What happened in this project recently.">
      {latest.error && !all ? (
        <Problem error={latest.error} again={() => void latest.refetch()} />
      ) : !all ? (
        <Loading rows={4} label="Loading notices" />
      ) : all.length === 0 ? (
        <Empty icon="bell" title="Nothing yet">
          <p>Launches that are ready, failures and warnings appear here.</p>
        </Empty>
      ) : (
        <ul className="grid grid-cols-1 gap-0.5">
          {all.map((notice) => (
            <Line
              key={notice.id}
              notice={notice}
              isFresh={fresh.has(notice.id)}
              name={notice.subject_name ?? 'An allocation'}
              onClose={onClose}
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function Line(parts: { notice: Notice; isFresh: boolean; name: string; onClose(): void }) {
  const { notice } = parts;
  const { tone, sentence } = tellNotice(notice.type, parts.name);
  const id = notice.payload['allocation_id'];
  const words = <bdi className="min-w-0">{sentence}</bdi>;
  return (
    <li
      className={`grid grid-cols-[1fr_auto] items-baseline gap-x-4 rounded-lg px-2 py-2 ${parts.isFresh ? 'bg-accent-soft' : ''}`}
    >
      <span className="flex min-w-0 items-baseline gap-2">
        <Chip tone={tone}>{parts.isFresh ? 'new' : <span className="sr-only">{tone}</span>}</Chip>
        {typeof id === 'string' ? (
          <Link
            to="/allocations/$id"
            params={{ id }}
            onClick={parts.onClose}
            className="min-w-0 underline-offset-2 hover:underline"
          >
            {words}
          </Link>
        ) : (
          words
        )}
      </span>
      <span className="text-sm text-dim">
        <Ago at={notice.at} />
      </span>
    </li>
  );
}
