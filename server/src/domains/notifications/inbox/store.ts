import { chosenKinds, type NotificationKind } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import { audiences } from '../audiences.ts';

export interface NotificationRow {
  readonly id: string;
  readonly kind: NotificationKind;
  readonly event_id: string;
  readonly organization_id: string | null;
  readonly project_id: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly correlation_id: string;
  readonly occurred_at: Date;
  readonly read_at: Date | null;
  readonly organization_name: string | null;
  readonly allocation_name: string | null;
}

// A notification is hidden from a person who is not in its audience any more: who left the organization or the project, or lost the
// role. The one that says that they left stays. Kinds are those that this release has words for; a newer one may have written others.
const list = sql(
  'notification-list',
  `select n.id, n.kind, n.event_id, n.organization_id, n.project_id, n.payload, n.correlation_id, n.occurred_at, n.read_at,
     n.organization_name, n.allocation_name
   from notifications n
   where n.user_id = $1 and is_me(n.user_id) and n.shown and ($2::uuid is null or n.id < $2) and (not $4 or n.read_at is null)
     and n.kind = any ($5::text[])
     and (n.kind = 'organization_role_changed' or notification_is_for(
       (select k.audience from unnest($6::text[], $7::text[]) as k (kind, audience) where k.kind = n.kind),
       n.user_id, n.organization_id, n.project_id, n.payload))
   order by n.id desc limit $3`,
);
const count = sql(
  'notification-count',
  `select count(*)::int as unread from (
     select from notifications n
     where n.user_id = $1 and is_me(n.user_id) and n.shown and n.read_at is null and n.kind = any ($3::text[])
       and (n.kind = 'organization_role_changed' or notification_is_for(
         (select k.audience from unnest($4::text[], $5::text[]) as k (kind, audience) where k.kind = n.kind),
         n.user_id, n.organization_id, n.project_id, n.payload))
     limit $2) u`,
);
const readSome = sql(
  'notification-read-some',
  `update notifications n set read_at = act_time()
   where n.user_id = $1 and is_me(n.user_id) and n.read_at is null and n.id = any ($2::uuid[])`,
);
const readAll = sql(
  'notification-read-all',
  `update notifications n set read_at = act_time()
   where n.user_id = $1 and is_me(n.user_id) and n.read_at is null`,
);

export const listNotifications = (
  tx: ReadTx,
  userId: string,
  page: { readonly before: string | undefined; readonly limit: number; readonly unread: boolean },
) => tx.rows<NotificationRow>(list, [userId, page.before ?? null, page.limit, page.unread, chosenKinds, ...audiences]);
export const countUnreadNotifications = async (tx: ReadTx, userId: string, most: number): Promise<number> =>
  (await tx.rows<{ unread: number }>(count, [userId, most, chosenKinds, ...audiences]))[0]?.unread ?? 0;
export const markRead = (tx: WriteTx, userId: string, ids: readonly string[] | undefined): Promise<number> =>
  ids === undefined ? tx.run(readAll, [userId]) : tx.run(readSome, [userId, ids]);

const preferences = sql(
  'notification-preferences',
  'select kind, inbox, mail from notification_preferences where user_id = $1 and is_me(user_id)',
);
const setPreference = sql(
  'notification-preference-set',
  `insert into notification_preferences (user_id, kind, inbox, mail) values ($1, $2, $3, $4)
   on conflict (user_id, kind) do update set inbox = excluded.inbox, mail = excluded.mail, updated_at = excluded.updated_at
     where is_me(notification_preferences.user_id)`,
);
const address = sql('contact-address', 'select email from contact_addresses where user_id = $1 and is_me(user_id)');

const ownAudiences = sql(
  'notification-audiences',
  `select a.audience from unnest($2::text[]) as a (audience)
   where is_me($1::uuid) and notification_is_for(a.audience, $1::uuid, null, null, null)`,
);
/** Which of these audiences of the platform a person is in. */
export const listAudiences = async (tx: ReadTx, userId: string, of: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await tx.rows<{ audience: string }>(ownAudiences, [userId, of])).map(({ audience }) => audience));

export interface Choice {
  readonly kind: string;
  readonly inbox: boolean;
  readonly mail: 'each' | 'daily' | 'none';
}
export const listChoices = (tx: ReadTx, userId: string) => tx.rows<Choice>(preferences, [userId]);
export const setChoice = (tx: WriteTx, userId: string, { kind, inbox, mail }: Choice) =>
  tx.run(setPreference, [userId, kind, inbox, mail]);
export const findAddress = async (tx: ReadTx, userId: string): Promise<string | undefined> =>
  (await tx.rows<{ email: string }>(address, [userId]))[0]?.email;
