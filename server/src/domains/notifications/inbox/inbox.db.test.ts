import { type Envelope, events } from '@gpuaas/contract';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { asSystem, type Tenant } from '../../../testing/world.ts';
import { putAllocation } from '../../allocations/testing.ts';
import { type Desk, eventually, openDesk } from '../../outbox/testing.ts';
import { openNotificationRelay, relayProcess } from '../index.ts';

let desk: Desk;
let home: Tenant;
let member: string;
let relay: Awaited<ReturnType<typeof openNotificationRelay>>;
const woken: string[] = [];
beforeAll(async () => {
  desk = await openDesk({ consumersAs: 'gpuaas_notifier' });
  relay = await openNotificationRelay({
    db: desk.workerDb.database,
    bus: desk.bus,
    cache: { publish: async (_channel, message) => void woken.push(...message.split(',')) },
    begin: actsOf(relayProcess, systemIds),
    ids: systemIds,
    clock: systemClock,
    log: silentLog,
    policy: (key) => (key === 'notifications.digest_hour_utc' ? 7 : 90),
    maxAttempts: 3,
  });
  await desk.outbox().startRelay();
  home = await desk.world.found('home');
  member = await desk.world.join('member', home, 'member');
});
afterAll(async () => {
  await relay?.close();
  await desk?.close();
});

const list = (as: string, query = '') => desk.world.call('GET', `/api/v1/me/notifications${query}`, { as });
const count = async (as: string) =>
  (await desk.world.call('GET', '/api/v1/me/notifications/count', { as })).body.unread;
const post = (as: string, body: object) =>
  desk.world.call('POST', '/api/v1/me/notifications/read', { as, key: systemIds.next(), body });
const choose = (as: string, kind: string, body: object) =>
  desk.world.call('PUT', `/api/v1/me/notification-preferences/${kind}`, { as, key: systemIds.next(), body });
const idOf = async (token: string): Promise<string> => {
  const { rows } = await desk.world.root.query('select id from users where oidc_subject = $1', [decodeJwt(token).sub]);
  return rows[0].id;
};

/** An event as a process of ours would leave it. */
async function happen(type: string, payload: object, about: Partial<Envelope> = {}): Promise<string> {
  const eventId = systemIds.next();
  const envelope: Envelope = {
    ...{ event_id: eventId, event_type: type, version: '1.0', correlation_id: `test-${eventId}`, payload },
    occurred_at: desk.world.now().toISOString(),
    organization_id: home.organizationId,
    ...about,
  };
  await asSystem(
    desk.world.root,
    `insert into outbox_events (event_id, message_id, subject, key, organization_id, envelope) values ($1, $6, $2, $3, $4, $5)`,
    [eventId, type, eventId, envelope.organization_id, JSON.stringify(envelope), eventId],
  );
  await desk.world.root.query(`select pg_notify('gpuaas_outbox', '')`);
  return eventId;
}
const paid = (amount = '2500') =>
  happen('payments.balance_credited', {
    ...{ organization_id: home.organizationId, payment_id: systemIds.next(), amount_minor: amount },
    ...{ balance_minor: '5000', currency: 'USD', provider: 'simulated' },
  });
const rowsOf = async (eventId: string) =>
  (await desk.world.root.query('select * from notifications where event_id = $1', [eventId])).rows;
/** When its event was consumed, whoever was notified. */
const consumed = (eventId: string) =>
  eventually(async () => {
    const { rowCount } = await desk.world.root.query(
      `select from consumed_events where consumer = 'notification-relay' and event_id = $1`,
      [eventId],
    );
    return (rowCount ?? 0) > 0;
  });

