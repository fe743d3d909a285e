import type { Pool, QueryResultRow } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { SagaLog } from '../attempts.ts';
import type { Tried } from '../interpreter.ts';
import type { Letter, Recorded } from '../standing.ts';

/**
 * What is written down about a run, in the tables of DBOS and in the shape that DBOS gives it, so that its own tools show
 * our steps. Written by us all the same, because of what it costs: DBOS asks twice before a step whether it was done, and
 * takes four more trips to say that it is; it announces, sleeps and receives as steps of their own. Here a run reads its
 * records once, when it is taken up again, and a step is one statement that commits itself.
 *
 * The promise behind every record is the same as in DBOS: only the owner of the run at that moment may add to it.
 */

/** Rows hold plain JSON: they can be read in psql, and only what JSON can hold survives. */
export const plainJson = {
  name: () => 'plain_json',
  stringify: (value: unknown): string => JSON.stringify(value) ?? 'null',
  parse: (text: string | null | undefined): unknown => (text === null || text === undefined ? null : JSON.parse(text)),
};
export const applicationName = 'gpuaas';
/** All letters of a wait have one key, so that Postgres keeps the first and drops the rest. */
const letterKey = (run: string, step: string): string => `answer:${step}::${run}`;

/** As DBOS begins a run, in one statement that is planned once and not four trips. An older run of the name is left alone. */
const beginSql = {
  name: 'saga-begin',
  text: `with begun as (
      insert into dbos.workflow_status (workflow_uuid, status, name, queue_name, authenticated_user, assumed_role,
        authenticated_roles, executor_id, application_version, application_id, recovery_attempts, priority, serialization,
        creator_xid, owner_xid, is_debounced, application_name)
      values ($1, 'PENDING', $2, $3, '', '', '[]', $4, $5, $6, 1, 0, $7, $8, $8, false, $9)
      on conflict (workflow_uuid) do nothing returning workflow_uuid
    )
    insert into dbos.workflow_input (workflow_uuid, inputs) select workflow_uuid, $10 from begun
    on conflict (workflow_uuid) do nothing`,
};
/** As DBOS ends it: only the owner of the run may, and it has no owner from then on. */
const endSql = {
  name: 'saga-end',
  text: `with ended as (
      update dbos.workflow_status set status = 'SUCCESS', deduplication_id = null, owner_xid = null,
        updated_at = (extract(epoch from now()) * 1000)::bigint, completed_at = (extract(epoch from now()) * 1000)::bigint
      where workflow_uuid = $1 and status = 'PENDING' and owner_xid = $2 returning workflow_uuid
    )
    insert into dbos.workflow_output (workflow_uuid, output) select workflow_uuid, $3 from ended
    on conflict (workflow_uuid) do update set output = excluded.output, error = null`,
};
const recordSql = {
  name: 'saga-record',
  text: `with owned as (
      select from dbos.workflow_status where workflow_uuid = $1 and owner_xid = $2 for no key update
    )
    insert into dbos.operation_outputs (workflow_uuid, function_id, function_name, output, serialization,
      started_at_epoch_ms, completed_at_epoch_ms, application_name, retention_timestamp)
    select $1, $3, $4, $5, $6, $7, $8, $9, $8 from owned
    on conflict (workflow_uuid, function_id) do update set function_name = excluded.function_name
    returning function_id`,
};
const readSql = {
  name: 'saga-records',
  text: `select function_name as name, output, completed_at_epoch_ms::float8 as at_ms from dbos.operation_outputs
    where workflow_uuid = $1 order by function_id`,
};
const postSql = {
  name: 'saga-letter-post',
  text: `insert into dbos.notifications (destination_uuid, topic, message, serialization, message_uuid)
    values ($1, $2, $3, $4, $5) on conflict (message_uuid) do nothing`,
};
const letterSql = {
  name: 'saga-letter',
  text: 'select message from dbos.notifications where message_uuid = $1',
};
const lettersSql = {
  name: 'saga-letters',
  text: `select destination_uuid as run, topic as step from dbos.notifications where message_uuid = any ($1::text[])`,
};

