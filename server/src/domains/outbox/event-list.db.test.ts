import type { LoggedEvent } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';

let world: World;
let acme: Tenant;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  acme = await world.found('acme');
  operator = await world.operator();
});
afterAll(() => world.close());

const list = async (query = ''): Promise<LoggedEvent[]> =>
  (await world.call('GET', `/api/v1/admin/events?${query}`, { as: operator })).body.data;
const rename = async (name: string) =>
  world.call('PATCH', `/api/v1/projects/${acme.projectId}`, { as: acme.token, key: systemIds.next(), body: { name } });

describe('the events that are kept', () => {
  it('are listed newest first, with all that they say', async () => {
    await rename('One');
    await rename('Two');
    const events = await list(`about=${acme.projectId}&type=tenancy.project.changed`);
    expect(events.map(({ envelope }) => (envelope as { payload: { name: string } }).payload.name)).toEqual([
      'Two',
      'One',
    ]);
    expect(events[0]).toMatchObject({ organization_id: acme.organizationId, project_id: acme.projectId });
  });

  it('are narrowed by the first words of their type, never by half a word', async () => {
    await rename('Three');
    expect((await list('type=tenancy.project')).length).toBeGreaterThan(0);
    expect(await list('type=tenancy.proj')).toEqual([]);
    expect(await list(`organization_id=${systemIds.next()}`)).toEqual([]);
  });

  it('say whether the relay has taken them to the bus', async () => {
    await rename('Four');
    expect((await list('limit=1'))[0]?.is_published).toBe(false);
    await world.root.query(
      `insert into relay_watermarks (relay, transaction_from, transaction_to, position)
       select 'outbox-relay', pg_snapshot_xmax(pg_current_snapshot()), pg_snapshot_xmax(pg_current_snapshot()), 0`,
    );
    expect((await list('limit=1'))[0]?.is_published).toBe(true);
  });

  it('have their dead letters, each with the event that it was', async () => {
    const eventId = systemIds.next();
    const payload = { name: 'Lost' };
    await asSystem(
      world.root,
      `insert into dead_letters (event_id, subject, origin, consumer, key, envelope, attempts, reason)
       values ($1, 'dlq.tenancy.project.created', 'consume', 'somebody', 'k', $2, 5, 'it failed')`,
      [eventId, { event_id: eventId, event_type: 'tenancy.project.created', correlation_id: 'c', payload }],
    );
    const { rows } = await world.root.query('select seq::text as seq from dead_letters where event_id = $1', [eventId]);
    const found = await world.call('GET', `/api/v1/admin/dlq/messages/${rows[0].seq}`, { as: operator });
    expect(found.body).toMatchObject({ event_id: eventId, reason: 'it failed', envelope: { payload } });
    const absent = await world.call('GET', '/api/v1/admin/dlq/messages/999999999', { as: operator });
    expect(absent.body.code).toBe('event_not_found');
  });
});
