import type { Pool } from 'pg';
import { sql } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { StoredReplies, StoredReply } from './port.ts';

const findReply = sql(
  'reply-find',
  `select fingerprint, status::int as status, body from idempotency_records
   where principal = $1 and route = $2 and key = $3 and expires_at > $4`,
);
const sweepReplies = sql(
  'reply-sweep',
  `delete from idempotency_records where ctid in (
     select ctid from idempotency_records where expires_at <= $1 order by expires_at limit $2
   )`,
);

export function makeStoredReplies(parts: { readonly pool: Pool; readonly clock: Clock }): StoredReplies {
  return {
    async find(principal, route, key) {
      const { rows } = await parts.pool.query({ ...findReply, values: [principal, route, key, parts.clock.now()] });
      return rows[0] as StoredReply | undefined;
    },
    async sweep(limit) {
      const { rowCount } = await parts.pool.query({ ...sweepReplies, values: [parts.clock.now(), limit] });
      return rowCount ?? 0;
    },
  };
}