/** What DBOS writes down about a run before it begins. */
export interface NewRun {
  readonly workflowUUID: string;
  readonly workflowName: string;
  readonly queueName?: string | undefined;
  readonly executorId: string;
  readonly applicationVersion?: string | undefined;
  readonly applicationID: string;
  readonly serialization: string | null;
  readonly applicationName?: string | undefined;
  readonly input?: string | null | undefined;
}

/** A connection that was cut is opened again; after this many attempts the run is left to the next owner. */
const maxTries = 5;
const firstPauseMs = 50;

export class LostRun extends Error {
  override readonly name = 'LostRun';
}

export function makeRecords(parts: { readonly pool: Pool; readonly clock: Clock; readonly log: SagaLog }) {
  const { pool, clock, log } = parts;
  /** All statements here may be repeated: a record has its place, and a letter its key. */
  const ask = async <R extends QueryResultRow>(statement: { name: string; text: string }, values: unknown[]) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await pool.query<R>({ ...statement, values });
      } catch (error) {
        if (tries === maxTries || pool.ending) throw error;
        log.warn({ statement: statement.name, error: String(error) }, 'a record of a saga could not be reached yet');
        await clock.sleep(firstPauseMs * 2 ** tries);
      }
    }
  };
  return {
    /** Writes a run down as begun here; false when there is one of this name already. */
    async begin(run: NewRun, owner: string): Promise<boolean> {
      const { rowCount } = await ask(beginSql, [
        ...[run.workflowUUID, run.workflowName, run.queueName, run.executorId, run.applicationVersion ?? null],
        ...[run.applicationID, run.serialization, owner, run.applicationName ?? null, run.input],
      ]);
      return rowCount === 1;
    },
    /** Records how a run ended; false when it has another owner by now. */
    async end(run: string, owner: string, output: string | null): Promise<boolean> {
      return (await ask(endSql, [run, owner, output])).rowCount === 1;
    },
    /**
     * Adds a record at its place, and returns when it ended; throws a `LostRun` when the run has another owner by now.
     */
    async add(
      run: { readonly id: string; readonly owner: string },
      place: number,
      record: Pick<Recorded, 'name' | 'tried'> & { readonly beganMs: number },
    ): Promise<number> {
      const atMs = clock.now().getTime();
      const { rowCount } = await ask(recordSql, [
        ...[run.id, run.owner, place, record.name, plainJson.stringify(record.tried), plainJson.name()],
        ...[record.beganMs, atMs, applicationName],
      ]);
      if (rowCount === 0) throw new LostRun(`${run.id} is worked on elsewhere`);
      return atMs;
    },
    async read(run: string): Promise<Recorded[]> {
      const { rows } = await ask<{ name: string; output: string; at_ms: number }>(readSql, [run]);
      return rows.map(({ name, output, at_ms }) => ({ name, tried: plainJson.parse(output) as Tried, atMs: at_ms }));
    },
    /** Answers whether this letter is the one that counts. */
    async post(run: string, step: string, letter: Letter): Promise<boolean> {
      const key = letterKey(run, step);
      const sent = await ask(postSql, [run, step, plainJson.stringify(letter), plainJson.name(), key]);
      return sent.rowCount === 1;
    },
    async letter(run: string, step: string): Promise<Letter | undefined> {
      const { rows } = await ask<{ message: string }>(letterSql, [letterKey(run, step)]);
      return rows[0] && (plainJson.parse(rows[0].message) as Letter);
    },
    /** Which of these mailboxes hold a letter. */
    async full(boxes: readonly { readonly run: string; readonly step: string }[]) {
      const { rows } = await ask<{ run: string; step: string }>(lettersSql, [
        boxes.map(({ run, step }) => letterKey(run, step)),
      ]);
      return rows;
    },
  };
}
export type Records = ReturnType<typeof makeRecords>;
