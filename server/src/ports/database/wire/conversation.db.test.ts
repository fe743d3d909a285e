import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../kernel/act.ts';
import { openTestDatabase, type TestDatabase } from '../../../testing/postgres.ts';
import { type Conversations, makeConversations } from '../transaction.ts';

const add = sql('add', 'insert into notes (id, text) values ($1, $2) returning id, text');
const all = sql('all', 'select id, text from notes order by id');
const fail = sql('fail', 'select 1 / $1::int as never');
const echo = sql(
  'echo',
  `select $1::text as text, $2::int as number, $3::bigint as large, $4::timestamptz as at, $5::text[] as list,
     $6::jsonb as object, $7::bytea as bytes, $8::boolean as truth, $9::text as nothing`,
);
const prepared = sql('prepared', 'select count(*)::int as times from pg_prepared_statements where name = $1');

describe('a conversation', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let conversations: Conversations;
  let root: pg.Client;
  const notices: string[] = [];
  beforeAll(async () => {
    database = await openTestDatabase();
    root = new pg.Client({ connectionString: database.url });
    await root.connect();
    await root.query('create table notes (id int primary key, text text)');
    // A reference that is looked at when the transaction ends.
    await root.query('create table marks (note int references notes deferrable initially deferred)');
    pool = new pg.Pool({ connectionString: database.url, max: 1, pipeline: true } as pg.PoolConfig);
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('notice', ({ message }) => notices.push(message ?? ''));
      client.on('error', () => undefined);
    });
    conversations = makeConversations(pool);
  });
  afterAll(async () => {
    conversations.close();
    await pool.end();
    await root.end();
    await database.close();
  });
  const kept = async () =>
    (await root.query<{ id: number }>('select id from notes order by id')).rows.map(({ id }) => id);

  it('makes everything durable at its end and nothing before', async () => {
    const { conversation, giveBack } = await conversations.begin();
    const first = conversation.ask(add, [1, 'one']);
    const second = conversation.ask(add, [2, null]);
    expect(await first).toEqual({ rows: [{ id: 1, text: 'one' }], rowCount: 1 });
    expect(await second).toEqual({ rows: [{ id: 2, text: null }], rowCount: 1 });
    expect((await conversation.ask(all)).rows).toHaveLength(2);
    expect(await kept()).toEqual([]);
    await conversation.commit();
    giveBack(true);
    expect(await kept()).toEqual([1, 2]);
  });

  it('that only read can be left, also after a refusal, and its connection serves the next one', async () => {
    const calm = await conversations.begin();
    await calm.conversation.ask(all);
    await calm.conversation.leave();
    calm.giveBack(true);
    const { processID: before } = (await pool.connect().then((client) => {
      client.release();
      return client;
    })) as unknown as { processID: number };
    const upset = await conversations.begin();
    await expect(upset.conversation.ask(fail, [0])).rejects.toThrow('division by zero');
    await upset.conversation.leave();
    upset.giveBack(true);
    const next = (await pool.connect()) as unknown as pg.PoolClient & { processID: number };
    expect(next.processID).toBe(before);
    expect((await next.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    next.release();
  });

  it('undoes everything when it is told to, without a complaint of the server', async () => {
    const { conversation, giveBack } = await conversations.begin();
    await conversation.ask(add, [3, 'three']);
    await conversation.rollback();
    giveBack(true);
    expect(await kept()).toEqual([1, 2]);
    expect(notices).toEqual([]);
  });

  it('undoes everything after an error, runs nothing behind it, and leaves the connection in order', async () => {
    const { conversation, giveBack } = await conversations.begin();
    const outcomes = await Promise.allSettled([
      conversation.ask(add, [4, 'four']),
      conversation.ask(fail, [0]),
      conversation.ask(sql('add-again', add.text), [5, 'five']),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    await expect(conversation.ask(all)).rejects.toMatchObject({ code: '22012' });
    await expect(conversation.commit()).rejects.toMatchObject({ code: '22012' });
    await conversation.rollback();
    giveBack(true);
    expect(await kept()).toEqual([1, 2]);
    const next = await conversations.begin();
    // The statement that was not read is not taken for known.
    await next.conversation.ask(sql('add-again', add.text), [5, 'five']);
    await next.conversation.commit();
    next.giveBack(true);
    expect(await kept()).toEqual([1, 2, 5]);
  });

  it('tells of a refusal that comes only with the end', async () => {
    const { conversation, giveBack } = await conversations.begin();
    await conversation.ask(sql('mark', 'insert into marks values ($1)'), [99]);
    await expect(conversation.commit()).rejects.toMatchObject({ code: '23503' });
    await conversation.rollback();
    giveBack(true);
    expect((await root.query('select from marks')).rowCount).toBe(0);
  });

  it('carries values both ways', async () => {
    const { conversation, giveBack } = await conversations.begin();
    const at = new Date('2026-02-03T04:05:06.789Z');
    const list = ['a', '', null, 'NULL', 'b "c" \\ {d}, ü'];
    const sent = ['text ü\n', 7, 9_007_199_254_740_993n, at, list, { a: [1, 'x'] }, Buffer.from([0, 255]), true, null];
    for (let times = 0; times < 2; times += 1) {
      expect((await conversation.ask(echo, sent)).rows).toEqual([
        {
          ...{ text: 'text ü\n', number: 7, large: 9_007_199_254_740_993n, at, list, object: { a: [1, 'x'] } },
          ...{ bytes: Buffer.from([0, 255]), truth: true, nothing: null },
        },
      ]);
    }
    await conversation.rollback();
    giveBack(true);
  });

  it('shares what the server knows with the other ways to ask', async () => {
    await pool.query({ ...all, values: [] });
    const { conversation, giveBack } = await conversations.begin();
    await conversation.ask(all);
    expect((await conversation.ask(prepared, [all.name])).rows).toEqual([{ times: 1 }]);
    await expect(conversation.ask(sql(all.name, 'select 2'))).rejects.toThrow('two statements with the name all');
    await conversation.rollback();
    giveBack(true);
    expect((await pool.query({ ...prepared, values: [echo.name] })).rows).toEqual([{ times: 1 }]);
    expect((await pool.query({ ...all, values: [] })).rows).toHaveLength(3);
  });

  it('refuses a value that cannot be sent, and goes on', async () => {
    const { conversation, giveBack } = await conversations.begin();
    await expect(conversation.ask(add, [Symbol('x'), ''])).rejects.toThrow('cannot be sent');
    expect((await conversation.ask(all)).rows).toHaveLength(3);
    await conversation.rollback();
    giveBack(true);
  });

  it('fails when its connection is cut, also while it is only waiting for the end', async () => {
    const cut = async () =>
      root.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    const first = await conversations.begin();
    await first.conversation.ask(all);
    await cut();
    await expect(first.conversation.commit()).rejects.toThrow();
    await expect(first.conversation.rollback()).rejects.toThrow();
    first.giveBack(false);
    const second = await conversations.begin();
    await expect(second.conversation.ask(fail, [0])).rejects.toMatchObject({ code: '22012' });
    await cut();
    await expect(second.conversation.rollback()).rejects.toThrow();
    second.giveBack(false);
    expect(await kept()).toEqual([1, 2, 5]);
  });

  it('is hung up on when its work goes silent, so that its locks are free again', async () => {
    const impatient = makeConversations(pool, { maxSilentMs: 50, lookEveryMs: 10 });
    const { conversation, giveBack } = await impatient.begin();
    await conversation.ask(sql('hold', 'select from notes where id = 1 for update'));
    await root.query(`update notes set text = 'free' where id = 1`);
    await expect(conversation.ask(all)).rejects.toThrow();
    giveBack(false);
    impatient.close();
  });
});
