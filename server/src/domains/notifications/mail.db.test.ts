import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { openDevInbox } from '../../ports/mail/inbox.ts';
import type { Letter, Mail } from '../../ports/mail/port.ts';
import { asSystem, keyringOfWorlds, publicUrl, type Tenant } from '../../testing/world.ts';
import { type Desk, eventually, openDesk } from '../outbox/testing.ts';
import { makeInvitationLetters, secretsOfInvitations } from '../tenancy/index.ts';
import { makeLetterListeners } from './index.ts';

let mostLetters = 1_000;
let desk: Desk;
let mail: Mail & { readonly sent: Letter[]; failing: number };
let home: Tenant;
let inbox: Awaited<ReturnType<typeof openDevInbox>>;
beforeAll(async () => {
  desk = await openDesk({ consumersAs: 'gpuaas_mailer' });
  inbox = await openDevInbox({ url: desk.world.schema.url });
  mail = {
    sent: [],
    failing: 0,
    check: async () => undefined,
    close: async () => undefined,
    async send(letter) {
      mail.sent.push(letter);
      if (mail.failing > 0) {
        mail.failing -= 1;
        throw new Error('the mail server is away');
      }
      return inbox.send(letter);
    },
  };
  const db = desk.workerDb.database;
  await desk.consumer(
    'email-worker',
    makeLetterListeners({
      db,
      mail,
      publicUrl,
      findInvitation: makeInvitationLetters({
        db,
        clock: systemClock,
        secrets: secretsOfInvitations(keyringOfWorlds.seal('letters')),
      }),
      findPasswordLetter: async () => undefined,
      findSecurityLetter: async () => ({
        ...{
          login: 'grace',
          email: 'grace@example.test',
          change: 'factor_added',
          at: new Date('2026-06-01T12:00:00Z'),
        },
      }),
      digestOf: (address) => keyringOfWorlds.seal('letters').digest('recipient', address),
      maxPerRecipientPerHour: () => mostLetters,
      hasOwnAccounts: true,
    }),
    { maxAttempts: 5 },
  );
  await desk.outbox().startRelay();
  home = await desk.world.found('home');
});
afterAll(async () => {
  await inbox.close();
  await desk.close();
});

const invite = async (email: string) => {
  const made = await desk.world.call('POST', `/api/v1/organizations/${home.organizationId}/invitations`, {
    as: home.token,
    key: systemIds.next(),
    body: { email, role: 'viewer' },
  });
  expect(made.status, made.text).toBe(201);
  return made.body as { readonly id: string; readonly token: string };
};
const delivered = (subjectId: string) =>
  eventually(async () => {
    const { rows } = await desk.world.root.query(
      'select event_id, organization_id, outcome, message_id, reason from mail_deliveries where subject_id = $1',
      [subjectId],
    );
    return rows[0] as Record<string, string> | undefined;
  });
const lettersTo = (address: string) => mail.sent.filter(({ to }) => to === address);

