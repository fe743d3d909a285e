import type { LiveStatus } from '../client/live.ts';

/** Whether the page is up to date. */
export function LiveMark({ status }: { status: LiveStatus }) {
  return (
    <span role="status" className="text-sm">
      {(status === 'reconnecting' || status === 'offline') && (
        <span className="flex items-center gap-1.5 rounded-full bg-warn-soft px-2.5 py-1 text-warn">
          <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-current" />
          Reconnecting
        </span>
      )}
      {status === 'live' && (
        <span className="flex items-center gap-1.5 px-2 text-dim" title="This page updates live">
          <span aria-hidden="true" className="size-2 rounded-full bg-ok" />
          <span className="max-sm:sr-only">Live</span>
        </span>
      )}
    </span>
  );
}

const sayings: Partial<Readonly<Record<LiveStatus, string>>> = {
  offline: 'You are offline. This page updates when you are back. Your machines keep running.',
  reconnecting: "Can't reach the server. This page may be out of date and updates by itself.",
  refused: 'You no longer have access to live updates of this project. Your role may have changed.',
};
/** The same as a sentence across the page. It appears with a delay, so that it does not flash on a reconnect. */
export function LiveBanner({ status }: { status: LiveStatus }) {
  const saying = sayings[status];
  if (!saying) return null;
  return (
    <p
      className={`border-b border-warn/30 bg-warn-soft px-4 py-2 text-sm text-warn sm:px-6 ${status === 'reconnecting' ? 'come-late' : ''}`}
    >
      {saying}
    </p>
  );
}
