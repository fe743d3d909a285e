import { sql, type WriteTx } from '../../../kernel/act.ts';

/**
 * One statement finds who is notified and writes a row for each. It is repeated without harm: a person has one row for an event
 * and a kind. Mails are written beside it, by what each person chose.
 */
const write = sql(
  'notification-write',
  `with people as (
     select m.user_id, $7::jsonb as payload from tenant_memberships m
     where m.organization_id = $2::uuid and mine(m.organization_id) and m.deleted_at is null
       and ($1 in ('billing', 'owners') and m.role in ('owner', 'admin') or $1 = 'billing' and m.role = 'finance')
     union
     select ($4::text)::uuid, $7::jsonb where $1 = 'person' and $4 is not null
     union
     select p.user_id, $7::jsonb from project_memberships p
     where $1 = 'project' and p.project_id = $3::uuid and p.organization_id = $2::uuid and mine(p.organization_id)
       and p.deleted_at is null
     union
     select u.id, $7::jsonb from allocations a join users u on u.id::text = a.requested_by
     where $1 = 'project' and a.id = $5::uuid and mine(a.organization_id)
     union
     select t.user_id, jsonb_build_object('allocation_ids', jsonb_agg(distinct t.allocation_id)) from (
       select u.id as user_id, a.id as allocation_id from allocations a join users u on u.id::text = a.requested_by
       where $1 = 'tenants_of_node' and a.node_id = $6::uuid and a.state = 'active' and mine(a.organization_id)
         and ($18::uuid is null or exists (select from slots h join alerts w on w.slot_id = h.id
           where h.id = $18::uuid and h.allocation_id = a.id and w.tenant_message is not null))
       union
       select p.user_id, a.id from allocations a
         join project_memberships p on p.project_id = a.project_id and p.organization_id = a.organization_id
       where $1 = 'tenants_of_node' and a.node_id = $6::uuid and a.state = 'active' and mine(a.organization_id)
         and ($18::uuid is null or exists (select from slots h join alerts w on w.slot_id = h.id
           where h.id = $18::uuid and h.allocation_id = a.id and w.tenant_message is not null))
         and mine(p.organization_id) and p.deleted_at is null
     ) t group by t.user_id
     union
     select b.user_id, $7::jsonb from platform_role_bindings b
     where b.deleted_at is null and (
       $1 = 'operators' and b.role in ('platform_superadmin', 'platform_ops')
       or $1 = 'finance' and b.role in ('platform_superadmin', 'platform_finance'))
   ), chosen as (
     select p.user_id, p.payload, coalesce(c.inbox, true) as inbox,
       case when $14 then 'each' else coalesce(c.mail, $13) end as mail
     from people p
       join users u on u.id = p.user_id and u.disabled_at is null
       left join notification_preferences c on c.user_id = p.user_id and c.kind = $10
   ), written as (
     insert into notifications (user_id, id, event_id, kind, organization_id, project_id, payload, correlation_id, occurred_at,
         shown, expires_at, organization_name, allocation_name)
       select c.user_id, $8::uuid, $9::uuid, $10, $2::uuid, $3::uuid, c.payload, $11, $12::timestamptz, c.inbox,
         act_time() + make_interval(days => $16::int),
         (select o.name from organizations o where o.id = $17::uuid and mine(o.id)),
         (select a.name from allocations a where mine(a.organization_id)
            and a.id = coalesce($5::uuid, (c.payload -> 'allocation_ids' ->> 0)::uuid))
       from chosen c where c.inbox or c.mail <> 'none'
       on conflict (user_id, event_id, kind) do nothing
       returning user_id, id, shown
   ), mailed as (
     insert into notification_mails (user_id, notification_id, kind, daily, due_at)
       select w.user_id, w.id, $10, c.mail = 'daily', case when c.mail = 'daily' then $15::timestamptz else act_time() end
       from written w join chosen c on c.user_id = w.user_id where c.mail <> 'none'
       returning user_id
   )
   select w.user_id, w.shown, exists (select from mailed m where m.user_id = w.user_id) as mailed from written w`,
);

export interface NewNotification {
  readonly id: string;
  readonly eventId: string;
  readonly kind: string;
  readonly to: string;
  readonly organizationId: string | undefined;
  /** The organization that the words name, where the notification itself belongs to the platform. */
  readonly namedOrganizationId: string | undefined;
  readonly projectId: string | undefined;
  readonly personId: string | undefined;
  readonly allocationId: string | undefined;
  readonly nodeId: string | undefined;
  /** Only the allocation on this slot is concerned, and only while an alert about it is for tenants too. */
  readonly slotId: string | undefined;
  readonly payload: object;
  readonly correlationId: string;
  readonly occurredAt: string;
  /** What happens about mail unless the person chose otherwise, and whether they can. */
  readonly mail: 'each' | 'none';
  readonly isMailRequired: boolean;
  readonly nextDailyAt: Date;
  readonly retentionDays: number;
}
export interface NotifiedPerson {
  readonly user_id: string;
  readonly shown: boolean;
  readonly mailed: boolean;
}

export const writeNotifications = (tx: WriteTx, one: NewNotification): Promise<NotifiedPerson[]> =>
  tx.rows<NotifiedPerson>(write, [
    one.to,
    one.organizationId ?? null,
    one.projectId ?? null,
    one.personId ?? null,
    one.allocationId ?? null,
    one.nodeId ?? null,
    JSON.stringify(one.payload),
    one.id,
    one.eventId,
    one.kind,
    one.correlationId,
    one.occurredAt,
    one.mail,
    one.isMailRequired,
    one.nextDailyAt,
    one.retentionDays,
    one.namedOrganizationId ?? null,
    one.slotId ?? null,
  ]);

const forget = sql(
  'notification-forget',
  `delete from notifications n using (
     select o.user_id, o.id from notifications o where o.expires_at <= act_time() and is_me(o.user_id)
     order by o.expires_at limit $1
   ) old where n.user_id = old.user_id and n.id = old.id and is_me(n.user_id)`,
);
export const forgetExpired = (tx: WriteTx, most: number): Promise<number> => tx.run(forget, [most]);

const openLetter = sql(
  'dead-letter-open',
  `select d.envelope ->> 'event_type' as type from dead_letters d
   where d.event_id = $1 and d.state = 'open' and (d.organization_id is null or mine(d.organization_id)) limit 1`,
);
export const findOpenLetter = async (tx: WriteTx, eventId: string): Promise<{ readonly type: string } | undefined> =>
  (await tx.rows<{ type: string }>(openLetter, [eventId]))[0];
