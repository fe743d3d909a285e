import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { auditedChange, openWorld, type World } from '../../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.found('home');
});
afterAll(() => world.close());

it('an operator sends every kept event out again, and the audit log says why', async () => {
  await world.root.query(
    `insert into relay_watermarks (relay, transaction_from, transaction_to, position) values ('outbox-relay', '9', '9', 7)`,
  );
  const kept = (await world.root.query('select count(*)::int as n from outbox_events')).rows[0].n;
  const correlationId = systemIds.next();
  const reply = await world.call('POST', '/api/v1/admin/outbox/rewind', {
    as: await world.operator(),
    key: systemIds.next(),
    body: { reason: 'the bus was lost' },
    headers: { 'x-request-id': correlationId },
  });
  expect(reply).toMatchObject({ status: 202, body: { events: kept } });
  expect(kept).toBeGreaterThan(0);
  const { rows } = await world.root.query('select position::int as position from relay_watermarks');
  expect(rows).toEqual([{ position: 0 }]);
  const audit = await world.root.query(`select action, ${auditedChange} from audit_logs l where correlation_id = $1`, [
    correlationId,
  ]);
  expect(audit.rows).toEqual([{ action: 'outbox.rewind', change: { events: kept, reason: 'the bus was lost' } }]);
});
