import type { Pool } from 'pg';
import { sql } from '../../kernel/act.ts';
import { type AuditRow, chainBeginning, chainOf, linkHash } from '../../kernel/audit-link.ts';
import type { AuditSealer } from './port.ts';

/**
 * Seals audit rows into a hash chain, one chain per organization and one for the platform. Rows are sealed after their
 * commit, in rounds below the oldest running transaction (see `outbox-log.ts`), so that no writer waits for another and
 * no row is overtaken. Each hash covers the row and the hash before it: changing, removing or inserting a row breaks
 * every hash after it.
 */
const lock = sql('audit-seal-lock', `select pg_try_advisory_xact_lock(7275004) as alone`);
const loadMark = sql(
  'audit-seal-mark',
  `select transaction_from::text as "from" from audit_seal_watermarks where sealer = 'audit'`,
);
const saveMark = sql(
  'audit-seal-save',
  `insert into audit_seal_watermarks (sealer, transaction_from) values ('audit', $1::xid8)
   on conflict (sealer) do update set transaction_from = excluded.transaction_from, updated_at = clock_timestamp()`,
);
const horizon = sql('audit-seal-horizon', `select pg_snapshot_xmin(pg_current_snapshot())::text as "to"`);
// Rows of a transaction stay together, and a row that is sealed already (the mark was lost) is passed over.
const ready = sql(
  'audit-seal-ready',
  `select a.*, a.transaction_id::text as transaction_id, to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as created_at from audit_logs a
   where a.transaction_id >= $1::xid8 and a.transaction_id < $2::xid8
     and not exists (select from audit_seals s where s.audit_id = a.id)
   order by a.transaction_id, a.id limit $3`,
);
const heads = sql(
  'audit-seal-heads',
  `select distinct on (chain) chain, sequence::text as sequence, hash from audit_seals
   where chain = any ($1) order by chain, audit_seals.sequence desc`,
);
const insert = sql(
  'audit-seal-insert',
  `insert into audit_seals (organization_id, sequence, audit_id, hash)
   select * from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[])`,
);
export function makeAuditSealer(parts: { readonly pool: Pool }): AuditSealer {
  return {
    async seal(limit) {
      const client = await parts.pool.connect();
      let clean = false;
      try {
        await client.query('begin');
        if (!(await client.query<{ alone: boolean }>(lock)).rows[0]?.alone) {
          await client.query('rollback');
          clean = true;
          return 0;
        }
        const from = (await client.query<{ from: string }>(loadMark)).rows[0]?.from ?? '0';
        const { to } = (await client.query<{ to: string }>(horizon)).rows[0] as { to: string };
        const { rows } = await client.query<AuditRow>({ ...ready, values: [from, to, limit] });
        const chains = [...new Set(rows.map(chainOf))];
        const last = new Map(
          (
            await client.query<{ chain: string; sequence: string; hash: string }>({ ...heads, values: [chains] })
          ).rows.map((head) => [head.chain, head]),
        );
        const links = rows.map((row) => {
          const chain = chainOf(row);
          const head = last.get(chain) ?? { sequence: '0', hash: chainBeginning };
          const sequence = String(BigInt(head.sequence) + 1n);
          const link = {
            chain,
            organizationId: row.organization_id,
            sequence,
            id: row.id,
            hash: linkHash(head.hash, sequence, row),
          };
          last.set(chain, link);
          return link;
        });
        if (links.length > 0) {
          await client.query({
            ...insert,
            values: [
              links.map((l) => l.organizationId),
              links.map((l) => l.sequence),
              links.map((l) => l.id),
              links.map((l) => l.hash),
            ],
          });
        }
        // A full batch may have stopped in the middle of the round: the mark moves when the round is over.
        if (rows.length < limit && to !== from) await client.query({ ...saveMark, values: [to] });
        await client.query('commit');
        clean = true;
        return links.length;
      } finally {
        client.release(!clean);
      }
    },
  };
}
