import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import type { OpenGrant, Spending } from './burn.ts';

const columns = `g.id, g.organization_id, g.currency, g.amount_minor, g.left_minor, g.expired_minor, g.expires_at, g.created_at,
     e.reason from credit_grants g left join ledger_entries e on e.organization_id = g.organization_id
       and e.currency = g.currency and e.id = g.id and mine(e.organization_id)`;
const listSql = sql(
  'credit-list',
  `select ${columns} where g.organization_id = $1 and ($2::uuid is null or g.id < $2) and mine(g.organization_id)
   order by g.id desc limit $3`,
);
const endsSql = sql(
  'credit-ends',
  `update credit_grants set expires_at = coalesce($3, act_time() + make_interval(days => $4))
   where organization_id = $1 and id = $2 and mine(organization_id) returning expires_at`,
);
const openSql = sql(
  'credit-open',
  `select g.id, g.left_minor, g.expires_at, g.counted_to from credit_grants g
   where g.organization_id = $1 and g.left_minor > 0 and mine(g.organization_id) order by g.id`,
);
/** Links of the chain behind the last one that was counted, each with what it did to credit. */
const linksSql = sql(
  'credit-links',
  `select s.number, s.last_at as at, coalesce(e.spent, 0)::bigint as spent, e.taken
   from ledger_seals s cross join lateral (
     select sum(-l.amounts[1]) filter (where l.kind = 'usage') as spent,
       coalesce(jsonb_agg(jsonb_build_array(l.corrects, (-l.amounts[1])::text))
         filter (where l.kind = 'correction' and l.accounts[2] = 'grants'), '[]') as taken
     from ledger_entries l where l.organization_id = s.organization_id and l.id = any (s.entry_ids)
       and l.at >= s.first_at and l.at <= s.last_at and mine(l.organization_id)
   ) e
   where s.organization_id = $1 and s.number > $2 and mine(s.organization_id) order by s.number limit $3`,
);
const countSql = sql(
  'credit-count',
  `update credit_grants g set left_minor = n.left_minor, counted_to = n.counted_to
   from unnest($2::uuid[], $3::bigint[], $4::bigint[]) n (id, left_minor, counted_to)
   where g.organization_id = $1 and g.id = n.id and mine(g.organization_id)`,
);
const expireSql = sql(
  'credit-expire',
  `update credit_grants set left_minor = 0, expired_minor = expired_minor + left_minor
   where organization_id = $1 and id = $2 and mine(organization_id)`,
);
/** Accounts with a grant that has expired, and those whose ledger has many links that are not counted. */
const dueSql = sql(
  'credit-due',
  `select distinct g.organization_id from credit_grants g join billing_accounts b on b.organization_id = g.organization_id
   where g.left_minor > 0 and (g.counted_to + $3 <= b.seal_number
       or g.expires_at < act_time() - make_interval(secs => $1 / 1000.0)) and mine(g.organization_id)
   order by 1 limit $2`,
);
const nowSql = sql('credit-now', 'select act_time() as now');

export interface CreditGrantRow {
  readonly id: string;
  readonly organization_id: string;
  readonly currency: string;
  readonly amount_minor: bigint;
  readonly left_minor: bigint;
  readonly expired_minor: bigint;
  readonly expires_at: Date | null;
  readonly created_at: Date;
  readonly reason: string | null;
}
interface LinkRow {
  readonly number: bigint;
  readonly at: Date;
  readonly spent: bigint;
  readonly taken: unknown;
}

export const listGrants = (tx: ReadTx, organizationId: string, before: string | undefined, limit: number) =>
  tx.rows<CreditGrantRow>(listSql, [organizationId, before ?? null, limit]);
