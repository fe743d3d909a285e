import type { Envelope } from '@gpuaas/contract';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import { hourMs } from '../../kernel/units.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openLocalWebhooks } from '../../ports/webhooks/local.ts';
import { type Receiver, startReceiver } from '../../testing/servers/receiver.ts';
import { keyringOfWorlds, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { makeDeliveryExpiry, makePosting, makeWebhookListeners, webhookProcess } from './index.ts';
import { retryInMs } from './worker.ts';

const clock = makeTestClock(new Date());
let world: World;
let worker: DatabasePort;
let home: Tenant;
let other: Tenant;
let receiver: Receiver;
let posting: ReturnType<typeof makePosting>;
const port = openLocalWebhooks();
const policy = (key: string) =>
  ({ 'webhooks.max_attempts': 3, 'webhooks.disable_after_hours': 120, 'webhooks.timeout_seconds': 15 })[key] ?? 30;
beforeAll(async () => {
  world = await openWorld({ policies: { 'webhooks.max_per_organization': 8 } });
  receiver = await startReceiver();
  const url = world.schema.as('gpuaas_webhooks');
  worker = await openPostgres({ url, clock, ids: systemIds, log: silentLog, name: 'test', poolSize: 4 });
  home = await world.found('home');
  other = await world.found('other');
  posting = makePosting({
    ...{ db: worker.database, begin: actsOf(webhookProcess, systemIds), ids: systemIds, clock, log: silentLog, policy },
    ...{ metrics: makeMetrics('test', '0.0.0'), webhooks: port, seal: keyringOfWorlds.seal('webhooks') },
  });
});
afterAll(async () => {
  await port.close();
  await worker?.close();
  await receiver?.close();
  await world?.close();
});
beforeEach(async () => {
  receiver.received.length = 0;
  receiver.status = 200;
  const { body } = await call('GET', '');
  for (const { id } of body.data) await call('DELETE', `/${id}`);
});

const call = (method: string, path: string, body?: object, tenant = home, as = tenant.token) =>
  world.call(method, `/api/v1/organizations/${tenant.organizationId}/webhooks${path}`, {
    as,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body && { body }),
  });
const create = async (body: object = {}) => {
  const made = await call('POST', '', { url: `${receiver.base}/`, ...body });
  expect(made.status, made.text).toBe(201);
  return made.body as { readonly id: string; readonly secret: string };
};
/** The event as the consumer takes it. */
async function happen(type: string, tenant = home): Promise<string> {
  const listening = makeWebhookListeners().find(({ event }) => event.type === type);
  const envelope: Envelope = {
    ...{
      event_id: systemIds.next(),
      event_type: type,
      version: '1.0',
      correlation_id: 'c',
      payload: { text: 'größe' },
    },
    ...{ occurred_at: clock.now().toISOString(), organization_id: tenant.organizationId, actor_id: systemIds.next() },
  };
  for (let times = 0; times < 2; times += 1) {
    const act = actsOf(webhookProcess, systemIds)('webhook.enqueue', {
      correlationId: 'c',
      organizationId: tenant.organizationId,
    });
    await worker.database.write(act, async (tx) => {
      const target = await listening?.effect?.(tx, envelope.payload as never, envelope, undefined);
      return tx.commit(undefined, { target: { type: 'event', id: target?.id ?? '' }, events: 'none' });
    });
  }
  return envelope.event_id;
}
const round = async () => {
  do {
    await posting.close();
    await posting.round(new AbortController().signal);
  } while (posting.inFlight() > 0);
};
const deliveries = async (id: string) => (await call('GET', `/${id}/deliveries`)).body.data;

