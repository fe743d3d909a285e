import type { Pool, QueryResultRow } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { Beginning, SagaLog } from '../attempts.ts';
import type { Ending, Tried } from '../interpreter.ts';
import { cancelTopic } from '../orders.ts';
import type { Letter, Recorded } from '../standing.ts';
import { lettersChannel, runsChannel } from './tables.ts';

/**
 * Everything that is written down about runs. A run reads its records once, when a worker takes it up again; a step is one
 * statement that commits itself. Only the present owner of a run may add to it, and every statement may be repeated: a run
 * has its name, a record its place and a letter its mailbox.
 */
const insertRun = `insert into gpuaas_sagas.runs (name, lane, beginning, worker, owner) values ($1, $2, $3, $4, $5)
  on conflict (name) do nothing returning lane`;
const statements = {
  begin: { name: 'saga-begin', text: insertRun },
  enqueue: {
    name: 'saga-enqueue',
    text: `with begun as (${insertRun}) select pg_notify($6, lane) from begun`,
  },
  /** The oldest of these lanes. What another worker is taking at this moment is passed over. */
  take: {
    name: 'saga-take',
    text: `with waiting as (
        select name from gpuaas_sagas.runs where lane = any ($2::text[]) and state = 'open' and worker is null
        order by began_at limit $3 for no key update skip locked
      )
      update gpuaas_sagas.runs r set worker = $1, owner = gen_random_uuid() from waiting w where r.name = w.name
      returning r.name, r.owner, r.beginning`,
  },
  /** Gives back what a worker has, so that any worker of the lane can take it. */
  giveBack: {
    name: 'saga-give-back',
    text: `with freed as (
        update gpuaas_sagas.runs set worker = null, owner = null
        where worker = $1 and ($2::text[] is null or name = any ($2)) returning name, lane
      ), rung as (select pg_notify($3, lane) from (select distinct lane from freed) lanes)
      select (select count(*)::int from freed) as runs, (select count(*) from rung) as lanes`,
  },
  end: {
    name: 'saga-end',
    text: `update gpuaas_sagas.runs set state = $3, ending = $4, ended_at = clock_timestamp(), worker = null, owner = null
      where name = $1 and owner = $2`,
  },
  breakOff: {
    name: 'saga-break-off',
    text: `update gpuaas_sagas.runs set state = 'broken', fault = $3, ended_at = clock_timestamp(), worker = null, owner = null
      where name = $1 and owner = $2`,
  },
  record: {
    name: 'saga-record',
    text: `with owned as (select from gpuaas_sagas.runs where name = $1 and owner = $2 for no key update)
      insert into gpuaas_sagas.records (run, place, name, tried, began_ms, ended_ms)
      select $1, $3, $4, $5, $6, $7 from owned
      on conflict (run, place) do update set name = excluded.name
      returning exists (select from gpuaas_sagas.letters where run = $1 and topic = $8) as is_called_off`,
  },
  read: {
    name: 'saga-records',
    text: 'select name, tried, ended_ms as at_ms from gpuaas_sagas.records where run = $1 order by place',
  },
  /** Rings only where the letter was the first, and where another process has to hear it. */
  post: {
    name: 'saga-letter-post',
    text: `with posted as (
        insert into gpuaas_sagas.letters (run, topic, letter)
        select name, $2, $3 from gpuaas_sagas.runs where name = $1 on conflict (run, topic) do nothing returning run, topic
      )
      select case when $4::boolean then pg_notify($5, run || '::' || topic) end from posted`,
  },
  letter: { name: 'saga-letter', text: 'select letter from gpuaas_sagas.letters where run = $1 and topic = $2' },
  full: {
    name: 'saga-letters',
    text: `select l.run, l.topic as step from gpuaas_sagas.letters l
      join unnest($1::text[], $2::text[]) as box (run, topic) using (run, topic)`,
  },
} as const;

/** A lost connection is opened again; after this many attempts the run is left to the next owner. */
const maxTries = 5;
const firstPauseMs = 50;
export const takenAtOnce = 100;

