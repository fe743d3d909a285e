import { useState } from 'react';
import { useNotifications, useRead } from '../../client/notifications.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { NotificationLine } from './line.tsx';

/** Everything that a person was notified of, for as long as it is kept. */
export function NotificationsPage() {
  const [unreadOnly, setUnreadOnly] = useState(false);
  const list = useNotifications(unreadOnly);
  const read = useRead();
  const { rows } = list;
  return (
    <Page
      title="Notifications"
      lead="What happened to what is yours, newest first."
      actions={
        <>
          <ButtonLink to="/notification-settings">Choose what you get</ButtonLink>
          <Button busy={read.isPending} onClick={() => read.mutate('all')}>
            Mark all as read
          </Button>
        </>
      }
      shown={{ operation: 'notification_list', input: { limit: 50 } }}
    >
      {read.error && <Problem error={read.error} />}
      <label className="flex items-center gap-2 pb-3">
        <input type="checkbox" checked={unreadOnly} onChange={(event) => setUnreadOnly(event.target.checked)} />
        Only unread
      </label>
      <div className="panel p-2">
        {list.error && <Problem error={list.error} again={list.again} />}
        {!rows && !list.error && <Loading rows={6} label="Loading notifications" />}
        {rows?.length === 0 && (
          <Empty icon="bell" title={unreadOnly ? 'Everything is read' : 'Nothing yet'}>
            <p>Launches that are ready, failures, warnings and payments appear here.</p>
          </Empty>
        )}
        {rows && rows.length > 0 && (
          <ul className="grid grid-cols-1 gap-0.5">
            {rows.map((each) => (
              <NotificationLine
                key={each.id}
                notification={each}
                isFresh={!each.read}
                whole
                onOpen={() => {
                  if (!each.read) read.mutate([each.id]);
                }}
              />
            ))}
          </ul>
        )}
        {list.hasMore && (
          <div className="p-2">
            <Button busy={list.isFetchingMore} onClick={list.more}>
              Show more
            </Button>
          </div>
        )}
      </div>
    </Page>
  );
}
