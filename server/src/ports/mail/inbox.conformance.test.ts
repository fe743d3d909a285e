import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { openTestDatabase, type TestDatabase } from '../../testing/postgres.ts';
import { makeDatabaseOutage } from '../../testing/servers/outage.ts';
import { mailConformance } from './conformance.ts';
import { openDevInbox } from './inbox.ts';
import { openMail } from './open.ts';
import type { Letter } from './port.ts';

const clock = makeTestClock(new Date('2026-03-04T05:06:07.000Z'));

mailConformance('inbox', async () => {
  const database = await openTestDatabase();
  const outage = makeDatabaseOutage(database.url);
  const config = { kind: 'inbox', url: database.url } as const;
  return {
    config,
    now: clock.now(),
    nobody: 'nobody@refused.invalid',
    open: () => openMail(config, { clock }),
    async arrived() {
      const inbox = await openDevInbox({ url: database.url, clock });
      const letters = await inbox.letters({ limit: 200 });
      await inbox.close();
      return letters.reverse().map(({ receivedAt, ...letter }) => ({
        messageId: letter.messageId,
        correlationId: letter.correlationId,
        to: letter.to,
        subject: letter.subject,
        text: letter.text,
        html: letter.html,
        sentAt: receivedAt,
        unsubscribe: letter.unsubscribeUrl,
      }));
    },
    breakDown: () => outage.begin(),
    recover: () => outage.end(),
    close: () => database.close(),
  };
});

describe('the inbox', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database?.close());
  const write = (id: string): Letter => ({ id, to: 'a@example.com', subject: id, text: id, correlationId: id });

  it('is read newest first, page by page, and letter by letter, also after it was opened anew', async () => {
    const first = await openDevInbox({ url: database.url, clock });
    for (const id of ['one', 'two', 'three', 'four', 'five']) await first.send(write(id));
    await first.close();
    const inbox = await openDevInbox({ url: database.url, clock });
    const page = await inbox.letters({ limit: 2 });
    expect(page.map((letter) => letter.id)).toEqual(['five', 'four']);
    const before = page.at(-1)?.position ?? 0;
    const rest = await inbox.letters({ limit: 10, before });
    expect(rest.map((letter) => letter.id)).toEqual(['three', 'two', 'one']);
    expect(await inbox.letter('three')).toEqual(rest[0]);
    expect(await inbox.letter('six')).toBeUndefined();
    await expect(inbox.letters({ limit: 0 })).rejects.toThrow(RangeError);
    await expect(inbox.letters({ limit: 201 })).rejects.toThrow(RangeError);
    await inbox.close();
  });

  it('knows a letter again that another instance has kept', async () => {
    const [one, two] = [
      await openDevInbox({ url: database.url, clock }),
      await openDevInbox({ url: database.url, clock }),
    ];
    await one.send(write('shared'));
    expect(await two.send({ ...write('shared'), text: 'another text' })).toEqual({
      accepted: '<shared@inbox.localhost>',
    });
    expect(await two.letter('shared')).toMatchObject({ text: 'shared' });
    await Promise.all([one.close(), two.close()]);
  });

  it('keeps the newest letters and no more than it was told', async () => {
    const inbox = await openDevInbox({ url: database.url, clock, keep: 3 });
    for (let number = 1; number <= 7; number += 1) await inbox.send(write(`kept-${number}`));
    expect((await inbox.letters({ limit: 200 })).map((letter) => letter.id)).toEqual(['kept-7', 'kept-6', 'kept-5']);
    await inbox.close();
  });

  it('is opened by many processes at once in an empty database', async () => {
    const empty = await openTestDatabase();
    const inboxes = await Promise.all(Array.from({ length: 6 }, () => openDevInbox({ url: empty.url, clock })));
    await Promise.all(inboxes.map((inbox) => inbox.check()));
    await Promise.all(inboxes.map((inbox) => inbox.close()));
    const look = new Client({ connectionString: empty.url });
    await look.connect();
    const logged = await look.query(`select relpersistence from pg_class where oid = 'gpuaas_mail.letter'::regclass`);
    expect(logged.rows).toEqual([{ relpersistence: 'p' }]);
    await look.end();
    await empty.close();
  });
});
