import { projectCreated, projectRemovalRequested, streams } from '@gpuaas/contract';
import { Type } from 'typebox';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, makeTestClock, systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { openPostgresBus } from '../../ports/bus/postgres/postgres.ts';
import { noteMs, pollMs } from './facts.ts';
import { type Listener, listener } from './index.ts';
import { addEffect, type Desk, eventually, openDesk, openWitness } from './testing.ts';

/** What consumers do with an event: one effect, whatever is delivered how often; and a dead letter when they cannot. */
let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

/** Leaves a row for every effect, so that a second one shows. */
const writesDown = (consumer: string, broken: () => boolean = () => false): Listener =>
  listener({
    event: { ...projectCreated, payload: Type.Any() },
    action: 'test.write_down',
    async effect(tx, _payload, envelope) {
      await tx.run(addEffect, [consumer, envelope.event_id]);
      // After the row: a failed try must not leave it behind.
      if (broken()) throw new Error('the consumer is broken');
      return { type: 'event', id: envelope.event_id };
    },
  });
const removals = (spec: Pick<Listener, 'effect'>): Listener =>
  listener({ event: projectRemovalRequested, action: 'test.remove', ...spec }) as Listener;
const messages = async (query = '') => {
  const reply = await desk.world.call('GET', `/api/v1/admin/dlq/messages${query}`, { as: await desk.world.operator() });
  expect(reply.status, reply.text).toBe(200);
  return reply.body.data as { stream_seq: string; event_id: string; consumer: string; reason: string; state: string }[];
};

describe('a consumer', () => {
  it('hears of an event by the wake-ups of relay and bus, with no poll to help', async () => {
    // The time of the bus stands still, and the pauses of the relay after which it would look by itself never end.
    const { url } = desk.world.schema;
    const bus = await openPostgresBus({ url, streams, log: silentLog, clock: makeTestClock() });
    onTestFinished(() => bus.close());
    let polls = 0;
    const sleepless: Clock = {
      now: systemClock.now,
      sleep(ms, signal) {
        if (ms !== pollMs && ms !== noteMs) return systemClock.sleep(ms, signal);
        polls += 1;
        return new Promise((_, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
        );
      },
    };
    await desk.consumer('woken', [writesDown('woken')], { bus });
    await desk.outbox({ bus, clock: sleepless }).startRelay();
    // Each is committed while the relay waits: the looks with which relay and consumer begin cannot find it.
    for (let sent = 1; sent <= 3; sent += 1) {
      await eventually(async () => polls >= sent);
      const event = await desk.slip('tenancy.project.created', { sent });
      await eventually(async () => (await desk.effects())[`woken ${event}`] === 1);
    }
  });

  it('that always fails leaves a dead letter; requeued, only it takes an effect', async () => {
    let broken = true;
    await desk.consumer('sturdy', [writesDown('sturdy')]);
    await desk.consumer('broken', [writesDown('broken', () => broken)]);
    const witness = await openWitness(desk.bus, 'witness', ['dlq.>']);
    await desk.outbox().startRelay();
    const event = await desk.slip('tenancy.project.created', { anything: 1 });

    await witness.until(1);
    expect(witness.seen[0]).toMatchObject({
      subject: 'dlq.tenancy.project.created',
      envelope: { event_id: event, payload: { anything: 1 } },
    });
    const [letter] = await messages('?subject_prefix=dlq.tenancy.');
    expect(letter).toMatchObject({
      ...{ event_id: event, consumer: 'broken', origin: 'consume', attempts: 2, reason: 'the consumer is broken' },
    });
    expect(await messages('?subject_prefix=dlq.billing.')).toEqual([]);
    expect(await desk.effects()).toEqual({ [`sturdy ${event}`]: 1 });

    broken = false;
    const settle = (how: string) =>
      desk.world.operator().then((as) =>
        desk.world.call('POST', `/api/v1/admin/dlq/messages/${letter?.stream_seq}/${how}`, {
          ...{ as, key: systemIds.next(), body: { reason: 'it is repaired' } },
        }),
      );
    expect((await settle('requeue')).body).toMatchObject({ event_id: event, state: 'requeued' });
    expect((await settle('requeue')).status).toBe(409);
    expect((await settle('discard')).status).toBe(409);
    await eventually(async () => `broken ${event}` in (await desk.effects()));
    // The sturdy one got the copy too, at the same moment: wait until its queue is empty, then look.
    await eventually(async () => (await idle('sturdy')) && (await idle('broken')));
    expect(await desk.effects()).toEqual({ [`sturdy ${event}`]: 1, [`broken ${event}`]: 1 });
    expect(await messages()).toEqual([]);
  });

  it('takes one effect of an event that is delivered five times', async () => {
    const deliveries: string[] = [];
    const once = writesDown('once');
    await desk.consumer('once', [
      { ...once, before: async (_payload, envelope) => void deliveries.push(envelope.event_id) },
    ]);
    const eventId = await desk.slip('tenancy.project.created', {});
    const { rows: kept } = await desk.world.root.query(
      'select position, envelope from outbox_events where event_id = $1',
      [eventId],
    );
    const { position, envelope } = kept[0];
    await desk.bus.publish(
      [1, 2, 3, 4, 5].map((copy) => ({ id: `${position}.${copy}`, subject: envelope.event_type, key: 'k', envelope })),
    );
    await eventually(async () => deliveries.length === 5 && (await idle('once')));
    expect(await desk.effects()).toEqual({ [`once ${eventId}`]: 1 });
    const { rows } = await desk.world.root.query(
      `select count(*)::int as n from audit_logs where action = 'test.write_down'`,
    );
    expect(rows[0].n).toBe(1);
  });

  it('buries a payload that is not as declared without touching anything', async () => {
    let effects = 0;
    await desk.consumer('strict', [
      removals({
        effect: async () => {
          effects += 1;
          return { type: 'project', id: 'none' };
        },
      }),
    ]);
    await desk.outbox().startRelay();
    const event = await desk.slip('tenancy.project.removal_requested', { project_id: 'not an id', version: 'one' });
    const [letter] = await eventually(async () => {
      const found = await messages('?subject_prefix=dlq.tenancy.project.removal_requested');
      return found.length > 0 && found;
    });
    expect(letter).toMatchObject({ event_id: event, consumer: 'strict' });
    expect(letter?.reason).toContain('not as declared');
    expect(effects).toBe(0);
  });

  it('buries what Postgres could not keep as it is: zero bytes and half characters', async () => {
    await desk.consumer('strict', [writesDown('strict', () => true)], { maxAttempts: 1 });
    const eventId = systemIds.next();
    const envelope = {
      ...{ event_id: eventId, event_type: 'tenancy.project.created', version: '1.0', correlation_id: 'odd' },
      ...{ occurred_at: new Date().toISOString(), payload: { text: 'zero \0 and half \ud800', '\0key': 1 } },
    };
    await desk.bus.publish([{ id: eventId, subject: envelope.event_type, key: 'k', envelope }]);
    const [letter] = await eventually(async () => {
      const found = await messages();
      return found.length > 0 && found;
    });
    expect(letter?.event_id).toBe(eventId);
    await eventually(() => idle('strict'));
  });
});

async function idle(consumer: string): Promise<boolean> {
  const { rows } = await desk.world.root.query<{ n: number }>(
    `select count(*)::int as n from bus.job where name = $1 and state < 'completed'`,
    [consumer],
  );
  return rows[0]?.n === 0;
}
