import { type Envelope, projectCreated, streams } from '@gpuaas/contract';
import pg from 'pg';
import { Type } from 'typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { openPostgresBus } from '../../ports/bus/postgres/postgres.ts';
import { asSystem } from '../../testing/world.ts';
import { messageIdOf, positionOf } from './committed-store.ts';
import { type Listener, listener, relayName } from './index.ts';
import { addEffect, type Desk, eventually, openDesk } from './testing.ts';

/** An attacker who has the login of the bus and nothing else: a stolen email-worker that wants other processes to act. */
let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const subject = 'tenancy.project.created';
const writesDown = (consumer: string, extra: Partial<Listener> = {}): Listener =>
  listener({
    event: { ...projectCreated, payload: Type.Any() },
    action: 'test.write_down',
    async effect(tx, _payload, envelope) {
      await tx.run(addEffect, [consumer, envelope.event_id]);
      return { type: 'event', id: envelope.event_id };
    },
    ...extra,
  });
const envelopeOf = (eventId: string, payload: object): Envelope => ({
  ...{ event_id: eventId, event_type: subject, version: '1.0', correlation_id: `forged-${eventId}`, payload },
  occurred_at: new Date().toISOString(),
});
const rowOf = async (eventId: string) => {
  const { rows } = await desk.world.root.query<{ position: string; messageId: string; envelope: Envelope }>(
    `select position::text as position, message_id as "messageId", envelope from outbox_events where event_id = $1`,
    [eventId],
  );
  if (!rows[0]) throw new Error('the outbox has no such event');
  return rows[0];
};
/** Publishes past the outbox, as the login of the bus can. */
async function forge(id: string, envelope: Envelope): Promise<void> {
  const bus = await openPostgresBus({ url: desk.world.schema.url, streams, log: silentLog });
  expect(await bus.publish([{ id, subject: envelope.event_type, key: 'k', envelope }])).toEqual(['stored']);
  await bus.close();
}
const letters = async () => {
  const { rows } = await desk.world.root.query(
    `select seq::text as seq, event_id, consumer, position::text as position, reason from dead_letters order by seq`,
  );
  return rows as { seq: string; event_id: string; consumer: string; position: string | null; reason: string }[];
};
const settle = async (seq: string | undefined, how: string) =>
  desk.world.call('POST', `/api/v1/admin/dlq/messages/${seq}/${how}`, {
    ...{ as: await desk.world.operator(), key: systemIds.next(), body: { reason: 'looked at it' } },
  });

