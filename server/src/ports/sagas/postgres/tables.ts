import { escapeIdentifier } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import { connectSingle } from '../../single-connection.ts';
import type { SagaLog } from '../attempts.ts';
import { carryOver } from './carry-over.ts';

/** Names the lane that has a run to take. */
export const runsChannel = 'gpuaas_saga_runs';
/** Names the mailbox that got a letter, as `run::topic`. */
export const lettersChannel = 'gpuaas_saga_letters';

/**
 * A run waits in its lane until a worker takes it (`worker`, with a new `owner` each time), and has neither once it has
 * ended. `owner` fences: a worker whose run was given to another one can write nothing more. `broken` is a run that the
 * engine itself gave up; `fault` says why.
 *
 * JSON is kept as text and not as `jsonb`, so that every value that JavaScript can write down is read back as it was.
 */
const tables = `
  create schema if not exists gpuaas_sagas;
  create table if not exists gpuaas_sagas.runs (
    name text primary key,
    lane text not null,
    state text not null default 'open' check (state in ('open', 'done', 'undone', 'cancelled', 'broken')),
    beginning json not null,
    worker text,
    owner uuid,
    began_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
    ended_at timestamptz,
    ending json,
    fault text,
    check ((worker is null) = (owner is null)),
    check ((state = 'open') = (ended_at is null)),
    check (state = 'open' or worker is null),
    check ((state in ('done', 'undone', 'cancelled')) = (ending is not null)),
    check ((state = 'broken') = (fault is not null))
  );
  create index if not exists runs_waiting on gpuaas_sagas.runs (lane, began_at) where state = 'open' and worker is null;
  create index if not exists runs_taken on gpuaas_sagas.runs (worker) where worker is not null;
  create index if not exists runs_began on gpuaas_sagas.runs (began_at desc, name);
  create index if not exists runs_ended on gpuaas_sagas.runs (ended_at) where ending is not null;
  create table if not exists gpuaas_sagas.records (
    run text not null references gpuaas_sagas.runs on delete cascade,
    place integer not null,
    name text not null,
    tried json not null,
    began_ms double precision not null,
    ended_ms double precision not null,
    primary key (run, place)
  );
  create table if not exists gpuaas_sagas.letters (
    run text not null references gpuaas_sagas.runs on delete cascade,
    topic text not null,
    letter json not null,
    posted_at timestamptz not null default clock_timestamp(),
    primary key (run, topic)
  );
  create table if not exists gpuaas_sagas.workers (
    id text primary key,
    until timestamptz not null
  );
`;
const lockSql = `select pg_advisory_lock(hashtext('gpuaas_sagas.migrate'))`;
const isThereSql = `
  select to_regclass('gpuaas_sagas.workers') is not null and to_regclass('dbos.workflow_status') is null as ready`;

/**
 * Creates the tables, takes over what an earlier version kept, and lets the given roles use them. Several processes may do
 * so at once; the others wait for the first.
 */
export async function migratePostgresSagas(
  url: string,
  options: { readonly log: SagaLog; readonly clock: Clock; readonly roles?: readonly string[] },
): Promise<void> {
  const client = await connectSingle({ connectionString: url });
  try {
    const { rows } = await client.query<{ ready: boolean }>(isThereSql);
    if (!rows[0]?.ready) {
      await client.query(lockSql);
      await client.query(tables);
      await carryOver(client, options);
    }
    for (const role of options.roles ?? []) {
      await client.query(lockSql);
      await client.query(`grant usage on schema gpuaas_sagas to ${escapeIdentifier(role)}`);
      await client.query(
        `grant select, insert, update, delete on all tables in schema gpuaas_sagas to ${escapeIdentifier(role)}`,
      );
    }
  } finally {
    // The lock ends with the connection.
    await client.end();
  }
}
