import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { makeTestClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { dayMs, hourMs, minuteMs } from '../../../kernel/units.ts';
import type { DatabasePort } from '../../../ports/database/port.ts';
import { openPostgres } from '../../../ports/database/postgres.ts';
import type { Letter, Sent } from '../../../ports/mail/port.ts';
import { asSystem, keyringOfWorlds, openWorld, publicUrl, type Tenant, type World } from '../../../testing/world.ts';
import { unsubscribePath, unsubscribeToken } from '../index.ts';
import { makeMailQueue, retryInMs } from './queue.ts';

const clock = makeTestClock(new Date('2026-06-01T12:00:00Z'));
const seal = keyringOfWorlds.seal('letters');
let world: World;
let mailer: DatabasePort;
let home: Tenant;
let person: string;
let sent: Letter[];
let answer: (letter: Letter) => Sent;
let mostInAnHour = 100;
let queue: ReturnType<typeof makeMailQueue>;
beforeAll(async () => {
  world = await openWorld();
  const url = world.schema.as('gpuaas_mailer');
  mailer = await openPostgres({ url, clock, ids: systemIds, log: silentLog, name: 'test', poolSize: 2 });
  home = await world.found('home');
  person = (await world.call('GET', '/api/v1/me', { as: home.token })).body.id;
  await asSystem(world.root, 'insert into contact_addresses (user_id, email) values ($1, $2)', [
    person,
    'ada@example.test',
  ]);
  await asSystem(
    world.root,
    `insert into project_memberships (organization_id, project_id, user_id, role) values ($1, $2, $3, 'admin')
     on conflict do nothing`,
    [home.organizationId, home.projectId, person],
  );
  queue = makeMailQueue({
    db: mailer.database,
    begin: actsOf('email-worker', systemIds),
    mail: {
      check: async () => undefined,
      close: async () => undefined,
      async send(letter) {
        sent.push(letter);
        return answer(letter);
      },
    },
    ids: systemIds,
    clock,
    log: silentLog,
    metrics: makeMetrics('test', '0.0.0'),
    digestOf: (address) => seal.digest('recipient', address),
    publicUrl,
    unsubscribeUrl: (subscription) => `${publicUrl}${unsubscribePath}?token=${unsubscribeToken(seal, subscription)}`,
    policy: (key) =>
      ({ 'mail.max_attempts': 3, 'mail.max_per_recipient_per_hour': mostInAnHour, 'notifications.digest_hour_utc': 7 })[
        key
      ],
  });
});
afterAll(async () => {
  await mailer?.close();
  await world?.close();
});
beforeEach(async () => {
  sent = [];
  answer = (letter) => ({ accepted: `<${letter.id}@test>` });
  mostInAnHour = 100;
  await asSystem(world.root, 'delete from notifications', []);
});

/** As the relay writes it. */
async function write(
  kind: string,
  options: { daily?: boolean; user?: string; payload?: object; name?: string; ofPlatform?: boolean } = {},
) {
  const [id, user] = [systemIds.next(), options.user ?? person];
  await asSystem(
    world.root,
    `insert into notifications (user_id, id, event_id, kind, organization_id, project_id, payload, correlation_id, occurred_at,
       expires_at, organization_name, allocation_name)
     values ($1, $2, $2, $3, $4, $7, $5, 'c', now(), '2999-01-01', $6, $6)`,
    [
      ...[user, id, kind, options.ofPlatform ? null : home.organizationId, JSON.stringify(options.payload ?? {})],
      ...[options.name ?? 'home', options.ofPlatform ? null : home.projectId],
    ],
  );
  await asSystem(
    world.root,
    'insert into notification_mails (user_id, notification_id, kind, daily, due_at) values ($1, $2, $3, $4, $5)',
    [user, id, kind, options.daily ?? false, clock.now()],
  );
  return id;
}
const round = async () => {
  while ((await queue.round(new AbortController().signal)) === 'more');
};
const rows = async () =>
  (
    await world.root.query(
      'select outcome, reason, attempts, daily, due_at, message_id from notification_mails order by due_at',
    )
  ).rows;
const notForThem = 'this person may not see it any more';
const credited = { amount_minor: '2500', balance_minor: '5000', currency: 'USD' };

describe('mails of notifications', () => {
  it('say in text and markup what the list says, with a link, and are sent once', async () => {
    await write('payment_received', { payload: credited });
    await round();
    await round();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ to: 'ada@example.test', subject: '25.00 USD was added to the balance of "home"' });
    expect(sent[0]?.text).toContain(`${publicUrl}/billing`);
    expect(sent[0]?.html).toContain('The balance is now 50.00 USD.');
    expect(await rows()).toMatchObject([{ outcome: 'accepted', message_id: `<${sent[0]?.id}@test>` }]);
  });

  it('about low and depleted balances reach a person who is not signed in, and cannot be unsubscribed from', async () => {
    const standing = {
      organization_id: home.organizationId,
      currency: 'USD',
      balance_minor: '150',
      runway_seconds: 21_600,
    };
    await write('balance_low', { payload: standing });
    await write('balance_depleted', {
      payload: { ...standing, balance_minor: '0', releases_at: '2026-06-02T00:00:00Z' },
    });
    await round();
    expect(sent.map(({ subject }) => subject)).toEqual([
      'The balance of "home" is low: 1.50 USD',
      'The balance of "home" is used up',
    ]);
    expect(sent[0]?.text).toContain('At the present rate it lasts for 6 hours.');
    expect(sent.map(({ unsubscribeUrl }) => unsubscribeUrl)).toEqual([undefined, undefined]);
  });

  it('about payments that failed, went back or are disputed say what became of the money', async () => {
    await write('payment_failed', { payload: credited });
    await write('payment_refunded', { payload: { ...credited, to: 'payer' } });
    await write('payment_refunded', { payload: { ...credited, to: 'credit' } });
    for (const outcome of ['open', 'won', 'lost'])
      await write('payment_disputed', { payload: { ...credited, outcome } });
    await round();
    expect(sent.map(({ subject }) => subject).sort()).toEqual([
      '25.00 USD goes back to the payer of "home"',
      '25.00 USD was given back to the balance of "home"',
      'A payment of 25.00 USD for "home" did not arrive',
      'A payment of 25.00 USD for "home" is disputed by its payer',
      'A payment of 25.00 USD for "home" is no longer disputed',
      'A payment of 25.00 USD for "home" was taken back by the bank',
    ]);
    const textOf = (subject: string) => sent.find((each) => each.subject.endsWith(subject))?.text;
    expect(textOf('did not arrive')).toContain('Nothing was added to the balance.');
    expect(textOf('by its payer')).toContain('kept out of the balance until the bank has decided');
    expect(textOf('goes back to the payer of "home"')).toContain('The balance is now 50.00 USD.');
    expect(sent.every(({ unsubscribeUrl }) => unsubscribeUrl === undefined)).toBe(true);
  });

  it('that a server does not take are tried again with growing pauses, and given up at last', async () => {
    await write('allocation_failed');
    answer = () => {
      throw new Error('421 try later');
    };
    await round();
    expect(await rows()).toMatchObject([{ outcome: 'waiting', attempts: 1, reason: '421 try later' }]);
    await round();
    expect(sent).toHaveLength(1);
    await clock.advance(retryInMs(1));
    await round();
    await clock.advance(retryInMs(2));
    await round();
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
    expect(await rows()).toMatchObject([{ outcome: 'given_up', attempts: 3 }]);
    expect([retryInMs(1), retryInMs(2), retryInMs(40)]).toEqual([minuteMs, 2 * minuteMs, 6 * hourMs]);
  });

  it('that nobody can receive are recorded with the reason', async () => {
    await write('allocation_failed');
    answer = () => ({ refused: 'no such mailbox' });
    await round();
    expect(await rows()).toMatchObject([{ outcome: 'refused', reason: 'no such mailbox' }]);
    const stranger = systemIds.next();
    await asSystem(world.root, `insert into users (id, oidc_issuer, oidc_subject) values ($1, 'i', $2)`, [
      stranger,
      stranger,
    ]);
    await asSystem(world.root, 'delete from notifications', []);
    await write('allocation_failed', { user: stranger });
    await round();
    expect(await rows()).toMatchObject([{ outcome: 'skipped', reason: notForThem }]);
  });

  it.each([false, true])(
    'that were queued for people who lost the right to see them are not sent; of a day: %s',
    async (daily) => {
      const guest = await world.join(`guest-${daily}`, home, 'admin');
      const user = (await world.call('GET', '/api/v1/me', { as: guest })).body.id;
      await asSystem(world.root, 'insert into contact_addresses (user_id, email) values ($1, $2)', [
        user,
        'guest@example.test',
      ]);
      await asSystem(
        world.root,
        `insert into project_memberships (organization_id, project_id, user_id, role) values ($1, $2, $3, 'member')`,
        [home.organizationId, home.projectId, user],
      );
      await asSystem(world.root, `insert into platform_role_bindings (user_id, role) values ($1, 'platform_ops')`, [
        user,
      ]);
      const queueAll = async () => {
        await write('payment_received', { user, daily, payload: credited });
        await write('allocation_failed', { user, daily });
        await write('dead_letter', { user, daily, ofPlatform: true, payload: { event_id: user, event_type: 'x.y' } });
      };
      await queueAll();
      await round();
      expect((await rows()).map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);

      sent = [];
      await asSystem(world.root, 'delete from notifications', []);
      await queueAll();
      // Still a member of the organization, and nothing else.
      await asSystem(world.root, `update tenant_memberships set role = 'viewer' where user_id = $1`, [user]);
      await asSystem(world.root, 'update project_memberships set deleted_at = now() where user_id = $1', [user]);
      await asSystem(world.root, 'update platform_role_bindings set deleted_at = now() where user_id = $1', [user]);
      await round();
      expect(sent).toEqual([]);
      expect((await rows()).map(({ outcome, reason }) => [outcome, reason])).toEqual(
        [1, 2, 3].map(() => ['skipped', notForThem]),
      );
    },
  );

  it('are not sent to a person who was disabled', async () => {
    const guest = await world.join('disabled-guest', home, 'admin');
    const user = (await world.call('GET', '/api/v1/me', { as: guest })).body.id;
    await asSystem(world.root, 'insert into contact_addresses (user_id, email) values ($1, $2)', [
      user,
      'off@example.test',
    ]);
    await write('payment_received', { user, payload: credited });
    await asSystem(world.root, 'update users set disabled_at = now() where id = $1', [user]);
    await round();
    expect(sent).toEqual([]);
  });

  it('of a day are one mail', async () => {
    for (const name of ['one', 'two', 'three']) await write('allocation_idle', { daily: true, name });
    await round();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.subject).toBe('Your day on GPUaaS: 3 notifications');
    for (const name of ['"one" is idle', '"two" is idle', '"three" is idle']) expect(sent[0]?.text).toContain(name);
    expect(new Set((await rows()).map(({ outcome, message_id }) => `${outcome} ${message_id}`)).size).toBe(1);
  });

  it('beyond the limit of an address wait: what can joins the daily mail, what cannot is sent later', async () => {
    await clock.advance(2 * hourMs);
    mostInAnHour = 1;
    await write('payment_received', { payload: credited });
    await write('payment_received', { payload: credited });
    await write('allocation_idle');
    await round();
    expect(sent).toHaveLength(1);
    const waiting = (await rows()).filter(({ outcome }) => outcome === 'waiting');
    expect(waiting).toMatchObject([
      { daily: false, attempts: 0 },
      { daily: true, attempts: 0 },
    ]);
    await clock.advance(dayMs);
    await round();
    await clock.advance(2 * hourMs);
    await round();
    expect(sent).toHaveLength(3);
  });

  it('carry a name that somebody chose as text, out of links and headers', async () => {
    await write('allocation_failed', { name: '"><img src=x>\r\nBcc: all@example.test https://evil.example.test' });
    await round();
    expect(sent[0]?.subject).not.toMatch(/[\r\n]/);
    expect(sent[0]?.html).not.toContain('<img');
    expect(sent[0]?.text).not.toContain('evil.example');
  });
});

