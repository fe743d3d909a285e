import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useLatest, useRead } from '../client/notifications.ts';
import { NotificationLine } from '../pages/notifications/line.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';

/** The newest notifications. Opening marks them as read; new ones stay highlighted until this closes. */
export function Notifications({ onClose }: { onClose(): void }) {
  const latest = useLatest();
  const { mutate } = useRead();
  const all = latest.data?.data;
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const unread = all?.filter(({ read }) => !read).map(({ id }) => id) ?? [];
  const newest = unread[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is unread is marked once for each newest one
  useEffect(() => {
    if (newest === undefined) return;
    setFresh((known) => new Set([...known, ...unread]));
    mutate(unread);
  }, [newest]);
  return (
    <Dialog open onClose={onClose} title="Notifications" lead="What happened to what is yours, in every project.">
      {latest.error && !all ? (
        <Problem error={latest.error} again={() => void latest.refetch()} />
      ) : !all ? (
        <Loading rows={4} label="Loading notifications" />
      ) : all.length === 0 ? (
        <Empty icon="bell" title="Nothing yet">
          <p>Launches that are ready, failures, warnings and payments appear here.</p>
        </Empty>
      ) : (
        <ul className="grid grid-cols-1 gap-0.5">
          {all.map((each) => (
            <NotificationLine key={each.id} notification={each} isFresh={fresh.has(each.id)} onOpen={onClose} />
          ))}
        </ul>
      )}
      <p className="flex gap-4 pt-3 text-sm">
        <Link to="/notifications" className="text-accent underline underline-offset-2" onClick={onClose}>
          All notifications
        </Link>
        <Link to="/notification-settings" className="text-accent underline underline-offset-2" onClick={onClose}>
          Choose what you get
        </Link>
      </p>
    </Dialog>
  );
}
