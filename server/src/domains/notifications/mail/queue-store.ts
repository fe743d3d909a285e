import type { NotificationKind } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import { audiences } from '../audiences.ts';

/** A mail that this process took, with what it has to say. */
export interface TakenMail {
  readonly id: string;
  readonly user_id: string;
  readonly kind: NotificationKind;
  readonly daily: boolean;
  readonly attempts: number;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly organization_name: string | null;
  readonly allocation_name: string | null;
  readonly correlation_id: string;
  readonly occurred_at: Date;
  readonly email: string | null;
  /** Why it is not for this person any more. */
  readonly obstacle: string | null;
}

// The process that takes a mail has until its new due time to send it; then another process may.
const takeEach = sql(
  'mail-take-each',
  `with due as (
     select m.id from notification_mails m where m.outcome = 'waiting' and m.due_at <= act_time() and not m.daily
     order by m.due_at limit $1 for update skip locked
   ), taken as (
     update notification_mails m set due_at = act_time() + $2 * interval '1 millisecond', attempts = m.attempts + 1
     from due where m.id = due.id returning m.*
   )
   select t.id, t.user_id, t.kind, t.daily, t.attempts, n.payload, n.organization_name, n.allocation_name, n.correlation_id,
     n.occurred_at, c.email,
     case when n.kind <> 'organization_role_changed' and not coalesce(notification_is_for(k.audience, t.user_id,
         n.organization_id, n.project_id, n.payload), false) then 'this person may not see it any more' end as obstacle
   from taken t join notifications n on n.user_id = t.user_id and n.id = t.notification_id and is_me(n.user_id)
     left join contact_addresses c on c.user_id = t.user_id
     left join unnest($3::text[], $4::text[]) as k (kind, audience) on k.kind = t.kind
   order by n.id`,
);
const takeDaily = sql(
  'mail-take-daily',
  `with person as (
     select m.user_id from notification_mails m where m.outcome = 'waiting' and m.due_at <= act_time() and m.daily
     order by m.due_at limit 1
   ), due as (
     select m.id from notification_mails m
     where m.outcome = 'waiting' and m.due_at <= act_time() and m.daily and m.user_id = (select user_id from person)
     order by m.due_at limit $1 for update skip locked
   ), taken as (
     update notification_mails m set due_at = act_time() + $2 * interval '1 millisecond', attempts = m.attempts + 1
     from due where m.id = due.id returning m.*
   )
   select t.id, t.user_id, t.kind, t.daily, t.attempts, n.payload, n.organization_name, n.allocation_name, n.correlation_id,
     n.occurred_at, c.email,
     case when n.kind <> 'organization_role_changed' and not coalesce(notification_is_for(k.audience, t.user_id,
         n.organization_id, n.project_id, n.payload), false) then 'this person may not see it any more' end as obstacle
   from taken t join notifications n on n.user_id = t.user_id and n.id = t.notification_id and is_me(n.user_id)
     left join contact_addresses c on c.user_id = t.user_id
     left join unnest($3::text[], $4::text[]) as k (kind, audience) on k.kind = t.kind
   order by n.id`,
);
const settle = sql(
  'mail-settle',
  `update notification_mails set outcome = $2, message_id = $3, reason = $4, recipient_digest = $5, settled_at = act_time()
   where id = any ($1::uuid[]) and outcome = 'waiting'`,
);
const postpone = sql(
  'mail-postpone',
  `update notification_mails set due_at = $2, reason = $3, daily = daily or $4, attempts = $5
   where id = any ($1::uuid[]) and outcome = 'waiting'`,
);
const mailsWithinHour = sql(
  'mail-count-of-hour',
  `select count(distinct message_id)::int as mails from notification_mails
   where recipient_digest = $1 and settled_at > act_time() - interval '1 hour'`,
);
const waiting = sql(
  'mail-waiting',
  `select count(*)::int as waiting, coalesce(extract(epoch from now() - min(created_at) filter (where not daily)), 0)::float8 as age
   from notification_mails where outcome = 'waiting' and due_at <= now() + interval '1 day'`,
);

export const takeMails = (tx: WriteTx, most: number, forMs: number) =>
  tx.rows<TakenMail>(takeEach, [most, forMs, ...audiences]);
/** All that waits for the daily mail of one person. */
export const takeDailyMails = (tx: WriteTx, most: number, forMs: number) =>
  tx.rows<TakenMail>(takeDaily, [most, forMs, ...audiences]);

export type MailOutcome =
  | { readonly outcome: 'accepted'; readonly messageId: string; readonly recipient: Buffer }
  | { readonly outcome: 'refused' | 'skipped' | 'given_up'; readonly reason: string };
export const settleMails = (tx: WriteTx, ids: readonly string[], result: MailOutcome) =>
  tx.run(settle, [
    ids,
    result.outcome,
    result.outcome === 'accepted' ? result.messageId : null,
    result.outcome === 'accepted' ? null : result.reason,
    result.outcome === 'accepted' ? result.recipient : null,
  ]);
export const postponeMails = (
  tx: WriteTx,
  ids: readonly string[],
  to: { readonly dueAt: Date; readonly reason: string; readonly becomesDaily: boolean; readonly attempts: number },
) => tx.run(postpone, [ids, to.dueAt, to.reason, to.becomesDaily, to.attempts]);

/** How many mails of notifications went to an address within the last hour. Letters are counted apart (deliveries-store.ts). */
export const countMailsOfHour = async (tx: ReadTx, recipient: Buffer): Promise<number> =>
  (await tx.rows<{ mails: number }>(mailsWithinHour, [recipient]))[0]?.mails ?? 0;
export const countWaiting = async (tx: ReadTx) =>
  (await tx.rows<{ waiting: number; age: number }>(waiting))[0] ?? { waiting: 0, age: 0 };