/** What one person gave an account alone within a day: many small grants are one large one. */
const aloneSql = sql(
  'credit-alone',
  `select coalesce(sum(e.amounts[1]), 0)::bigint as amount from ledger_entries e
   where e.organization_id = $1 and e.kind = 'grant' and e.actor_id = $2 and e.at > act_time() - interval '1 day'
     and mine(e.organization_id) and not exists (select from billing_adjustments a where a.organization_id = e.organization_id
       and a.entry_id = e.id and a.needs_approval and mine(a.organization_id))`,
);
export const readGivenAlone = async (tx: ReadTx, organizationId: string, actorId: string): Promise<bigint> =>
  (await tx.rows<{ amount: bigint }>(aloneSql, [organizationId, actorId]))[0]?.amount ?? 0n;
/** The same for all accounts of one currency together. */
const toAllSql = sql(
  'credit-alone-to-all',
  `select coalesce(sum(g.amount_minor), 0)::bigint as amount from credit_grants g
     join ledger_entries e on e.organization_id = g.organization_id and e.currency = g.currency and e.id = g.id
       and e.at > act_time() - interval '2 days' and mine(e.organization_id)
   where g.created_at > act_time() - interval '1 day' and g.currency = $2 and e.actor_id = $1 and mine(g.organization_id)
     and not exists (select from billing_adjustments a where a.organization_id = g.organization_id and a.entry_id = g.id
       and a.needs_approval and mine(a.organization_id))`,
);
export const readGivenToAll = async (tx: ReadTx, actorId: string, currency: string): Promise<bigint> =>
  (await tx.rows<{ amount: bigint }>(toAllSql, [actorId, currency]))[0]?.amount ?? 0n;
const giverSql = sql(
  'credit-giver-lock',
  `select pg_advisory_xact_lock(hashtextextended('gpuaas credit ' || $1::text, 0))`,
);
/** Grants of one person, in whatever account, come one after the other. */
export const lockGiver = (tx: WriteTx, actorId: string) => tx.rows(giverSql, [actorId]);
/** Says when a grant ends: at a moment, or after days. */
export async function setEnd(tx: WriteTx, organizationId: string, id: string, at: Date | undefined, days: number) {
  const [row] = await tx.rows<{ expires_at: Date | null }>(endsSql, [organizationId, id, at ?? null, days]);
  if (!row?.expires_at) throw new Error(`the grant ${id} is not in the ledger`);
  return row.expires_at;
}
export const listOpen = async (tx: ReadTx, organizationId: string): Promise<readonly OpenGrant[]> =>
  (
    await tx.rows<{ id: string; left_minor: bigint; expires_at: Date | null; counted_to: bigint }>(openSql, [
      organizationId,
    ])
  ).map((row) => ({ id: row.id, left: row.left_minor, expiresAt: row.expires_at, countedTo: row.counted_to }));
export const listLinks = async (
  tx: ReadTx,
  organizationId: string,
  after: bigint,
  limit: number,
): Promise<readonly Spending[]> =>
  (await tx.rows<LinkRow>(linksSql, [organizationId, after, limit])).map(({ taken, ...link }) => ({
    ...link,
    takenBack: addUp(taken as [string, string][]),
  }));
function addUp(taken: readonly [string, string][]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const [id, amount] of taken) sums.set(id, (sums.get(id) ?? 0n) + BigInt(amount));
  return sums;
}
export const keepCounted = (tx: WriteTx, organizationId: string, grants: readonly OpenGrant[]) =>
  tx.run(countSql, [
    organizationId,
    grants.map(({ id }) => id),
    grants.map(({ left }) => left),
    grants.map(({ countedTo }) => countedTo),
  ]);
export const markExpired = (tx: WriteTx, organizationId: string, id: string) => tx.run(expireSql, [organizationId, id]);
export const listDue = async (
  tx: ReadTx,
  of: { readonly settleMs: number; readonly links: number; readonly limit: number },
): Promise<readonly string[]> =>
  (await tx.rows<{ organization_id: string }>(dueSql, [of.settleMs, of.limit, of.links])).map(
    (row) => row.organization_id,
  );
export const readNow = async (tx: ReadTx): Promise<Date> => {
  const [row] = await tx.rows<{ now: Date }>(nowSql, []);
  if (!row) throw new Error('the database has no time');
  return row.now;
};
