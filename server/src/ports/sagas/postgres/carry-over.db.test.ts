import { Client } from 'pg';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { defineSaga } from '../../../kernel/saga.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { openTestDatabase, type TestDatabase } from '../../../testing/postgres.ts';
import type { Beginning } from '../attempts.ts';
import { nothing, origin } from '../conformance/bench.ts';
import { planOf } from '../plan.ts';
import { makeToken } from '../token.ts';
import { carryOver } from './carry-over.ts';
import { openPostgresSagas } from './postgres.ts';
import { openPostgresRuns } from './runs-postgres.ts';

/** The columns of DBOS 5.3 that the earlier version wrote. */
const oldTables = `
  create schema dbos;
  create table dbos.workflow_status (workflow_uuid text primary key, status text, name text, queue_name text,
    application_version text, executor_id text, created_at bigint, completed_at bigint);
  create table dbos.workflow_input (workflow_uuid text primary key, inputs text);
  create table dbos.workflow_output (workflow_uuid text primary key, output text, error text);
  create table dbos.operation_outputs (workflow_uuid text, function_id int, function_name text, output text,
    started_at_epoch_ms bigint, completed_at_epoch_ms bigint, primary key (workflow_uuid, function_id));
  create table dbos.notifications (destination_uuid text, topic text, message text, created_at_epoch_ms bigint);
  create schema saga_leases;
  create table saga_leases.executor (id text primary key, until timestamptz not null);
`;
const parts = { clock: systemClock, ids: systemIds, log: silentLog };

describe('runs of the earlier engine', () => {
  let database: TestDatabase;
  let admin: Client;
  const notes: string[] = [];
  const saga = defineSaga<{ size: number }>('old.saga', 2)
    .step('lease', { do: async () => notes.push('lease'), undo: async () => void notes.push('undo lease') })
    .wait('boot', {
      ask: async () => void notes.push('ask'),
      answer: Type.Object({ proof: Type.String() }),
      timeoutMs: 600_000,
      undo: nothing,
    })
    .step('report', { do: async ({ done }) => notes.push(`report ${done.lease} ${done.boot.proof}`), undo: nothing });
  const beginningOf = (id: string): Beginning => ({
    ...{ plan: planOf(saga as never), id, params: { size: 1 }, origin, secret: `secret of ${id}` },
  });
  const insert = async (
    id: string,
    status: string,
    more: { output?: string; version?: string; error?: string } = {},
  ) => {
    const name = `old.saga/${id}`;
    const atMs = Date.now() - 1_000;
    await admin.query(`insert into dbos.workflow_status values ($1, $2, 'saga', 'old.saga/v2', $3, 'old', $4, $5)`, [
      ...[name, status, more.version ?? 'interpreter-2', atMs, more.output ? atMs + 500 : null],
    ]);
    await admin.query('insert into dbos.workflow_input values ($1, $2)', [name, JSON.stringify([beginningOf(id)])]);
    if (more.output ?? more.error) {
      await admin.query('insert into dbos.workflow_output values ($1, $2, $3)', [name, more.output, more.error]);
    }
    return { name, atMs };
  };
  const record = (name: string, place: number, what: string, out: unknown, atMs: number) =>
    admin.query('insert into dbos.operation_outputs values ($1, $2, $3, $4, $5, $5)', [
      ...[name, place, what, JSON.stringify({ end: 'ok', out }), atMs],
    ]);

  beforeAll(async () => {
    database = await openTestDatabase();
    admin = new Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(oldTables);
    const waiting = await insert('waiting', 'PENDING');
    await record(waiting.name, 0, 'do lease', 7, waiting.atMs);
    await record(waiting.name, 1, 'ask boot', null, waiting.atMs);
    await insert('queued', 'ENQUEUED');
    const answered = await insert('answered', 'PENDING');
    await record(answered.name, 0, 'do lease', 8, answered.atMs);
    await record(answered.name, 1, 'ask boot', null, answered.atMs);
    await admin.query('insert into dbos.notifications values ($1, $2, $3, $4)', [
      ...[answered.name, 'boot', JSON.stringify({ by: 'x', value: { proof: 'early' } }), answered.atMs],
    ]);
    await insert('done', 'SUCCESS', { output: JSON.stringify({ state: 'done', step: 'report' }) });
    await insert('older', 'PENDING', { version: 'interpreter-1' });
    await insert('error', 'ERROR', { error: 'beyond repair' });
  });
  afterAll(async () => {
    await admin.end();
    await database.close();
  });

  it('are not touched while a worker of the earlier version runs', async () => {
    await admin.query(`insert into saga_leases.executor values ('worker@old', now() + interval '1 hour')`);
    await expect(carryOver(admin, { ...parts, patienceMs: 0 })).rejects.toThrow('worker@old. Stop it');
    expect((await admin.query('select from dbos.workflow_status')).rowCount).toBe(6);
    await admin.query(`update saga_leases.executor set until = '-infinity'`);
  });

  it('go on where they were, with the same tokens; ended ones stay ended, and the old tables are gone', async () => {
    const [sagas, other] = await Promise.all([
      openPostgresSagas({ ...parts, url: database.url, worker: 'new' }),
      openPostgresSagas({ ...parts, url: database.url, worker: 'new too' }),
    ]);
    await other.close();
    expect((await admin.query(`select from pg_namespace where nspname in ('dbos', 'saga_leases')`)).rowCount).toBe(0);
    await sagas.serve([saga as never]);
    const stateOf = async (id: string) => (await sagas.look(saga, id))?.state;
    await vi.waitUntil(async () => (await stateOf('answered')) === 'done', { timeout: 15_000 });
    expect(notes).toContain('report 8 early');
    const token = makeToken('secret of waiting', 'old.saga/waiting', 'boot');
    expect(await sagas.answer(token, { proof: 'late' })).toBe('accepted');
    await vi.waitUntil(async () => (await stateOf('waiting')) === 'done', { timeout: 15_000 });
    expect(notes).toContain('report 7 late');
    await vi.waitUntil(async () => (await sagas.look(saga, 'queued'))?.step === 'boot', { timeout: 15_000 });
    expect(notes.filter((note) => note === 'lease')).toHaveLength(1);
    expect(await stateOf('done')).toBe('done');
    expect(await sagas.look(saga, 'older')).toMatchObject({
      state: 'stuck',
      reason: expect.stringContaining('PENDING'),
    });
    expect(await sagas.look(saga, 'error')).toMatchObject({ reason: 'the engine ended the run: ERROR beyond repair' });
    const runs = await openPostgresRuns(database.url, parts);
    const wanted = { saga: 'old.saga', id: undefined, before: undefined, limit: 10 };
    expect((await runs.list({ ...wanted, state: 'stuck' })).map(({ id }) => id).sort()).toEqual(['error', 'older']);
    await Promise.all([runs.close(), sagas.close()]);
  });
});
