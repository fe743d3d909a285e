import { inboxRoutes, noticeRoutes } from '../../../domains/notifications/index.ts';
import { webhookRoutes } from '../../../domains/webhooks/index.ts';
import type { Mounted } from '../../../kernel/act.ts';
import type { RouteParts } from './parts.ts';

/** Notices, notifications and webhooks. */
export const messageRoutes = ({ db, ids, clock, webhooks, policies, settings }: RouteParts): readonly Mounted[] => [
  ...noticeRoutes({ db }),
  ...inboxRoutes({ db }),
  ...webhookRoutes({
    ...{ db, ids, clock, webhooks, policy: policies.number },
    seal: settings.keyring?.find('webhooks'),
  }),
];