describe('notifications', () => {
  it('of money reach owners and admins in words, and members not', async () => {
    const eventId = await paid();
    await consumed(eventId);
    const { body } = await list(home.token);
    expect(body.data[0]).toMatchObject({
      kind: 'payment_received',
      title: '25.00 USD was added to the balance of "home"',
      text: 'The balance is now 50.00 USD.',
      tone: 'good',
      read: false,
      organization_id: home.organizationId,
      link: '/billing',
      event_id: eventId,
    });
    expect((await list(member)).body.data.filter((each: { event_id: string }) => each.event_id === eventId)).toEqual(
      [],
    );
    expect(woken).toContain(await idOf(home.token));
    expect(woken).not.toContain(await idOf(member));
  });

  it('are written once for an event and a person, however often the event comes', async () => {
    const eventId = await paid();
    await consumed(eventId);
    const before = (await rowsOf(eventId)).length;
    const operator = await desk.world.operator();
    await desk.world.call('POST', '/api/v1/admin/outbox/rewind', {
      as: operator,
      key: systemIds.next(),
      body: { reason: 'the bus was lost' },
    });
    const last = await paid();
    await consumed(last);
    expect(before).toBeGreaterThan(0);
    expect(await rowsOf(eventId)).toHaveLength(before);
  });

  it('are counted, marked as read one by one or all at once, and paged by key', async () => {
    await consumed(await paid('100'));
    await consumed(await paid('200'));
    const before = await count(home.token);
    const first = await list(home.token, '?limit=1&unread=true');
    expect(first.body.has_more).toBe(true);
    const next = await list(home.token, `?limit=1&unread=true&cursor=${first.body.next_cursor}`);
    expect(next.body.data[0].id < first.body.data[0].id).toBe(true);
    expect((await post(home.token, { ids: [first.body.data[0].id] })).body).toEqual({ read: 1 });
    expect(await count(home.token)).toBe(before - 1);
    // Another person's mark changes nothing here.
    expect((await post(member, { ids: [next.body.data[0].id] })).body).toEqual({ read: 0 });
    expect((await post(home.token, {})).body).toEqual({ read: before - 1 });
    expect(await count(home.token)).toBe(0);
    expect((await list(home.token, '?unread=true')).body.data).toEqual([]);
  });

  it('tell a person of their own account and role alone', async () => {
    const person = await idOf(member);
    const eventId = await happen('tenancy.ssh_key.added', {
      ...{ ssh_key_id: systemIds.next(), fingerprint: 'SHA256:abc', user_id: person, project_id: null },
    });
    await consumed(eventId);
    const rows = await rowsOf(eventId);
    expect(rows.map(({ user_id }) => user_id)).toEqual([person]);
    expect((await list(member)).body.data[0]).toMatchObject({ kind: 'ssh_key_added', area: 'security' });
  });

  it('about money are hidden from a person who does not see to it any more', async () => {
    const guest = await desk.world.join('demoted', home, 'admin');
    await consumed(await paid('400'));
    expect((await list(guest)).body.data[0]).toMatchObject({ kind: 'payment_received' });
    const path = `/api/v1/organizations/${home.organizationId}/members/${await idOf(guest)}`;
    const demoted = await desk.world.call('PATCH', path, {
      as: home.token,
      key: systemIds.next(),
      body: { role: 'viewer' },
    });
    expect(demoted.status, demoted.text).toBe(200);
    // The notification of the new role is the last event of this person: after it, list and count stand still.
    const kinds = await eventually(async () => {
      const shown = ((await list(guest)).body.data as { kind: string }[]).map(({ kind }) => kind);
      return shown.includes('organization_role_changed') && shown;
    });
    expect(kinds).toEqual(['organization_role_changed']);
    expect(await count(guest)).toBe(1);
  });

  it('are hidden from a person who has left the organization', async () => {
    const guest = await desk.world.join('guest', home, 'admin');
    await consumed(await paid('300'));
    expect((await list(guest)).body.data[0]).toMatchObject({ kind: 'payment_received' });
    const path = `/api/v1/organizations/${home.organizationId}/members/${await idOf(guest)}`;
    const gone = await desk.world.call('DELETE', path, { as: home.token, key: systemIds.next() });
    expect(gone.status).toBe(200);
    const left = await eventually(async () => {
      const { data } = (await list(guest)).body as { data: { kind: string; title: string }[] };
      return data.length === 1 && data[0];
    });
    expect(left).toMatchObject({ title: 'You are no longer a member of "home"' });
    expect(await count(guest)).toBe(1);
  });

  it('wait for what each person chose: hidden from the list, mailed each, once a day or not at all', async () => {
    const person = await idOf(member);
    const mails = async (eventId: string) =>
      (
        await desk.world.root.query(
          `select m.daily, m.outcome, n.shown, m.due_at > now() as later from notification_mails m
           join notifications n on n.user_id = m.user_id and n.id = m.notification_id where n.event_id = $1`,
          [eventId],
        )
      ).rows;
    const change = async (role: string) => {
      const eventId = await happen('tenancy.project_member.changed', {
        ...{ project_id: home.projectId, user_id: person, role },
      });
      await consumed(eventId);
      return eventId;
    };
    expect(await mails(await change('viewer'))).toEqual([]);
    await choose(member, 'project_role_changed', { mail: 'each', inbox: false });
    expect(await mails(await change('admin'))).toEqual([
      { daily: false, outcome: 'waiting', shown: false, later: false },
    ]);
    await choose(member, 'project_role_changed', { mail: 'daily', inbox: true });
    expect(await mails(await change('viewer'))).toEqual([
      { daily: true, outcome: 'waiting', shown: true, later: true },
    ]);
    await choose(member, 'project_role_changed', { mail: 'none', inbox: false });
    const eventId = await change('admin');
    expect(await rowsOf(eventId)).toEqual([]);
  });

  it('about money and security are always mailed: that choice is refused', async () => {
    const owner = await idOf(home.token);
    const refused = await choose(home.token, 'payment_received', { mail: 'none' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'notification_required' } });
    expect((await choose(home.token, 'ssh_key_added', { mail: 'daily' })).status).toBe(409);
    expect((await choose(home.token, 'payment_received', { inbox: false })).body).toMatchObject({
      inbox: false,
      mail: 'each',
      mail_required: true,
    });
    const eventId = await paid('400');
    await consumed(eventId);
    const own = (await rowsOf(eventId)).filter(({ user_id }) => user_id === owner);
    expect(own).toMatchObject([{ shown: false }]);
    const { body } = await desk.world.call('GET', '/api/v1/me/notification-preferences', { as: home.token });
    expect(body.data.find((each: { kind: string }) => each.kind === 'payment_received')).toMatchObject({
      inbox: false,
    });
    await choose(home.token, 'payment_received', { inbox: true });
  });

  it('tell those who rent a GPU that it has a fault, and not their neighbours on the same host', async () => {
    const { root } = desk.world;
    const neighbour = await desk.world.found('neighbour');
    const ids = [await putAllocation(root, home, 'active'), await putAllocation(root, neighbour, 'active')] as const;
    const { rows } = await root.query('select node_id from allocations where id = $1', [ids[0]]);
    const node_id = rows[0].node_id as string;
    await asSystem(root, 'update allocations set node_id = $2, version = version + 1 where id = $1', [ids[1], node_id]);
    for (const [id, tenant] of [[ids[0], home] as const, [ids[1], neighbour] as const]) {
      await asSystem(root, 'update allocations set requested_by = $2, version = version + 1 where id = $1', [
        ...[id, await idOf(tenant.token)],
      ]);
    }
    const { rows: slots } = await root.query('select id from slots where node_id = $1 limit 1', [node_id]);
    const slot_id = slots[0].id as string;
    await asSystem(
      root,
      `update slots set state = 'reserved', allocation_id = $2, generation = 1, version = version + 1 where id = $1`,
      [slot_id, ids[0]],
    );
    const alert = {
      ...{ alert_id: systemIds.next(), source: 'report', kind: 'gpu_unhealthy', node_id, slot_id, allocation_id: null },
      message: 'GPU 0 of host rack-7 has fallen off the bus.',
    };
    const known = (tenantMessage: string | null) =>
      asSystem(
        root,
        `insert into alerts (id, source, kind, effect, node_id, slot_id, message, tenant_message)
         values ($1, 'health', $2, 'blocks_sale', $3, $4, $5, $6)`,
        [
          systemIds.next(),
          tenantMessage ? 'gpus_healthy' : 'storage_ready',
          node_id,
          slot_id,
          alert.message,
          tenantMessage,
        ],
      );
    const opened = (effect: string) =>
      happen('provisioning.alert.opened', { ...alert, effect }, { organization_id: undefined as never });
    // Operators see to it; nothing that the tenant could be told is known.
    await known(null);
    const quiet = await opened('blocks_sale');
    await consumed(quiet);
    expect(await rowsOf(quiet)).toEqual([]);
    await known('A GPU reports a hardware fault.');
    const eventId = await opened('blocks_sale');
    await consumed(eventId);
    const [told, ...others] = (await list(home.token)).body.data.filter(
      (each: { event_id: string }) => each.event_id === eventId,
    );
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      kind: 'gpu_failed',
      title: 'A GPU of "A test" has a fault',
      link: `/allocations/${ids[0]}`,
    });
    expect(JSON.stringify(told)).not.toContain('rack-7');
    expect((await list(neighbour.token)).body.data).toEqual([]);
    // What only informs operators reaches no tenant.
    const informing = await opened('informs');
    await consumed(informing);
    expect(await rowsOf(informing)).toEqual([]);
  });

  it('about the platform are offered only to people who operate it', async () => {
    const operator = await desk.world.operator('chooser');
    const offered = async (as: string) =>
      (await desk.world.call('GET', '/api/v1/me/notification-preferences', { as })).body.data.map(
        ({ area }: { area: string }) => area,
      );
    expect(await offered(home.token)).not.toContain('operations');
    expect(await offered(home.token)).toContain('compute');
    expect(await offered(operator)).toContain('operations');
  });

  it('tell operators of dead letters, and nobody else', async () => {
    const operator = await desk.world.operator('watcher');
    const eventId = await happen('payments.balance_credited', { not: 'as declared' });
    const told = await eventually(async () => {
      const { data } = (await list(operator)).body as { data: { kind: string; event_id: string; title: string }[] };
      return data.find((each) => each.kind === 'dead_letter' && each.event_id === eventId);
    });
    expect(told.title).toBe('An event payments.balance_credited became a dead letter');
    const rows = await rowsOf(eventId);
    expect(rows.map(({ kind }) => kind)).toEqual(rows.map(() => 'dead_letter'));
    expect((await list(home.token)).body.data.filter((each: { kind: string }) => each.kind === 'dead_letter')).toEqual(
      [],
    );
  });

  it('have words for every kind, and every event of the table exists', async () => {
    const { body } = await desk.world.call('GET', '/api/v1/me/notification-preferences', { as: home.token });
    expect(body.data.length).toBeGreaterThan(15);
    expect(events.map(({ type }) => type)).toContain('provisioning.drain_notice');
  });
});
