import { Pool, type QueryResultRow } from 'pg';

/**
 * Where the simulated provider keeps what it knows. The schema is its own and it makes it itself, when it is first asked: nothing
 * else ever looks into it.
 */
export interface Tables {
  rows<R extends QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<R[]>;
  close(): Promise<void>;
}

const deadlineMs = 5_000;

/** The lock keeps processes that start together from creating the same thing twice. */
const tables = `
  select pg_advisory_xact_lock(7235118452003420);
  do $$
  begin
    -- An installation makes it for the role that comes here, which may make none itself.
    if to_regnamespace('gpuaas_payments') is null then create schema gpuaas_payments; end if;
  end
  $$;
  create table if not exists gpuaas_payments.checkout (
    id text primary key,
    reference text not null unique,
    customer text not null,
    amount bigint not null check (amount > 0),
    currency text not null,
    title text not null,
    paid_url text not null,
    left_url text not null,
    expires_at timestamptz not null,
    paid_at timestamptz,
    payment_id text unique,
    refunded bigint not null default 0 check (refunded between 0 and amount),
    dispute text check (dispute in ('needs_response', 'won', 'lost'))
  );
  create table if not exists gpuaas_payments.method (
    id text primary key,
    position bigint generated always as identity,
    customer text not null,
    last4 text not null,
    is_default boolean not null default false
  );
  create table if not exists gpuaas_payments.setup (
    id text primary key,
    reference text not null unique,
    customer text not null,
    title text not null,
    back_url text not null,
    expires_at timestamptz not null,
    done_at timestamptz
  );
  -- What became of a charge without a payer, so that the same reference answers the same.
  create table if not exists gpuaas_payments.charge (
    reference text primary key,
    outcome text not null check (outcome in ('paid', 'declined', 'unconfirmed')),
    payment_id text not null
  );
  create table if not exists gpuaas_payments.refund (
    reference text primary key,
    id text not null,
    payment_id text not null,
    amount bigint not null check (amount > 0)
  );
  create table if not exists gpuaas_payments.delivery (
    position bigint generated always as identity primary key,
    body text not null,
    due_at timestamptz not null,
    attempts integer not null default 0
  );
`;

export function openTables(url: string): Tables {
  const pool = new Pool({
    connectionString: url,
    application_name: 'gpuaas-payments',
    max: 2,
    connectionTimeoutMillis: deadlineMs,
    statement_timeout: deadlineMs,
    query_timeout: deadlineMs + 1_000,
    allowExitOnIdle: true,
  });
  // The pool replaces a connection that died while it was idle; unheard, its error event would end the process.
  pool.on('error', () => undefined);
  let closed = false;
  let made: Promise<unknown> | undefined;
  const make = async () => {
    const there = await pool.query<{ there: boolean }>(
      `select to_regclass('gpuaas_payments.charge') is not null as there`,
    );
    if (!there.rows[0]?.there) await pool.query(tables);
  };
  return {
    async rows<R extends QueryResultRow>(name: string, text: string, values: readonly unknown[]) {
      if (closed) throw new Error('payments are closed');
      made ??= make();
      await made.catch((error: unknown) => {
        made = undefined;
        throw error;
      });
      return (await pool.query<R>({ name: `gpuaas_payments_${name}`, text, values: [...values] })).rows;
    },
    async close() {
      if (closed) return;
      closed = true;
      await pool.end();
    },
  };
}