describe('a webhook', () => {
  it('gets an event once, signed so that the library of Standard Webhooks accepts it', async () => {
    const { id, secret } = await create();
    const eventId = await happen('provisioning.active');
    await happen('provisioning.active', other);
    await round();
    expect(receiver.received).toHaveLength(1);
    const [got] = receiver.received;
    const verified = new Webhook(secret).verify(got?.body ?? '', got?.headers as Record<string, string>);
    expect(verified).toMatchObject({ type: 'provisioning.active', event_id: eventId, data: { text: 'größe' } });
    expect(got?.headers['webhook-id']).toBe(eventId);
    expect(got?.body).not.toContain('actor_id');
    expect(() => new Webhook(secret).verify(`${got?.body} `, got?.headers as Record<string, string>)).toThrow();
    expect(await deliveries(id)).toMatchObject([
      { outcome: 'delivered', attempts: 1, response_status: 200, tries: [{ status: 200 }] },
    ]);
  });

  it('is signed with the new and the former secret while they change, and then with the new one alone', async () => {
    const { id, secret: former } = await create();
    const rotated = await call('POST', `/${id}/rotate`, {});
    const { secret } = rotated.body;
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(former);
    await happen('provisioning.active');
    await round();
    const [both] = receiver.received;
    for (const each of [former, secret]) {
      expect(() => new Webhook(each).verify(both?.body ?? '', both?.headers as Record<string, string>)).not.toThrow();
    }
    await clock.advance(25 * hourMs);
    await happen('provisioning.active');
    await round();
    expect(String(receiver.received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
    const { rows } = await world.root.query("select string_agg(s::text, '') as stored from webhook_secrets s");
    expect(rows[0].stored).not.toContain(secret.slice('whsec_'.length));
  });

  it('gets the types that it asked for, and nothing while it is off', async () => {
    const { id } = await create({ event_types: ['provisioning.failed'] });
    await happen('provisioning.active');
    await happen('provisioning.failed');
    await round();
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['provisioning.failed']);
    expect((await call('PATCH', `/${id}`, { enabled: false })).body).toMatchObject({ enabled: false });
    await happen('provisioning.failed');
    await round();
    expect(receiver.received).toHaveLength(1);
    const [delivery] = await deliveries(id);
    const refused = await call('POST', `/${id}/deliveries/${delivery.id}/resend`, {});
    expect(refused).toMatchObject({ status: 409, body: { code: 'webhook_off' } });
  });

  it('is tried again with growing pauses, given up at last, and posted again on request', async () => {
    const { id } = await create();
    receiver.status = 500;
    await happen('provisioning.active');
    await round();
    await round();
    expect(receiver.received).toHaveLength(1);
    for (const tries of [1, 2]) {
      await clock.advance(retryInMs(tries));
      await round();
    }
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const [failed] = await deliveries(id);
    expect(failed).toMatchObject({ outcome: 'failed', attempts: 3, reason: 'The receiver answered 500.' });
    expect(failed.tries).toHaveLength(3);
    expect((await call('GET', '')).body.data).toMatchObject([{ failing_since: expect.any(String) }]);
    receiver.status = 204;
    expect((await call('POST', `/${id}/deliveries/${failed.id}/resend`, {})).status).toBe(200);
    await clock.advance(1_000);
    await round();
    expect(await deliveries(id)).toMatchObject([{ outcome: 'delivered', response_status: 204 }]);
    expect((await call('GET', '')).body.data).toMatchObject([{ failing_since: null }]);
    expect(retryInMs(100)).toBe(8 * hourMs);
  });

  it.each([
    ['its receiver answers 410', 410, 0, 'The receiver answered 410: it is gone.'],
    ['its receiver took nothing for days', 503, 121 * hourMs, 'The receiver has taken nothing for 120 hours.'],
  ])('is turned off when %s, and its owners are notified', async (_, status, laterMs, reason) => {
    const { id } = await create();
    receiver.status = status;
    await happen('provisioning.active');
    await round();
    if (laterMs > 0) {
      await clock.advance(laterMs);
      await happen('provisioning.idle');
      await round();
    }
    expect((await call('GET', '')).body.data).toMatchObject([{ enabled: false, disabled_reason: reason }]);
    const { rows } = await world.root.query(
      `select envelope -> 'payload' as payload from outbox_events where subject = 'notifications.webhook.disabled' and key = $1`,
      [id],
    );
    expect(rows).toEqual([{ payload: { organization_id: home.organizationId, webhook_id: id, reason } }]);
    // Turned on again it begins anew.
    receiver.status = 200;
    expect((await call('PATCH', `/${id}`, { enabled: true })).body).toMatchObject({
      enabled: true,
      failing_since: null,
    });
  });

  it('is refused for an address that is not public, for one too many, and for those who may not', async () => {
    for (const url of ['https://10.0.0.1/', 'https://169.254.169.254/', 'https://user:p@example.com/']) {
      const refused = await call('POST', '', { url });
      expect(refused, url).toMatchObject({ status: 400, body: { code: 'webhook_url_refused' } });
    }
    const { id } = await create();
    const moved = await call('PATCH', `/${id}`, { url: 'https://192.168.0.1/' });
    expect(moved.body.code).toBe('webhook_url_refused');
    // Together they cannot exceed the limit either.
    const together = await Promise.all(
      Array.from({ length: 12 }, () => call('POST', '', { url: `${receiver.base}/` })),
    );
    expect(together.filter(({ status }) => status === 201)).toHaveLength(7);
    expect(await call('POST', '', { url: `${receiver.base}/` })).toMatchObject({
      status: 409,
      body: { code: 'too_many_webhooks' },
    });
    const member = await world.join('member', home, 'member');
    expect((await call('GET', '', undefined, home, member)).status).toBe(403);
    const foreign = await call('DELETE', `/${id}`, undefined, other);
    expect(foreign).toMatchObject({ status: 404, body: { code: 'webhook_not_found' } });
    expect((await call('POST', `/${systemIds.next()}/rotate`, {})).body.code).toBe('webhook_not_found');
  });

  it('forgets old deliveries', async () => {
    const { id } = await create();
    await happen('provisioning.active');
    await round();
    await clock.advance(31 * 24 * hourMs);
    const begin = actsOf(webhookProcess, systemIds);
    const expiry = makeDeliveryExpiry({ db: worker.database, begin, ids: systemIds, policy });
    expect(await expiry.round(new AbortController().signal)).toBe('idle');
    expect(await deliveries(id)).toEqual([]);
  });
});
