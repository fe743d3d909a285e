import { api } from './api.ts';
import { useAct, useAsk, useList } from './ask.ts';

/** As many as a person reads in the panel; the page has the others. */
const shownInPanel = 20;
/** In case a wake-up was lost. */
const askEveryMs = 60_000;

export const useUnread = () =>
  useAsk(['notifications', 'count'], (options) => api.notifications.count(options), { everyMs: askEveryMs });

export const useLatest = () =>
  useAsk(['notifications', 'latest'], (options) => api.notifications.list({ limit: shownInPanel }, options));

export const useNotifications = (unread: boolean) =>
  useList(['notifications', unread ? 'unread' : 'all'], (from, options) =>
    api.notifications.list({ ...from, ...(unread && { unread }) }, options),
  );

/** Marks some as read, or all of them. */
export const useRead = () =>
  useAct(
    'notifications read',
    (ids: readonly string[] | 'all', options) => api.notifications.read(ids === 'all' ? {} : { ids }, options),
    { stale: ['notifications'] },
  );
