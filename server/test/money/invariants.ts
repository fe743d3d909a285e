import type { World } from '../../src/testing/world.ts';
import type { Life } from './hosts.ts';
import { costOf, quantityOf, quantityWithin } from './oracle.ts';

/**
 * What must be true of every ledger, asked of the tables with statements of their own: one charge for a window, no overlap and no gap
 * (I3), the amount of the oracle (I4), the balance that is the sum (I5), one credit for a payment and no more than was paid (I13).
 */
export async function findBroken(world: World, organizationId: string, lives: readonly Life[]): Promise<string[]> {
  const broken: string[] = [];
  const say = (is: boolean, what: string) => void (is && broken.push(what));
  const { rows } = await world.root.query<Row>(windowsSql, [organizationId]);
  const byLife = Map.groupBy(rows, ({ resource_id }) => resource_id);
  for (const life of lives) {
    const windows = byLife.get(life.allocationId) ?? [];
    byLife.delete(life.allocationId);
    const name = `allocation ${life.allocationId}`;
    const [quantity, amount] = [sum(windows, 'quantity_ms'), sum(windows, 'amount_minor')];
    say(quantity !== quantityOf(life), `${name}: ${quantity} ms are charged, ${quantityOf(life)} were proven (a gap)`);
    say(amount !== costOf(life), `${name}: charged ${amount}, the oracle says ${costOf(life)}`);
    windows.forEach((one, at) => {
      const [fromMs, toMs] = [Number(one.from_ms), Number(one.to_ms)];
      const before = windows[at - 1];
      say(before !== undefined && Number(before.to_ms) > fromMs, `${name}: windows overlap at ${fromMs}`);
      const proven = quantityWithin(life, fromMs, toMs);
      say(proven !== BigInt(one.quantity_ms), `${name}: ${one.quantity_ms} ms at ${fromMs}, ${proven} have evidence`);
      say(one.entries !== (BigInt(one.amount_minor) > 0n ? 1 : 0), `${name}: ${one.entries} entries for ${fromMs}`);
    });
  }
  for (const id of byLife.keys()) broken.push(`allocation ${id}: charged, and nobody rented it`);
  const { rows: wrong } = await world.root.query<{ what: string }>(moneySql, [organizationId]);
  return [...broken, ...wrong.map(({ what }) => what)];
}

interface Row {
  readonly resource_id: string;
  readonly from_ms: string;
  readonly to_ms: string;
  readonly quantity_ms: string;
  readonly amount_minor: string;
  readonly entries: number;
}
const sum = (rows: readonly Row[], of: 'quantity_ms' | 'amount_minor') =>
  rows.reduce((total, row) => total + BigInt(row[of]), 0n);
const windowsSql = `select w.resource_id, floor(extract(epoch from w.from_at) * 1000)::text as from_ms,
    floor(extract(epoch from w.to_at) * 1000)::text as to_ms, w.quantity_ms::text, w.amount_minor::text,
    coalesce(l.n, 0)::int as entries
  from usage_windows w left join (select id, count(*) as n from ledger_entries where organization_id = $1 and kind = 'usage' group by id)
    l on l.id = w.id
  where w.organization_id = $1 order by w.resource_id, w.from_at`;
const moneySql = `
  select 'the balance is not the sum of the ledger' as what from billing_accounts b where b.organization_id = $1
    and b.balance_minor <> coalesce((select sum(amounts[1]) from ledger_entries where organization_id = $1), 0)
  union all select 'an entry does not sum to zero: ' || id from ledger_entries where organization_id = $1
    and (select sum(a) from unnest(amounts) a) <> 0
  union all select 'payment ' || p.id || ' is credited ' || p.credited_minor || ' and refunded ' || p.refunded_minor
    from payment_sessions p where p.organization_id = $1 and p.credited_minor < p.refunded_minor
  union all select 'credits are not the payments that succeeded' where
    (select coalesce(sum(amounts[1]), 0) from ledger_entries where organization_id = $1 and kind in ('top_up', 'refund'))
    <> (select coalesce(sum(credited_minor - refunded_minor), 0) from payment_sessions where organization_id = $1)
  union all select 'payments have ' || (select count(*) from ledger_entries where organization_id = $1 and kind = 'top_up') || ' credits'
    where (select count(*) from ledger_entries where organization_id = $1 and kind = 'top_up')
    <> (select count(*) from payment_sessions where organization_id = $1 and credited_minor > 0)`;
