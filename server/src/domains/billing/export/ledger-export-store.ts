import { sql } from '../../../kernel/act.ts';

/** Where the chain ends now; entries that are made during the export are left out. */
export const tipSql = sql(
  'ledger-export-tip',
  `select b.organization_id, b.currency, b.balance_minor::text as balance_minor, b.held_minor::text as held_minor,
     b.entries::text as entries, b.seal_number::text as links, encode(b.seal_hash, 'hex') as hash
   from billing_accounts b where b.organization_id = $1 and mine(b.organization_id)`,
);
export const linksSql = sql(
  'ledger-export-links',
  `select s.number::text as number, s.balance_minor::text as balance_minor, s.held_minor::text as held_minor,
     encode(s.hash, 'hex') as hash,
     (select array_agg(ledger_text(l.id, l.organization_id, l.currency, l.kind, l.at, l.accounts, l.amounts, l.project_id,
        l.actor_id, l.correlation_id, l.reason, l.corrects, l.document) order by l.id)
      from ledger_entries l where l.organization_id = $1 and l.id = any (s.entry_ids) and l.at >= s.first_at
        and l.at <= s.last_at and mine(l.organization_id)) as entries
   from ledger_seals s where s.organization_id = $1 and s.number > $2::bigint and s.number <= $3::bigint
     and mine(s.organization_id)
   order by s.number limit $4`,
);
