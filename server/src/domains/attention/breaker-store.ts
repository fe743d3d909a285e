import { type Breaker, policies } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import { heldShown } from './facts.ts';

const takeSql = sql('automation-take', 'select breaker, granted, is_news from automation_take($1, $2, $3, $4, $5, $6)');
const listSql = sql(
  'breaker-list',
  `select b.id, b.kind, b.region, b.sku, b.tripped_at, l.hosts, l.allowed, l.minutes as window_minutes,
     (select count(distinct t.node_id)::int from automation_takes t
      where t.breaker_id = b.id and t.taken_at > act_time() - make_interval(mins => l.minutes)) as taken,
     (select min(t.last_at) + make_interval(mins => l.minutes) from (
        select max(t.taken_at) as last_at from automation_takes t
        where t.breaker_id = b.id and t.taken_at > act_time() - make_interval(mins => l.minutes) group by t.node_id
      ) t) as first_leaves_at,
     (select coalesce(jsonb_agg(h order by h.since, h.node_id), '[]') from (
        select k.node_id, n.name as node_name, k.source, k.reason, k.since
        from automation_held_back k join nodes n on n.id = k.node_id
        where k.breaker_id = b.id order by k.since, k.node_id limit $6
      ) h) as held_back
   from automation_breakers b cross join lateral breaker_limits(b.region, b.sku, $1, $2) l
   where ($3::uuid is null or b.id = $3) and ($4::uuid is null or b.id < $4)
     and ($5::boolean is null or (b.tripped_at is not null) = $5)
   order by b.id desc limit $7`,
);
const alertSql = sql(
  'breaker-alert',
  `insert into alerts (id, source, kind, effect, message) values (uuid_of_now(), 'breaker', $1, 'informs', $2)
   on conflict (source, kind, node_id, slot_id, allocation_id) do update set message = excluded.message`,
);
const clearAlertSql = sql('breaker-alert-clear', `delete from alerts where source = 'breaker' and kind = $1`);
const resetSql = sql(
  'breaker-reset',
  `with gone as (delete from automation_held_back where breaker_id = $1)
   update automation_breakers set tripped_at = null, told_at = null where id = $1 and tripped_at is not null`,
);
const holdSql = sql('breaker-hold', 'select from automation_breakers where id = $1 for update');
const unpublishedSql = sql(
  'breaker-unpublished',
  `select id, kind, region, sku, tripped_at from automation_breakers
   where tripped_at is not null and told_at is null order by id limit $1 for update`,
);
const publishedSql = sql(
  'breaker-announced',
  'update automation_breakers set told_at = act_time() where id = any ($1::uuid[])',
);

const trippedSql = sql(
  'breaker-tripped',
  `select b.kind, b.region, b.sku, (select count(*)::int from automation_held_back h where h.breaker_id = b.id) as held
   from automation_breakers b where b.tripped_at is not null order by b.id`,
);

const defaultOf = (key: string): number => policies.find((policy) => policy.key === key)?.default as number;
/** What counts unless an operator has set it for everybody. The database reads what is set in the same transaction. */
const defaults = [defaultOf('automation.breaker_percent'), defaultOf('automation.breaker_window_minutes')];

export interface Taking {
  readonly kind: Breaker['kind'];
  readonly nodeId: string;
  readonly source: Breaker['held_back'][number]['source'];
  readonly reason: string;
}
export interface BreakerRow extends Omit<Breaker, 'tripped_at' | 'resumes_at' | 'held_back'> {
  readonly tripped_at: Date | null;
  readonly first_leaves_at: Date | null;
  readonly held_back: readonly (Omit<Breaker['held_back'][number], 'since'> & { readonly since: string })[];
}
export const askForHost = async (tx: WriteTx, { kind, nodeId, source, reason }: Taking) => {
  const [asked] = await tx.rows<{ breaker: string; granted: boolean; is_news: boolean }>(takeSql, [
    ...[kind, nodeId, source, reason, ...defaults],
  ]);
  if (!asked) throw new Error('a breaker did not answer');
  return asked;
};
export const listBreakers = (
  tx: ReadTx,
  filter: {
    readonly id?: string;
    readonly before?: string | undefined;
    readonly tripped?: boolean;
    readonly limit: number;
  },
) =>
  tx.rows<BreakerRow>(listSql, [
    ...[...defaults, filter.id ?? null, filter.before ?? null, filter.tripped ?? null, heldShown, filter.limit],
  ]);
export const findBreaker = async (tx: ReadTx, id: string): Promise<BreakerRow | undefined> =>
  (await listBreakers(tx, { id, limit: 1 }))[0];
export const holdBreaker = (tx: WriteTx, id: string) => tx.rows(holdSql, [id]);
export const writeBreakerAlert = (tx: WriteTx, kind: string, message: string) => tx.run(alertSql, [kind, message]);
export const clearBreakerAlert = (tx: WriteTx, kind: string) => tx.run(clearAlertSql, [kind]);
export const resetBreaker = (tx: WriteTx, id: string) => tx.run(resetSql, [id]);
export const listUnpublished = (tx: WriteTx, limit: number) =>
  tx.rows<Pick<BreakerRow, 'id' | 'kind' | 'region' | 'sku'> & { readonly tripped_at: Date }>(unpublishedSql, [limit]);
export const markPublished = (tx: WriteTx, ids: readonly string[]) => tx.run(publishedSql, [ids]);
export const countTripped = (tx: ReadTx) =>
  tx.rows<Pick<BreakerRow, 'kind' | 'region' | 'sku'> & { readonly held: number }>(trippedSql);
