import type { Pool } from 'pg';
import { sql } from '../../kernel/act.ts';
import { type AuditRow, chainBeginning, chainOf, linkForm, linkHash } from '../../kernel/audit-link.ts';
import type { AuditSealer } from './port.ts';

/**
 * Seals audit rows into a hash chain, one chain per organization and one for the platform. Rows are sealed after their
 * commit, in rounds below the oldest running transaction (see `outbox-log.ts`), so that no writer waits for another and
 * no row is overtaken. Each hash covers the row and the hash before it: changing, removing or inserting a row breaks
 * every hash after it.
 */
const lock = sql('audit-seal-lock', `select pg_try_advisory_xact_lock(7275004) as alone`);
const loadRound = sql(
  'audit-seal-round',
  `select coalesce((select transaction_from::text from audit_seal_watermarks where sealer = 'audit'), '0') as "from",
     pg_snapshot_xmin(pg_current_snapshot())::text as "to"`,
);
const saveMark = sql(
  'audit-seal-save',
  `insert into audit_seal_watermarks (sealer, transaction_from) values ('audit', $1::xid8)
   on conflict (sealer) do update set transaction_from = excluded.transaction_from, updated_at = clock_timestamp()`,
);
// Rows of a transaction stay together, and a row that is sealed already (the mark was lost) is passed over. So is one that an
// archive holds and that is being removed.
const ready = sql(
  'audit-seal-ready',
  `select a.*, a.transaction_id::text as transaction_id, to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as created_at from audit_logs a
   where a.transaction_id >= $1::xid8 and a.transaction_id < $2::xid8
     and not exists (select from audit_seals s where s.audit_id = a.id)
     and not exists (select from history_archives h where h.subject = 'audit' and h.archived_at is not null
       and h.removed_at is null and a.created_at < h.to_at)
   order by a.transaction_id, a.id limit $3`,
);
// One look into the index for each chain, however long it is. A chain whose links are all archived goes on after them.
const heads = sql(
  'audit-seal-heads',
  `select c.chain, s.sequence::text as sequence, s.hash from unnest($1::text[]) as c (chain) cross join lateral (
     select x.sequence, x.hash from (
       (select l.sequence, l.hash from audit_seals l where l.chain = c.chain order by l.sequence desc limit 1)
       union all
       (select h.last_sequence, h.last_hash from history_links h where h.chain = c.chain order by h.last_sequence desc limit 1)
     ) x order by x.sequence desc limit 1
   ) s`,
);
const insert = sql(
  'audit-seal-insert',
  `insert into audit_seals (organization_id, sequence, audit_id, hash, form)
   select u.*, $5::smallint from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[]) as u`,
);
export function makeAuditSealer(parts: { readonly pool: Pool }): AuditSealer {
  return {
    async seal(limit) {
      const client = await parts.pool.connect();
      let clean = false;
      try {
        // What needs no answer of another is sent together. Each still sees what was committed before it ran.
        const [, turn, round] = await Promise.all([
          client.query('begin'),
          client.query<{ alone: boolean }>(lock),
          client.query<{ from: string; to: string }>(loadRound),
        ]);
        if (!turn.rows[0]?.alone) {
          await client.query('rollback');
          clean = true;
          return 0;
        }
        const { from: mark, to } = round.rows[0] as { from: string; to: string };
        // Transactions are counted by a server. A mark ahead of them came with a dump from another one and says nothing
        // here; rows that are sealed are passed over.
        const from = BigInt(mark) > BigInt(to) ? '0' : mark;
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
        const sealed = [
          links.map((l) => l.organizationId),
          links.map((l) => l.sequence),
          links.map((l) => l.id),
          links.map((l) => l.hash),
          linkForm,
        ];
        // A full batch may have stopped in the middle of the round: the mark moves when the round is over.
        const isOver = rows.length < limit && to !== from;
        await Promise.all([
          links.length > 0 && client.query({ ...insert, values: sealed }),
          isOver && client.query({ ...saveMark, values: [to] }),
          client.query('commit'),
        ]);
        clean = true;
        return links.length;
      } finally {
        client.release(!clean);
      }
    },
  };
}
