import { seesAccount } from '../../../domains/billing/index.ts';
import { logRoutes, openLogBell } from '../../../domains/logs/index.ts';
import { wakesChannel } from '../../../domains/notifications/index.ts';
import { openBells } from '../../../edge/streams/bells.ts';
import { makeEventLog } from '../../../edge/streams/event-log.ts';
import { openTail } from '../../../edge/streams/tail.ts';
import { makeEventStreams } from '../../../edge/streams/watch.ts';
import { type Mounted, systemViewer } from '../../../kernel/act.ts';
import type { RouteParts } from './parts.ts';

/** Streams of events, of new notifications and of logs. */
export async function openStreamRoutes(parts: RouteParts): Promise<readonly Mounted[]> {
  const { db, database, cache, ids, clock, log, policies, scope } = parts;
  const who = systemViewer('event-tail', { correlationId: ids.next() });
  const tail = scope.keep('event-tail', await openTail({ db, who, onCommit: database.outbox.onCommit, clock, log }));
  const bells = scope.keep(
    'notification-bells',
    await openBells((listener) => cache.subscribe(wakesChannel, listener)),
  );
  const bell = scope.keep('log-bell', await openLogBell({ clock, listen: database.listen }));
  return [
    ...makeEventStreams({ log: makeEventLog(db), tail, bells, seesAccount }),
    ...logRoutes({ db, clock, policies, bell }),
  ];
}
