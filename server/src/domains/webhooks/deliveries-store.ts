import type { WebhookDelivery } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import { claimMs, postsOfOrganization, postsOfWebhook } from './facts.ts';

export type DeliveryRow = Omit<WebhookDelivery, 'due_at' | 'created_at' | 'settled_at'> & {
  readonly due_at: Date;
  readonly created_at: Date;
  readonly settled_at: Date | null;
};
const list = sql(
  'webhook-delivery-list',
  `select id, event_id, event_type, outcome, attempts, response_status, reason, due_at, created_at, settled_at, tries
   from webhook_deliveries
   where organization_id = $1 and webhook_id = $2 and mine(organization_id) and ($3::uuid is null or event_id < $3)
   order by event_id desc limit $4`,
);
const resend = sql(
  'webhook-delivery-resend',
  `update webhook_deliveries set outcome = 'waiting', settled_at = null, attempts = 0, due_at = act_time()
   where organization_id = $1 and webhook_id = $2 and id = $3 and mine(organization_id)
   returning id, event_id, event_type, outcome, attempts, response_status, reason, due_at, created_at, settled_at, tries`,
);
// One row for each webhook of the organization that wants this type and is on.
const enqueue = sql(
  'webhook-delivery-enqueue',
  `insert into webhook_deliveries (id, organization_id, webhook_id, event_id, event_type, body, due_at)
     select gen_random_uuid(), w.organization_id, w.id, $2, $3, $4, act_time() from webhooks w
     where w.organization_id = $1 and mine(w.organization_id) and w.disabled_at is null
       and (cardinality(w.event_types) = 0 or $3 = any (w.event_types))
   on conflict on constraint webhook_deliveries_once do nothing`,
);
// Organizations take turns: first those with the fewest posts in flight ($3 and $4 name them), up to the limits of each.
const take = sql(
  'webhook-delivery-take',
  `with held as (
     select h.organization_id, h.webhook_id from unnest($3::uuid[], $4::uuid[]) h (organization_id, webhook_id)
   ), first as (
     select d.id, d.due_at, w.organization_id from webhooks w cross join lateral (
       select o.id, o.due_at from webhook_deliveries o
       where o.webhook_id = w.id and o.outcome = 'waiting' and o.due_at <= act_time() and mine(o.organization_id)
       order by o.due_at limit greatest(0, $5::int - (select count(*) from held h where h.webhook_id = w.id))) d
     where mine(w.organization_id)
   ), turns as (
     select f.id, f.due_at, row_number() over (partition by f.organization_id order by f.due_at, f.id)
       + (select count(*) from held h where h.organization_id = f.organization_id) as turn
     from first f
   ), picked as (
     select t.id from turns t where t.turn <= $6::int order by t.turn, t.due_at, t.id limit $1
   ), due as (
     select d.id from webhook_deliveries d join picked p on p.id = d.id
     where d.outcome = 'waiting' and d.due_at <= act_time() and mine(d.organization_id)
     for update of d skip locked
   ), taken as (
     update webhook_deliveries d set due_at = act_time() + $2 * interval '1 millisecond', attempts = d.attempts + 1
     from due where d.id = due.id returning d.*
   )
   select t.id, t.organization_id, t.webhook_id, t.event_id, t.body, t.attempts, w.url, w.disabled_at is not null as is_off,
     w.failing_since, array(
       select s.id::text from webhook_secrets s
       where s.webhook_id = t.webhook_id and mine(s.organization_id) and (s.ends_at is null or s.ends_at > act_time())
       order by s.created_at desc) as secret_ids, array(
       select s.sealed from webhook_secrets s
       where s.webhook_id = t.webhook_id and mine(s.organization_id) and (s.ends_at is null or s.ends_at > act_time())
       order by s.created_at desc) as sealed
   from taken t join webhooks w on w.id = t.webhook_id and mine(w.organization_id)`,
);
const note = sql(
  'webhook-delivery-note',
  `update webhook_deliveries set outcome = $2, response_status = $3, reason = $4, due_at = $5,
     settled_at = case when $2 = 'waiting' then null else act_time() end,
     tries = (select coalesce(jsonb_agg(x.try order by x.n), '[]'::jsonb) from (
       select e.try, e.n from jsonb_array_elements(tries || $6::jsonb) with ordinality e (try, n)
       order by e.n desc limit $7) x)
   where id = $1 and outcome = 'waiting' and mine(organization_id)`,
);
// Tries of one webhook are noted one after the other, and its row is locked first: turning it off touches all its deliveries.
const lock = sql(
  'webhook-lock',
  `select id from webhooks where organization_id = $1 and id = $2 and mine(organization_id) for no key update`,
);
const taken = sql(
  'webhook-took',
  `update webhooks set failing_since = null
   where organization_id = $1 and id = $2 and failing_since is not null and mine(organization_id)`,
);
const failed = sql(
  'webhook-failed',
  `update webhooks set failing_since = act_time()
   where organization_id = $1 and id = $2 and failing_since is null and mine(organization_id)`,
);
const disable = sql(
  'webhook-disable',
  `update webhooks set disabled_at = act_time(), disabled_reason = $3
   where organization_id = $1 and id = $2 and disabled_at is null and mine(organization_id)`,
);
const giveUp = sql(
  'webhook-delivery-give-up',
  `update webhook_deliveries set outcome = 'failed', settled_at = act_time(), reason = $3
   where organization_id = $1 and webhook_id = $2 and outcome = 'waiting' and mine(organization_id)`,
);
const forget = sql(
  'webhook-delivery-forget',
  `delete from webhook_deliveries d using (
     select o.id from webhook_deliveries o
     where o.created_at < act_time() - make_interval(days => $1::int) and o.outcome <> 'waiting' and mine(o.organization_id)
     order by o.created_at limit $2
   ) old where d.id = old.id and mine(d.organization_id)`,
);
const waiting = sql(
  'webhook-waiting',
  `select count(*)::int as waiting, coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as late,
     (select count(*)::int from webhooks w where w.disabled_at is null and w.failing_since is not null
       and mine(w.organization_id)) as failing
   from webhook_deliveries where outcome = 'waiting' and due_at <= now() and mine(organization_id)`,
);

