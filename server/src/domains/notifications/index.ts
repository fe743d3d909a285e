/** Notifications: turns events into letters and notices. */
export { inboxRoutes } from './inbox/routes.ts';
export { makeMailQueue } from './mail/queue.ts';
export { makeUnsubscribe, type Unsubscribe, unsubscribePath, unsubscribeToken } from './mail/unsubscribe.ts';
export { countUnread, noticeRoutes } from './notices-routes.ts';
export { makeLetterListeners } from './on-events.ts';
export { mailsChannel } from './relay/listeners.ts';
export { makeForgetting, openNotificationRelay, relayProcess } from './relay/open.ts';
export { wakesChannel } from './relay/wakes.ts';