describe('an invitation', () => {
  it('arrives as a letter with a link that can be accepted, and nothing else carries the token', async () => {
    const { id, token } = await invite('ada@example.test');
    const row = await delivered(id);
    expect(row).toMatchObject({ organization_id: home.organizationId, outcome: 'accepted', reason: null });
    const letter = await inbox.letter(row['event_id'] ?? '');
    expect(letter).toMatchObject({ to: 'ada@example.test', subject: 'You are invited to "home" on GPUaaS' });
    const link = /https?:\/\/\S+/.exec(letter?.text ?? '')?.[0] ?? '';
    expect(link).toBe(`${publicUrl}/invitations/accept#${token}`);
    const accepted = await desk.world.call('POST', '/api/v1/invitations/accept', {
      as: await desk.world.token('ada'),
      key: systemIds.next(),
      body: { token: new URL(link).hash.slice(1) },
    });
    expect(accepted.body, accepted.text).toMatchObject({ organization_id: home.organizationId, role: 'viewer' });
    const { rows } = await desk.world.root.query(
      `select (select string_agg(envelope::text, '') from outbox_events)
         || (select string_agg(to_jsonb(a)::text, '') from audit_logs a)
         || (select string_agg(to_jsonb(d)::text, '') from mail_deliveries d) as everything`,
    );
    expect(rows[0].everything).toContain(id);
    expect(rows[0].everything).not.toContain(token);
  });

  it('is mailed once, however often its event is delivered', async () => {
    const { id } = await invite('bob@example.test');
    const { event_id: eventId = '' } = await delivered(id);
    const operator = await desk.world.operator();
    await desk.world.call('POST', '/api/v1/admin/outbox/rewind', {
      as: operator,
      key: systemIds.next(),
      body: { reason: 'the bus lost everything' },
    });
    const { rows: kept } = await desk.world.root.query(
      'select position, envelope from outbox_events where event_id = $1',
      [eventId],
    );
    const { position, envelope } = kept[0];
    await desk.bus.publish([{ id: `${position}.again`, subject: 'tenancy.invitation.created', key: id, envelope }]);
    // Events of one key stay in order: when a later one of the same key has arrived, so has the repetition.
    const after = await invite('carol@example.test');
    await delivered(after.id);
    await eventually(async () => {
      const { rows } = await desk.world.root.query(
        `select count(*)::int as waiting from bus.job where name = 'email-worker' and state < 'completed'`,
      );
      return rows[0].waiting === 0;
    });
    expect(lettersTo('bob@example.test')).toHaveLength(1);
  });

  it('is not mailed to an address that got as many letters within an hour as one may get', async () => {
    const { id } = await invite('heidi@example.test');
    expect(await delivered(id)).toMatchObject({ outcome: 'accepted' });
    await desk.world.call('DELETE', `/api/v1/organizations/${home.organizationId}/invitations/${id}`, {
      as: home.token,
      key: systemIds.next(),
    });
    mostLetters = 1;
    const again = await delivered((await invite('heidi@example.test')).id);
    const other = await delivered((await invite('frank@example.test')).id);
    mostLetters = 1_000;
    expect(again).toMatchObject({ outcome: 'skipped', reason: 'this address got 1 letters within an hour' });
    expect(other).toMatchObject({ outcome: 'accepted' });
    expect(lettersTo('heidi@example.test')).toHaveLength(1);
  });

  it('is sent again after an outage of the mail server, under the same id', async () => {
    mail.failing = 2;
    const { id } = await invite('dan@example.test');
    const { event_id: eventId } = await delivered(id);
    const tries = lettersTo('dan@example.test');
    expect(tries).toHaveLength(3);
    expect(new Set(tries.map((letter) => letter.id))).toEqual(new Set([eventId]));
  });

  it('that nobody can receive is recorded as refused, and one that was revoked is not sent', async () => {
    const { id } = await invite('nobody@nowhere.invalid');
    expect(await delivered(id)).toMatchObject({ outcome: 'refused', message_id: null });
    // While the bus is away the invitation is taken back; when its event arrives there is nothing left to offer.
    desk.bus.away = true;
    const { id: revoked } = await invite('eve@example.test');
    await desk.world.call('DELETE', `/api/v1/organizations/${home.organizationId}/invitations/${revoked}`, {
      as: home.token,
      key: systemIds.next(),
    });
    desk.bus.away = false;
    expect(await delivered(revoked)).toMatchObject({ outcome: 'skipped' });
    expect(lettersTo('eve@example.test')).toEqual([]);
  });
});

describe('a security letter', () => {
  it('goes out after as many notifications within the hour as an address may get', async () => {
    const person = (await desk.world.call('GET', '/api/v1/me', { as: home.token })).body.id;
    const recipient = keyringOfWorlds.seal('letters').digest('recipient', 'grace@example.test');
    for (let n = 0; n < 10; n += 1) {
      const id = systemIds.next();
      await asSystem(
        desk.world.root,
        `insert into notifications (user_id, id, event_id, kind, organization_id, payload, correlation_id, occurred_at, expires_at,
           organization_name, allocation_name)
         values ($1, $2, $2, 'payment_received', $3, '{}', 'c', now(), '2999-01-01', 'home', 'home')`,
        [person, id, home.organizationId],
      );
      await asSystem(
        desk.world.root,
        `insert into notification_mails (user_id, notification_id, kind, daily, due_at, outcome, message_id, recipient_digest,
           settled_at)
         values ($1, $2, 'payment_received', false, now(), 'accepted', $3, $4, now())`,
        [person, id, `<${id}@test>`, recipient],
      );
    }
    mostLetters = 10;
    const letterId = systemIds.next();
    await desk.slip('tenancy.factors.changed', { letter_id: letterId, change: 'factor_added' });
    const row = await delivered(letterId);
    mostLetters = 1_000;
    expect(row).toMatchObject({ outcome: 'accepted', reason: null });
    expect(lettersTo('grace@example.test')).toHaveLength(1);
  });
});