export interface TakenDelivery {
  readonly id: string;
  readonly organization_id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly body: string;
  readonly attempts: number;
  readonly url: string;
  readonly is_off: boolean;
  readonly failing_since: Date | null;
  readonly secret_ids: string[];
  readonly sealed: Buffer[];
}
export const listDeliveries = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly webhookId: string },
  before: string | undefined,
  limit: number,
) => tx.rows<DeliveryRow>(list, [of.organizationId, of.webhookId, before ?? null, limit]);
export const resendDelivery = async (tx: WriteTx, organizationId: string, webhookId: string, id: string) =>
  (await tx.rows<DeliveryRow>(resend, [organizationId, webhookId, id]))[0];
export const enqueueDeliveries = (
  tx: WriteTx,
  event: { readonly organizationId: string; readonly id: string; readonly type: string; readonly body: string },
): Promise<number> => tx.run(enqueue, [event.organizationId, event.id, event.type, event.body]);
/** What a worker has in flight already. */
type Held = Pick<TakenDelivery, 'organization_id' | 'webhook_id'>;
export const takeDeliveries = (tx: WriteTx, held: readonly Held[], most: number) =>
  tx.rows<TakenDelivery>(take, [
    ...[most, claimMs, held.map((one) => one.organization_id), held.map((one) => one.webhook_id)],
    ...[postsOfWebhook, postsOfOrganization],
  ]);

export interface Try {
  readonly outcome: 'waiting' | 'delivered' | 'failed';
  readonly status: number | null;
  readonly reason: string | null;
  readonly dueAt: Date;
  readonly at: Date;
  readonly tookMs: number;
}
export const noteTry = (tx: WriteTx, id: string, one: Try, kept: number) =>
  tx.run(note, [
    ...[id, one.outcome, one.status, one.reason, one.dueAt],
    JSON.stringify([{ at: one.at.toISOString(), status: one.status, reason: one.reason, took_ms: one.tookMs }]),
    kept,
  ]);
export const lockWebhook = (tx: WriteTx, { organization_id, webhook_id }: TakenDelivery) =>
  tx.rows(lock, [organization_id, webhook_id]);
export const noteTaken = (tx: WriteTx, { organization_id, webhook_id }: TakenDelivery) =>
  tx.run(taken, [organization_id, webhook_id]);
export const noteFailing = (tx: WriteTx, { organization_id, webhook_id }: TakenDelivery) =>
  tx.run(failed, [organization_id, webhook_id]);
/** Turns a webhook off and gives up what waits for it. False when it is off already. */
export async function turnOff(
  tx: WriteTx,
  { organization_id, webhook_id }: TakenDelivery,
  reason: string,
): Promise<boolean> {
  if ((await tx.run(disable, [organization_id, webhook_id, reason])) === 0) return false;
  await tx.run(giveUp, [organization_id, webhook_id, 'The webhook was turned off.']);
  return true;
}
export const forgetDeliveries = (tx: WriteTx, days: number, most: number): Promise<number> =>
  tx.run(forget, [days, most]);
export const readWaiting = async (tx: ReadTx) =>
  (await tx.rows<{ waiting: number; late: number; failing: number }>(waiting))[0] ?? {
    waiting: 0,
    late: 0,
    failing: 0,
  };