describe('one click on unsubscribe', () => {
  const post = (token: string) => world.call('POST', `${unsubscribePath}?token=${token}`);
  const preference = async (kind: string) => {
    const { body } = await world.call('GET', '/api/v1/me/notification-preferences', { as: home.token });
    return body.data.find((each: { kind: string }) => each.kind === kind).mail;
  };

  it('ends mails of that kind without a sign-in; opening the page changes nothing', async () => {
    await write('allocation_failed');
    await round();
    const url = new URL(sent[0]?.unsubscribeUrl ?? '');
    const shown = await world.call('GET', `${url.pathname}${url.search}`);
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('<form method="post"')]);
    expect(await preference('allocation_failed')).toBe('each');
    expect((await post(url.searchParams.get('token') ?? '')).status).toBe(200);
    expect(await preference('allocation_failed')).toBe('none');
  });

  it('is refused with a token of another person, another kind, or for money', async () => {
    const token = unsubscribeToken(seal, { userId: person, kind: 'allocation_idle' });
    const other = token.replace(person, systemIds.next());
    const kind = token.replace('allocation_idle', 'drain_notice');
    const money = unsubscribeToken(seal, { userId: person, kind: 'payment_received' });
    for (const wrong of [other, kind, money, token.slice(0, -1), '', 'x']) {
      expect((await post(encodeURIComponent(wrong))).status).toBe(404);
    }
    expect(await preference('allocation_idle')).toBe('each');
    expect(await preference('payment_received')).toBe('each');
  });
});
