import {
  type Envelope,
  events,
  type KindSpec,
  meets,
  type NotificationKind,
  notificationKinds,
} from '@gpuaas/contract';
import type { WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Cache } from '../../../ports/cache/port.ts';
import { type Listener, listener } from '../../outbox/index.ts';
import { digestEveryMs } from '../facts.ts';
import { wakePeople } from './wakes.ts';
import { type NotifiedPerson, writeNotifications } from './write-store.ts';

export interface RelayParts {
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly cache: Pick<Cache, 'publish'>;
  readonly policy: (key: 'notifications.retention_days' | 'notifications.digest_hour_utc') => number;
}
/** Wakes the email-worker after the commit. */
export const mailsChannel = 'gpuaas_mails';

type Fields = Readonly<Record<string, unknown>>;
const idIn = (fields: Fields, name: string): string | undefined =>
  typeof fields[name] === 'string' ? fields[name] : undefined;

/** The next time at which daily mails are sent, in UTC. */
export function nextDailyAt(now: Date, hour: number): Date {
  const at = new Date(now);
  at.setUTCHours(hour, 0, 0, 0);
  return at > now ? at : new Date(at.getTime() + digestEveryMs);
}

/** Writes one notification to everybody who gets it. Answers who is to be woken. */
export async function notify(
  tx: WriteTx,
  { ids, clock, policy }: Pick<RelayParts, 'ids' | 'clock' | 'policy'>,
  kind: NotificationKind,
  { spec, payload, envelope }: { readonly spec: KindSpec; readonly payload: Fields; readonly envelope: Envelope },
): Promise<readonly NotifiedPerson[]> {
  const isForTenants = spec.to === 'project' || spec.to === 'billing' || spec.to === 'owners' || spec.to === 'person';
  const people = await writeNotifications(tx, {
    id: ids.next(),
    eventId: envelope.event_id,
    kind,
    to: spec.to,
    organizationId: isForTenants ? envelope.organization_id : undefined,
    namedOrganizationId: envelope.organization_id ?? idIn(payload, 'organization_id'),
    projectId: isForTenants ? envelope.project_id : undefined,
    personId: idIn(payload, 'user_id'),
    allocationId: idIn(payload, 'allocation_id'),
    nodeId: idIn(payload, 'node_id'),
    slotId: idIn(payload, 'slot_id'),
    payload,
    correlationId: envelope.correlation_id,
    occurredAt: envelope.occurred_at,
    mail: spec.mail === 'on' || spec.mail === 'required' ? 'each' : 'none',
    isMailRequired: spec.mail === 'required',
    nextDailyAt: nextDailyAt(clock.now(), policy('notifications.digest_hour_utc')),
    retentionDays: policy('notifications.retention_days'),
  });
  if (people.some(({ mailed }) => mailed)) tx.wake(mailsChannel, kind);
  return people;
}

const shownKinds = (Object.entries(notificationKinds) as [NotificationKind, KindSpec][]).filter(
  ([, { inbox }]) => inbox,
);

/** Wakes the browsers of these people. A wake-up that is lost costs time only: a browser reads the table when it connects. */
export const wake = ({ cache, log }: Pick<RelayParts, 'cache' | 'log'>, people: ReadonlySet<string>): Promise<void> =>
  wakePeople(cache, [...people]).catch((error: unknown) =>
    log.warn({ err: error }, 'browsers could not be woken; they find their notifications when they ask'),
  );

/** One listener for each event of the table of kinds. */
export function makeRelayListeners(parts: RelayParts): Listener[] {
  return events.flatMap((event) => {
    const kinds = shownKinds.filter(([, spec]) => spec.event === event);
    if (kinds.length === 0) return [];
    return [
      listener({
        event,
        action: 'notification.write',
        effect: async (tx, payload, envelope) => {
          const people = new Set<string>();
          for (const [kind, spec] of kinds.filter(([, each]) => meets(each, payload))) {
            const notified = await notify(tx, parts, kind, { spec, payload: payload as Fields, envelope });
            for (const { user_id } of notified.filter(({ shown }) => shown)) people.add(user_id);
          }
          return { type: 'event', id: envelope.event_id, afterwards: () => wake(parts, people) };
        },
      }),
    ];
  });
}
