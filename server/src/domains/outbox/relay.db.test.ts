import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { type Desk, eventually, openDesk, openWitness } from './testing.ts';

/** The way from the commit to the bus, over a real database and a real bus, with what may go wrong on it. */
let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const rename = async (token: string, projectId: string, name: string) => {
  const project = await desk.world.call('GET', `/api/v1/projects/${projectId}`, { as: token });
  const reply = await desk.world.call('PATCH', `/api/v1/projects/${projectId}`, {
    ...{ as: token, key: systemIds.next(), body: { name, version: project.body.version } },
  });
  expect(reply.status, reply.text).toBe(200);
};
const leaders = async () => {
  const { rows } = await desk.world.root.query<{ pid: number }>(
    `select l.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and a.application_name = 'gpuaas outbox-relay'
       and a.datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
};
const ids = (messages: readonly { envelope: { event_id: string } }[]) =>
  messages.map(({ envelope }) => envelope.event_id);
const outboxIds = async () => {
  const { rows } = await desk.world.root.query<{ event_id: string }>(
    'select event_id from outbox_events order by position',
  );
  return rows.map((row) => row.event_id);
};
const gauge = (text: string, name: string) =>
  Number(new RegExp(`^${name}(?:\\{[^}]*\\})? ([0-9.e+-]+)$`, 'm').exec(text)?.[1] ?? Number.NaN);

describe('the relay', () => {
  it('carries every committed event to the bus, in the order of the commits', async () => {
    const witness = await openWitness(desk.bus, 'witness');
    await desk.outbox().startRelay();
    const acme = await desk.world.found('acme');
    for (let turn = 0; turn < 12; turn += 1) await rename(acme.token, acme.projectId, `Name ${turn}`);
    const refused = await desk.world.call('POST', `/api/v1/organizations/${acme.organizationId}/projects`, {
      ...{ as: acme.token, key: systemIds.next(), body: { name: 'Again', slug: 'first' } },
    });
    expect(refused.status).toBe(409);

    await witness.until(14);
    expect(ids(witness.seen)).toEqual(await outboxIds());
    expect(witness.seen.slice(2).map(({ envelope }) => (envelope.payload as { name: string }).name)).toEqual(
      Array.from({ length: 12 }, (_, turn) => `Name ${turn}`),
    );
  });

  it('does not skip an event whose transaction took its place early and committed late', async () => {
    const witness = await openWitness(desk.bus, 'witness');
    await desk.outbox().startRelay();
    const slow = new (await import('pg')).default.Client({ connectionString: desk.world.schema.url });
    await slow.connect();
    const early = systemIds.next();
    const envelope = { event_id: early, event_type: 'tenancy.early', version: '1.0', correlation_id: 'early' };
    await slow.query('begin');
    await slow.query(
      `insert into outbox_events (event_id, message_id, subject, key, envelope) values ($1, $2, 'tenancy.early', 'k', $3)`,
      [early, early, JSON.stringify({ ...envelope, occurred_at: new Date().toISOString(), payload: {} })],
    );
    const late = await desk.slip('tenancy.late', {});
    await slow.query('commit');
    await slow.end();

    await witness.until(2);
    expect(ids(witness.seen)).toEqual([early, late]);
  });

  it('is told when events wait for an older transaction, so that it looks again soon', async () => {
    const older = new (await import('pg')).default.Client({ connectionString: desk.world.schema.url });
    await older.connect();
    await older.query('begin');
    await older.query('select pg_current_xact_id()');
    const event = await desk.slip('tenancy.held', {});
    const reader = await desk.relayDb.outbox.lead('outbox-relay', new AbortController().signal);
    expect(await reader.next(10)).toEqual([]);
    expect(reader.isHeldUp()).toBe(true);
    await older.query('commit');
    await older.end();
    const [row] = await eventually(async () => {
      const rows = await reader.next(10);
      return rows.length > 0 && rows;
    });
    expect(row?.envelope).toMatchObject({ event_id: event });
    await reader.close();
  });

  it('makes a dead letter of what the bus refuses, and goes on with the rest', async () => {
    const witness = await openWitness(desk.bus, 'witness');
    await desk.outbox({ maxAttempts: 3 }).startRelay();
    const homeless = await desk.slip('nowhere.happened', { what: 1 });
    const huge = await desk.slip('tenancy.huge', { text: 'x'.repeat(1_100_000) });
    const fine = await desk.slip('tenancy.fine', {});
    await witness.until(1, ({ subject }) => subject === 'tenancy.fine');
    await witness.until(1, ({ subject }) => subject === 'dlq.nowhere.happened');
    expect(ids(witness.seen.filter(({ subject }) => subject === 'dlq.nowhere.happened'))).toEqual([homeless]);
    expect(ids(witness.seen.filter(({ subject }) => subject === 'tenancy.fine'))).toEqual([fine]);

    const operator = await desk.world.operator();
    const listed = await eventually(async () => {
      const reply = await desk.world.call('GET', '/api/v1/admin/outbox/failed', { as: operator });
      expect(reply.status).toBe(200);
      return reply.body.data.length === 2 && reply.body.data;
    });
    expect(listed.map((letter: { event_id: string }) => letter.event_id).sort()).toEqual([homeless, huge].sort());
    expect(listed.find((letter: { event_id: string }) => letter.event_id === homeless)).toMatchObject({
      ...{ subject: 'dlq.nowhere.happened', origin: 'publish', consumer: null, attempts: 3, state: 'open' },
      ...{ correlation_id: `slipped-${homeless}`, reason: 'no stream keeps nowhere.happened' },
    });
    const { rows } = await desk.world.root.query(
      `select count(*)::int as n from audit_logs where action = 'event.bury' and result = 'failure'`,
    );
    expect(rows[0].n).toBe(2);
  });

  it('publishes a requeued event again under its own id; what is settled stays settled', async () => {
    const operator = await desk.world.operator();
    const say = (event: string, how: 'requeue' | 'discard') =>
      desk.world.call('POST', `/api/v1/admin/outbox/${event}/${how}`, {
        ...{ as: operator, key: systemIds.next(), body: { reason: 'the stream is there now' } },
      });
    const outbox = desk.outbox({ maxAttempts: 1 });
    await outbox.startRelay();
    const lost = await desk.slip('nowhere.lost', {});
    const wanted = await desk.slip('nowhere.wanted', {});
    const open = async () => {
      const reply = await desk.world.call('GET', '/api/v1/admin/outbox/failed', { as: operator });
      return reply.body.data.map((letter: { event_id: string }) => letter.event_id) as string[];
    };
    await eventually(async () => (await open()).length === 2);

    expect((await say(lost, 'discard')).body).toMatchObject({ event_id: lost, state: 'discarded' });
    expect(await open()).toEqual([wanted]);
    expect((await say(lost, 'discard')).status).toBe(409);
    expect((await say(lost, 'requeue')).body).toMatchObject({ code: 'event_already_settled' });

    // It is refused again, under the same id: the letter that was requeued stays so, and a new one is open.
    expect((await say(wanted, 'requeue')).body).toMatchObject({ event_id: wanted, state: 'requeued' });
    await eventually(async () => (await open()).length === 1);
    const { rows } = await desk.world.root.query(
      'select state, event_id from dead_letters where event_id = $1 order by seq',
      [wanted],
    );
    expect(rows.map((row) => row.state)).toEqual(['requeued', 'open']);
    expect((await say(systemIds.next(), 'requeue')).status).toBe(404);
  });

  it('waits for a bus that is away, with growing pauses, and then publishes everything in order', async () => {
    const witness = await openWitness(desk.bus, 'witness');
    const outbox = desk.outbox();
    await outbox.startRelay();
    desk.bus.away = true;
    const acme = await desk.world.found('acme');
    for (let turn = 0; turn < 3; turn += 1) await rename(acme.token, acme.projectId, `Name ${turn}`);
    // 50, 100, 200, 400 ms: a relay that did not pause would have tried hundreds of times by now.
    await eventually(async () => desk.bus.refusedCalls >= 4);
    expect(desk.bus.refusedCalls).toBeLessThan(10);
    expect(witness.seen).toEqual([]);
    expect(gauge(await outbox.scrape(), 'gpuaas_outbox_pending')).toBe(5);
    desk.bus.away = false;
    await witness.until(5);
    expect(ids(witness.seen)).toEqual(await outboxIds());
    const { rows } = await desk.world.root.query('select count(*)::int as n from dead_letters');
    expect(rows[0].n).toBe(0);
  });

  it('takes the lead again when its connection is cut, and loses nothing', async () => {
    const witness = await openWitness(desk.bus, 'witness');
    const relay = await desk.outbox().startRelay();
    await desk.slip('tenancy.before', {});
    await witness.until(1);
    const [before] = await eventually(async () => ((await leaders()).length === 1 ? leaders() : undefined));
    await desk.world.root.query('select pg_terminate_backend($1)', [before]);
    await desk.slip('tenancy.after', {});
    await witness.until(2);
    const [after] = await leaders();
    expect(after).not.toBe(before);
    expect(relay.waiting()).toBe(false);
    expect(ids(witness.seen)).toEqual(await outboxIds());
  });

  it('has one leader of two, and the other takes over when it ends', async () => {
    const witness = await openWitness(desk.bus, 'witness');
    const first = await desk.outbox().startRelay();
    await eventually(async () => !first.waiting());
    const second = await desk.outbox({ db: await desk.anotherRelayDb() }).startRelay();
    await desk.slip('tenancy.one', {});
    await witness.until(1);
    expect(await leaders()).toHaveLength(1);
    expect([first.waiting(), second.waiting()]).toEqual([false, true]);

    await first.close();
    await desk.slip('tenancy.two', {});
    await witness.until(2);
    expect(second.waiting()).toBe(false);
    expect(ids(witness.seen)).toEqual(await outboxIds());
  });

  it('starts over when it is rewound, also while it runs and has nothing to do', async () => {
    const witness = await openWitness(desk.bus, 'witness');
    const outbox = desk.outbox();
    await outbox.startRelay();
    await desk.slip('tenancy.once', {});
    await witness.until(1);
    await eventually(async () => gauge(await outbox.scrape(), 'gpuaas_outbox_pending') === 0);
    await desk.relayDb.outbox.rewind('outbox-relay');
    // The bus of today still knows the id, and drops what a bus that lost everything would take.
    await eventually(async () => /published_total\{outcome="duplicate".* 1$/m.test(await outbox.scrape()));
    expect(ids(witness.seen)).toEqual(await outboxIds());
  });

  it('refuses a mark that counts transactions of another server instead of skipping what is new', async () => {
    await desk.world.root.query(
      `insert into relay_watermarks (relay, transaction_from, transaction_to, position)
       values ('outbox-relay', '900000000', '900000000', 0)`,
    );
    const stop = new AbortController();
    await expect(desk.relayDb.outbox.lead('outbox-relay', stop.signal)).rejects.toThrow('another server');
    // The lead was let go: whoever repaired the mark gets it.
    await desk.world.root.query(`update relay_watermarks set transaction_from = '0', transaction_to = '0'`);
    const reader = await desk.relayDb.outbox.lead('outbox-relay', stop.signal);
    await reader.close();
  });

  it('shows in its metrics what waits, for how long, and what lies dead', async () => {
    const outbox = desk.outbox({ maxAttempts: 1 });
    desk.bus.away = true;
    await outbox.startRelay();
    await desk.slip('tenancy.waits', {});
    await desk.slip('nowhere.waits', {});
    const waiting = await outbox.scrape();
    expect(gauge(waiting, 'gpuaas_outbox_pending')).toBe(2);
    expect(gauge(waiting, 'gpuaas_outbox_oldest_age_seconds')).toBeGreaterThan(0);
    desk.bus.away = false;
    const done = await eventually(async () => {
      const text = await outbox.scrape();
      return text.includes('gpuaas_dlq_depth{stream="nowhere"') && gauge(text, 'gpuaas_outbox_pending') === 0 && text;
    });
    expect(gauge(done, 'gpuaas_dlq_depth')).toBe(1);
    expect(gauge(done, 'gpuaas_outbox_oldest_age_seconds')).toBe(0);
  });
});