describe('an event that no process committed', () => {
  it('has no effect and starts nothing: it is a dead letter that an operator can only discard', async () => {
    const begun: string[] = [];
    await desk.consumer('diary', [writesDown('diary')], { maxAttempts: 1 });
    await desk.consumer(
      'starter',
      [writesDown('starter', { before: async (_, { event_id }) => void begun.push(event_id) })],
      {
        maxAttempts: 1,
      },
    );
    const made = systemIds.next();
    await forge(`1.${made}`, envelopeOf(made, { release: 'everything' }));
    const found = await eventually(async () => {
      const those = await letters();
      return those.length === 2 && those;
    });
    expect(found.map(({ event_id, position }) => [event_id, position])).toEqual([
      [made, null],
      [made, null],
    ]);
    expect(found[0]?.reason).toContain('The outbox holds no tenancy.project.created');
    expect([begun, await desk.effects()]).toEqual([[], {}]);
    expect(await settle(found[0]?.seq, 'requeue')).toMatchObject({
      status: 409,
      body: { code: 'event_not_committed' },
    });
    expect((await settle(found[0]?.seq, 'discard')).status).toBe(200);
  });

  it('does not pass under the position of a real one, with a payload, an organization or a project of its own', async () => {
    await desk.consumer('diary', [writesDown('diary')], { maxAttempts: 1 });
    const real = await desk.slip(subject, { n: 1 });
    const row = await rowOf(real);
    const changed: Partial<Envelope>[] = [
      { payload: { n: 2 } },
      { organization_id: systemIds.next() },
      { project_id: systemIds.next() },
      { event_id: systemIds.next() },
      { correlation_id: 'another' },
    ];
    for (const [index, change] of changed.entries()) {
      await forge(`${row.position}.${index}`, { ...row.envelope, ...change });
    }
    await forge('no-position', row.envelope);
    await eventually(async () => (await desk.world.root.query(idle)).rows[0].waiting === 0);
    expect(await desk.effects()).toEqual({});
    // The real one still happens, once, though its id was used by forgeries.
    await desk.outbox().startRelay();
    await eventually(async () => `diary ${real}` in (await desk.effects()));
    await forge(`${row.position}.again`, row.envelope);
    await eventually(async () => (await desk.world.root.query(idle)).rows[0].waiting === 0);
    expect(await desk.effects()).toEqual({ [`diary ${real}`]: 1 });
  });

  it('cannot be made of a dead letter that a stolen process wrote itself', async () => {
    const real = await desk.slip(subject, { n: 1 });
    const { position } = await rowOf(real);
    const write = (eventId: string, at: string | null) =>
      asSystem(
        desk.world.root,
        `insert into dead_letters (event_id, subject, origin, consumer, key, envelope, attempts, reason, position)
         values ($1, 'dlq.tenancy.project.created', 'consume', 'diary', 'k', $2, 1, 'please', $3)`,
        [eventId, JSON.stringify(envelopeOf(eventId, { n: 666 })), at],
      );
    const forged = systemIds.next();
    await write(forged, null);
    await write(systemIds.next(), position);
    await write(real, position);
    const [none, foreign, own] = await letters();
    for (const letter of [none, foreign]) {
      expect((await settle(letter?.seq, 'requeue')).body).toMatchObject({ code: 'event_not_committed' });
    }
    expect((await settle(own?.seq, 'requeue')).status).toBe(200);
    const { rows } = await desk.world.root.query(
      `select envelope -> 'payload' as payload from outbox_events where event_id = $1 and message_id <> event_id::text`,
      [real],
    );
    expect(rows).toEqual([{ payload: { n: 1 } }]);
  });

  it('does not keep the letter of the real event out: that one takes its place and can be sent again', async () => {
    const mailer = await openDesk({ consumersAs: 'gpuaas_mailer' });
    try {
      const broken = listener({
        event: { ...projectCreated, payload: Type.Any() },
        action: 'test.break',
        effect: async () => {
          throw new Error('the consumer is broken');
        },
      });
      await mailer.consumer('email-worker', [broken], { maxAttempts: 1 });
      const real = await mailer.slip(subject, { n: 1 });
      const { rows } = await mailer.world.root.query(
        'select position::text as position, envelope from outbox_events where event_id = $1',
        [real],
      );
      const bus = await openPostgresBus({ url: mailer.world.schema.url, streams, log: silentLog });
      const envelope = { ...rows[0].envelope, payload: { n: 666 } };
      await bus.publish([{ id: 'no-position', subject, key: 'k', envelope }]);
      await bus.close();
      const letter = async () =>
        (
          await mailer.world.root.query(
            `select seq::text as seq, position::text as position, envelope -> 'payload' as payload, reason from dead_letters`,
          )
        ).rows;
      expect((await eventually(async () => (await letter())[0])).position).toBeNull();
      await mailer.outbox().startRelay();
      const found = await eventually(async () => (await letter()).find((each) => each.position !== null));
      expect([found, (await letter()).length]).toMatchObject([{ position: rows[0].position, payload: { n: 1 } }, 1]);
      expect(found.reason).toBe('the consumer is broken');
      const requeued = await mailer.world.call('POST', `/api/v1/admin/dlq/messages/${found.seq}/requeue`, {
        ...{ as: await mailer.world.operator(), key: systemIds.next(), body: { reason: 'it is repaired' } },
      });
      expect(requeued.status, requeued.text).toBe(200);
    } finally {
      await mailer.close();
    }
  });

  it('is all that a login of a consumer can ask about: the function answers yes or no, to those who know the event', async () => {
    const real = await desk.slip(subject, { n: 1 });
    const { position, envelope } = await rowOf(real);
    for (const family of ['gpuaas_mailer', 'gpuaas_notifier', 'gpuaas_webhooks'] as const) {
      const client = new pg.Client({ connectionString: desk.world.schema.as(family) });
      await client.connect();
      const ask = (text: string) =>
        client.query('select event_committed($1, $2, $3) as committed', [position, real, text]);
      expect((await ask(JSON.stringify(envelope))).rows).toEqual([{ committed: true }]);
      expect((await ask('{}')).rows).toEqual([{ committed: false }]);
      await expect(client.query('select envelope from outbox_events')).rejects.toThrow(/permission denied/);
      await client.end();
    }
  });
});

describe('the row of an event', () => {
  it('stays for as long as the bus may deliver it, or a dead letter of it is open', async () => {
    const clock = makeTestClock();
    const old = await openDesk({ clock });
    try {
      const ordinary = await old.slip(subject, { n: 1 });
      const payment = await old.slip('payments.session.completed', { n: 2 });
      const buried = await old.slip(subject, { n: 3 });
      await old.world.root.query('update outbox_events set created_at = $1', [clock.now()]);
      const { rows } = await old.world.root.query(`select position::text from outbox_events where event_id = $1`, [
        buried,
      ]);
      await asSystem(
        old.world.root,
        `insert into dead_letters (event_id, subject, origin, consumer, key, envelope, attempts, reason, position)
         values ($1, 'dlq.tenancy.project.created', 'consume', 'diary', 'k', '{}', 1, 'broken', $2)`,
        [buried, rows[0].position],
      );
      const stop = new AbortController();
      const reader = await old.relayDb.outbox.lead(relayName, stop.signal);
      await eventually(async () => {
        const last = (await reader.next(100)).at(-1);
        if (last) await reader.settle(last.position);
        else return (await old.relayDb.outbox.backlog(relayName)).pending === 0;
      });
      await reader.close();
      const kept = async () => {
        await old.outbox().housekeeping.round(stop.signal);
        const left = await old.world.root.query<{ event_id: string }>('select event_id from outbox_events');
        return [ordinary, payment, buried].filter((id) => left.rows.some(({ event_id }) => event_id === id));
      };
      expect(await kept()).toEqual([ordinary, payment, buried]);
      await clock.advance(8 * 86_400_000);
      expect(await kept()).toEqual([payment, buried]);
      await clock.advance(23 * 86_400_000);
      expect(await kept()).toEqual([buried]);
    } finally {
      await old.close();
    }
  });

  it('is named by the id of the message', () => {
    expect(positionOf({ id: messageIdOf({ position: '17', messageId: 'x:2' }) })).toBe('17');
    for (const id of ['x', '0.x', '-1.x', '17', '9999999999999999999.x', 'dlq:diary:17.x']) {
      expect(positionOf({ id })).toBeUndefined();
    }
  });
});

const idle = `select count(*)::int as waiting from bus.job where name = 'diary' and state < 'completed'`;
