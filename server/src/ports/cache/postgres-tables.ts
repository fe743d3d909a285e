import type { Pool } from 'pg';

/**
 * The cache keeps its own schema and makes it itself, so that it needs no migration and can be dropped as a whole.
 * The tables are unlogged: nothing here is worth a write-ahead log, and after a crash of the server they are empty,
 * which the port allows. Times are milliseconds of the injected clock, not of the database.
 *
 * Someone who may use the tables but may not create schemas opens the cache too: the statements below run only when
 * something is missing. The advisory lock keeps processes that start together from creating the same thing twice.
 */
const tables = `
  select pg_advisory_xact_lock(7235118452003418);
  create schema if not exists gpuaas_cache;
  create unlogged table if not exists gpuaas_cache.entry (
    key text collate "C" primary key,
    value bytea not null,
    expires_at_ms bigint not null
  );
  create index if not exists entry_expires_at_ms on gpuaas_cache.entry (expires_at_ms);
  create unlogged table if not exists gpuaas_cache.rate_window (
    key text collate "C" primary key,
    count bigint not null,
    ends_at_ms bigint not null
  ) with (fillfactor = 70);
  create index if not exists rate_window_ends_at_ms on gpuaas_cache.rate_window (ends_at_ms);
  create unlogged table if not exists gpuaas_cache.sliding_window (
    key text collate "C" primary key,
    admitted_at_ms bigint[] not null,
    allowed boolean not null,
    ends_at_ms bigint not null
  ) with (fillfactor = 70);
  create index if not exists sliding_window_ends_at_ms on gpuaas_cache.sliding_window (ends_at_ms);
  create unlogged table if not exists gpuaas_cache.long_message (
    id bigint generated always as identity primary key,
    body bytea not null,
    expires_at_ms bigint not null
  );
  create index if not exists long_message_expires_at_ms on gpuaas_cache.long_message (expires_at_ms);
`;

export async function makeTables(pool: Pool): Promise<void> {
  const present = await pool.query<{ complete: boolean }>(
    `select to_regclass('gpuaas_cache.long_message_expires_at_ms') is not null
       and to_regclass('gpuaas_cache.sliding_window_ends_at_ms') is not null as complete`,
  );
  // Several statements in one simple query are one transaction, which is also what holds the lock.
  if (!present.rows[0]?.complete) await pool.query(tables);
}

export const getEntry = {
  name: 'gpuaas_cache_get',
  text: 'select value from gpuaas_cache.entry where key = $1 and expires_at_ms > $2',
};

export const setEntry = {
  name: 'gpuaas_cache_set',
  text: `insert into gpuaas_cache.entry (key, value, expires_at_ms) values ($1, $2, $3)
    on conflict (key) do update set value = excluded.value, expires_at_ms = excluded.expires_at_ms`,
};

export const deleteEntry = {
  name: 'gpuaas_cache_delete',
  text: 'delete from gpuaas_cache.entry where key = $1',
};

/** The row lock of the delete picks the winner; an expired row goes as well, but nobody wins it. */
export const takeEntry = {
  name: 'gpuaas_cache_take',
  text: 'delete from gpuaas_cache.entry where key = $1 returning case when expires_at_ms > $2 then value end as value',
};

/** On a conflict the newest version of the row is locked and its expiry looked at again, so one claimer gets through. */
export const claimEntry = {
  name: 'gpuaas_cache_claim',
  text: `insert into gpuaas_cache.entry as held (key, value, expires_at_ms) values ($1, $2, $3)
    on conflict (key) do update set value = excluded.value, expires_at_ms = excluded.expires_at_ms
    where held.expires_at_ms <= $4`,
};

export const hitWindow = {
  name: 'gpuaas_cache_hit',
  text: `insert into gpuaas_cache.rate_window as w (key, count, ends_at_ms) values ($1, $2, $3)
    on conflict (key) do update set
      count = case when w.ends_at_ms <= $4 then excluded.count else w.count + excluded.count end,
      ends_at_ms = case when w.ends_at_ms <= $4 then excluded.ends_at_ms else w.ends_at_ms end
    returning count::float8 as count, (ends_at_ms - $4)::float8 as reset_ms`,
};

/**
 * The row lock of the conflict puts callers in a line. What left the window is dropped, and the caller is added when there is
 * room: $2 is now, $3 the length of the window, $4 the limit.
 */
export const admitToWindow = {
  name: 'gpuaas_cache_admit',
  text: `insert into gpuaas_cache.sliding_window as w (key, admitted_at_ms, allowed, ends_at_ms)
    values ($1, array[$2::bigint], true, $2::bigint + $3::bigint)
    on conflict (key) do update set (admitted_at_ms, allowed, ends_at_ms) = (
      select case when room then held || $2::bigint else held end, room,
        case when room then $2::bigint + $3::bigint else w.ends_at_ms end
      from (
        select coalesce(array_agg(at order by at), '{}') as held, count(*) < $4::int as room
        from unnest(w.admitted_at_ms) as at where at > $2::bigint - $3::bigint
      ) as kept
    )
    returning allowed, cardinality(admitted_at_ms) as count,
      (admitted_at_ms[greatest(1, cardinality(admitted_at_ms) - $4::int + 1)] + $3::bigint - $2::bigint)::float8 as reset_ms`,
};

export const notify = {
  name: 'gpuaas_cache_notify',
  text: `select pg_notify('gpuaas_cache', $1)`,
};

export const notifyLong = {
  name: 'gpuaas_cache_notify_long',
  text: `with kept as (
      insert into gpuaas_cache.long_message (body, expires_at_ms) values ($2, $3) returning id
    ) select pg_notify('gpuaas_cache', json_build_array($1::text, kept.id)::text) from kept`,
};

export const readLong = {
  name: 'gpuaas_cache_read_long',
  text: 'select body from gpuaas_cache.long_message where id = $1',
};

/** Rows that another process is just renewing are skipped, so sweeping never waits and never removes a fresh value. */
export const sweepExpired = {
  name: 'gpuaas_cache_sweep',
  text: `with
    entries as (delete from gpuaas_cache.entry where key in (
      select key from gpuaas_cache.entry where expires_at_ms <= $1
      order by expires_at_ms limit $2 for update skip locked) returning 1),
    windows as (delete from gpuaas_cache.rate_window where key in (
      select key from gpuaas_cache.rate_window where ends_at_ms <= $1
      order by ends_at_ms limit $2 for update skip locked) returning 1),
    sliding as (delete from gpuaas_cache.sliding_window where key in (
      select key from gpuaas_cache.sliding_window where ends_at_ms <= $1
      order by ends_at_ms limit $2 for update skip locked) returning 1),
    messages as (delete from gpuaas_cache.long_message where id in (
      select id from gpuaas_cache.long_message where expires_at_ms <= $1
      order by expires_at_ms limit $2 for update skip locked) returning 1)
    select greatest((select count(*) from entries), (select count(*) from windows), (select count(*) from sliding),
      (select count(*) from messages))::int as most`,
};
