import { projectCreated } from '@gpuaas/contract';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { asSystem } from '../../testing/world.ts';
import { listener, relayName } from './index.ts';
import { addEffect, eventually, openDesk, openWitness } from './testing.ts';

const dayMs = 86_400_000;

/** Leaves a row for every effect, so that a second one shows. */
const writesDown = listener({
  event: { ...projectCreated, payload: Type.Any() },
  action: 'test.write_down',
  async effect(tx, _payload, envelope) {
    await tx.run(addEffect, ['diary', envelope.event_id]);
    return { type: 'event', id: envelope.event_id };
  },
});

describe('a bus that lost everything', () => {
  it('is filled again from the outbox: nothing is lost, and no effect is repeated', async () => {
    const desk = await openDesk();
    try {
      await desk.outbox().startRelay();
      const consuming = await desk.consumer('diary', [writesDown]);
      const early = [await desk.slip('tenancy.project.created', { n: 1 }), await desk.slip('tenancy.other', {})];
      await eventually(async () => Object.keys(await desk.effects()).length === 1);
      await consuming.close();
      // Published, and waiting for a consumer that is away, when the bus is lost.
      const lost = await desk.slip('tenancy.project.created', { n: 2 });
      await eventually(async () => (await desk.relayDb.outbox.backlog(relayName)).pending === 0);
      desk.bus.away = true;
      await desk.bus.replace();
      const during = await desk.slip('tenancy.project.created', { n: 3 });

      await desk.consumer('diary', [writesDown]);
      const witness = await openWitness(desk.bus, 'witness');
      desk.bus.away = false;
      // The relay is running, and idle or in the middle of something: it must notice either way.
      await desk.relayDb.outbox.rewind(relayName);

      await witness.until(4);
      await eventually(async () => Object.keys(await desk.effects()).length === 3);
      expect(new Set(witness.seen.map(({ envelope }) => envelope.event_id))).toEqual(new Set([...early, lost, during]));
      expect(await desk.effects()).toEqual({
        [`diary ${early[0]}`]: 1,
        [`diary ${lost}`]: 1,
        [`diary ${during}`]: 1,
      });
    } finally {
      await desk.close();
    }
  });
});

describe('housekeeping', () => {
  it('removes what is published and old, replies that expired, and what consumers need not remember', async () => {
    const clock = makeTestClock();
    const desk = await openDesk({ clock });
    try {
      const { root } = desk.world;
      const outbox = desk.outbox();
      const stop = new AbortController();
      const tidy = () => outbox.housekeeping.round(stop.signal);
      const count = async (table: 'outbox_events' | 'idempotency_records' | 'consumed_events') => {
        const statements = {
          outbox_events: 'select count(*)::int as n from outbox_events',
          idempotency_records: 'select count(*)::int as n from idempotency_records',
          consumed_events: 'select count(*)::int as n from consumed_events',
        };
        return (await root.query<{ n: number }>(statements[table])).rows[0]?.n;
      };
      const publishAll = async () => {
        const reader = await desk.relayDb.outbox.lead(relayName, stop.signal);
        // A transaction of somebody else on the server may hold the end of the outbox back for a moment.
        await eventually(async () => {
          const last = (await reader.next(100)).at(-1);
          if (last) await reader.settle(last.position);
          else return (await desk.relayDb.outbox.backlog(relayName)).pending === 0;
        });
        await reader.close();
      };
      const consumed = (eventId: string) =>
        asSystem(root, 'insert into consumed_events (consumer, event_id, consumed_at) values ($1, $2, $3)', [
          ...['diary', eventId, clock.now()],
        ]);

      // Two events and two replies of the api, one event of which a letter lies open.
      await desk.world.found('acme');
      const { rows } = await root.query<{ event_id: string }>('select event_id from outbox_events order by position');
      for (const { event_id } of rows) await consumed(event_id);
      const buried = systemIds.next();
      await consumed(buried);
      await asSystem(
        root,
        `insert into dead_letters (event_id, subject, origin, consumer, key, envelope, attempts, reason)
         values ($1, 'dlq.tenancy.x', 'consume', 'other', 'k', '{}', 5, 'broken')`,
        [buried],
      );
      await publishAll();
      await tidy();
      expect([await count('outbox_events'), await count('idempotency_records')]).toEqual([2, 2]);

      await clock.advance(25 * 3_600_000);
      await tidy();
      expect([await count('outbox_events'), await count('idempotency_records')]).toEqual([2, 0]);

      await clock.advance(10 * dayMs);
      // Old and not published: kept, and with it what consumers know.
      await desk.relayDb.outbox.rewind(relayName);
      await tidy();
      expect([await count('outbox_events'), await count('consumed_events')]).toEqual([2, 3]);
      await publishAll();
      const fresh = await desk.slip('tenancy.fresh', {});
      await consumed(fresh);
      await tidy();
      await tidy();
      expect(await count('outbox_events')).toBe(1);
      const left = await root.query<{ event_id: string }>('select event_id from consumed_events order by event_id');
      expect(left.rows.map((row) => row.event_id).sort()).toEqual([buried, fresh].sort());
    } finally {
      await desk.close();
    }
  });
});
