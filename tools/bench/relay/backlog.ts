import type { Client } from 'pg';
import type { PgBoss } from 'pg-boss';
import { type Event, makeEvent, subject } from './events.ts';
import { queue } from './peers.ts';

const keys = 16;
const chunk = 2_000;

/** Events of a backlog: as many keys as a small installation has, each with its own order. */
export const makeBacklog = (run: string, count: number): Event[] =>
  Array.from({ length: count }, (_, index) => makeEvent(run, index % keys, Math.floor(index / keys)));

function* chunks(events: readonly Event[]): Generator<readonly Event[]> {
  for (let from = 0; from < events.length; from += chunk) yield events.slice(from, from + chunk);
}

/** Each of these runs inside a transaction that the caller commits: the backlog becomes visible at one moment. */
export async function intoOutbox(admin: Client, events: readonly Event[]): Promise<void> {
  for (const some of chunks(events)) {
    await admin.query(
      `insert into outbox_events (event_id, message_id, subject, key, envelope)
       select e.id::uuid, e.id, $4, e.key, e.envelope::jsonb
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality as e (id, key, envelope, n) order by e.n`,
      [
        some.map(({ envelope }) => envelope.event_id),
        some.map(({ key }) => key),
        some.map(({ envelope }) => JSON.stringify(envelope)),
        subject,
      ],
    );
  }
}

export async function intoGraphileWorker(admin: Client, events: readonly Event[]): Promise<void> {
  for (const some of chunks(events)) {
    await admin.query(
      `select from graphile_worker.add_jobs(array(
         select row($2, e.payload::json, null, now(), 25, null, 0, null)::graphile_worker.job_spec
         from unnest($1::text[]) with ordinality as e (payload, n) order by e.n
       ))`,
      [some.map((event) => JSON.stringify(event)), queue],
    );
  }
}

export async function intoPgBoss(admin: Client, boss: PgBoss, events: readonly Event[]): Promise<void> {
  const db = { executeSql: (text: string, values?: unknown[]) => admin.query(text, values) };
  for (const some of chunks(events)) {
    await boss.insert(
      queue,
      some.map((event) => ({ data: event })),
      { db },
    );
  }
}

/** A queue as plain as it can be, for pgbench to claim and mark in batches. */
export async function intoPlainQueue(admin: Client, count: number): Promise<void> {
  const { envelope, key } = makeEvent('plain', 0, 0);
  await admin.query('drop table if exists bench_queue');
  await admin.query(
    `create table bench_queue (id bigint primary key, key text not null, envelope jsonb not null, done_at timestamptz)`,
  );
  await admin.query('create index bench_queue_waiting on bench_queue (id) where done_at is null');
  await admin.query(
    `insert into bench_queue (id, key, envelope) select n, $2, $3::jsonb from generate_series(1, $1::int) n`,
    [count, key, JSON.stringify(envelope)],
  );
  await admin.query('analyze bench_queue');
}

export const claimBatch = `
with c as (
  select id from bench_queue where done_at is null order by id limit 500 for update skip locked
), m as (
  update bench_queue q set done_at = now() from c where q.id = c.id returning q.id, q.key, q.envelope
)
select id, key, envelope from m order by id;
`;