/** A run under its present owner. */
export interface Owned {
  readonly name: string;
  readonly owner: string;
}
export interface Taken extends Owned {
  readonly beginning: Beginning;
}
export class LostRun extends Error {
  override readonly name = 'LostRun';
}
const asText = (value: unknown): string => JSON.stringify(value) ?? 'null';

export function makeJournal(parts: { readonly pool: Pool; readonly clock: Clock; readonly log: SagaLog }) {
  const { pool, clock, log } = parts;
  const ask = async <R extends QueryResultRow>(
    statement: (typeof statements)[keyof typeof statements],
    values: readonly unknown[],
  ) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await pool.query<R>({ ...statement, values: [...values] });
      } catch (error) {
        if (tries === maxTries || pool.ending) throw error;
        log.warn({ statement: statement.name, error: String(error) }, 'a record of a saga could not be reached yet');
        await clock.sleep(firstPauseMs * 2 ** tries);
      }
    }
  };
  return {
    /** Writes down a run that its own worker begins; false when there is a run of this name. */
    async begin({ name, owner, beginning }: Taken, lane: string, worker: string): Promise<boolean> {
      return (await ask(statements.begin, [name, lane, asText(beginning), worker, owner])).rowCount === 1;
    },
    /** Puts a run into its lane and wakes the workers of the lane. Nothing happens when there is a run of this name. */
    async enqueue(name: string, lane: string, beginning: Beginning): Promise<void> {
      await ask(statements.enqueue, [name, lane, asText(beginning), null, null, runsChannel]);
    },
    async take(worker: string, lanes: readonly string[]): Promise<Taken[]> {
      return (await ask<Taken>(statements.take, [worker, lanes, takenAtOnce])).rows;
    },
    /** All runs of a worker, or these of them. Answers how many there were. */
    async giveBack(worker: string, runs?: readonly string[]): Promise<number> {
      const { rows } = await ask<{ runs: number }>(statements.giveBack, [worker, runs ?? null, runsChannel]);
      return rows[0]?.runs ?? 0;
    },
    async end({ name, owner }: Owned, ending: Ending): Promise<void> {
      await ask(statements.end, [name, owner, ending.state, asText(ending)]);
    },
    async breakOff({ name, owner }: Owned, fault: string): Promise<void> {
      await ask(statements.breakOff, [name, owner, fault.replaceAll('\0', '')]);
    },
    /**
     * Adds a record at its place. Answers when it ended, and whether the run was called off by then; throws a `LostRun` when
     * the run has another owner.
     */
    async add(
      { name, owner }: Owned,
      place: number,
      record: Pick<Recorded, 'name' | 'tried'> & { readonly beganMs: number },
    ): Promise<{ readonly atMs: number; readonly isCalledOff: boolean }> {
      const atMs = clock.now().getTime();
      const values = [name, owner, place, record.name, asText(record.tried), record.beganMs, atMs, cancelTopic];
      const [added] = (await ask<{ is_called_off: boolean }>(statements.record, values)).rows;
      if (!added) throw new LostRun(`${name} is worked on elsewhere`);
      return { atMs, isCalledOff: added.is_called_off };
    },
    async read(run: string): Promise<Recorded[]> {
      const { rows } = await ask<{ name: string; tried: Tried; at_ms: number }>(statements.read, [run]);
      return rows.map(({ name, tried, at_ms }) => ({ name, tried, atMs: at_ms }));
    },
    /** Answers whether this letter is the one that counts. A `quiet` one rings for no other process. */
    async post(run: string, topic: string, letter: Letter, isQuiet = false): Promise<boolean> {
      return (await ask(statements.post, [run, topic, asText(letter), !isQuiet, lettersChannel])).rowCount === 1;
    },
    async letter(run: string, topic: string): Promise<Letter | undefined> {
      return (await ask<{ letter: Letter }>(statements.letter, [run, topic])).rows[0]?.letter;
    },
    /** Which of these mailboxes hold a letter. */
    async full(boxes: readonly { readonly run: string; readonly step: string }[]) {
      const { rows } = await ask<{ run: string; step: string }>(statements.full, [
        boxes.map(({ run }) => run),
        boxes.map(({ step }) => step),
      ]);
      return rows;
    },
  };
}
export type Journal = ReturnType<typeof makeJournal>;
