import type { Pool } from 'pg';
import { sql } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { StoredReply } from '../../kernel/idempotency.ts';
import type { StoredReplies } from './port.ts';

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

/** A reply as `act_open` tells it: fingerprint, status and body, with a blank between. */
export function readStored(text: string): StoredReply {
  const first = text.indexOf(' ');
  const second = text.indexOf(' ', first + 1);
  return {
    fingerprint: text.slice(0, first),
    status: Number(text.slice(first + 1, second)),
    body: text.slice(second + 1),
  };
}

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
