import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { endsByItself } from '../../testing/servers/ends-by-itself.ts';
import type { MailConfig } from './open.ts';
import type { Letter, Mail } from './port.ts';

/** What arrived somewhere, as the receiver sees it. */
export interface Arrived {
  readonly messageId: string;
  readonly correlationId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string | undefined;
  readonly sentAt: Date;
  /** The address of the one-click header. */
  readonly unsubscribe: string | undefined;
}

/** A place for letters with nothing in it, and the means to disturb it. */
export interface MailWorld {
  /** The configuration with which `open` opens. */
  readonly config: MailConfig;
  open(): Promise<Mail>;
  /** In the order of arrival. */
  arrived(): Promise<Arrived[]>;
  /** The moment that every letter is sent at. */
  readonly now: Date;
  /** An address that has no mailbox. */
  readonly nobody: string;
  breakDown(): Promise<void>;
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** What a sender of mail promises. */
export function mailConformance(name: string, makeWorld: () => Promise<MailWorld>): void {
  describe(`mail: ${name}`, () => {
    let world: MailWorld;
    const opened: Mail[] = [];
    const open = async () => {
      const mail = await world.open();
      opened.push(mail);
      return mail;
    };
    let letters = 0;
    const write = (changes: Partial<Letter> = {}): Letter => {
      letters += 1;
      const number = `${letters}`.padStart(12, '0');
      return {
        id: `0198c5a0-0000-7000-8000-${number}`,
        to: 'anna@example.com',
        subject: `Letter ${letters}`,
        text: `The text of letter ${letters}.\n`,
        correlationId: `correlation-${letters}`,
        ...changes,
      };
    };
    /** The one letter of that id which arrived, or how many did. */
    const arrivedOf = async (letter: Letter) => {
      const those = (await world.arrived()).filter((arrived) => arrived.messageId.startsWith(`<${letter.id}@`));
      return those.length === 1 ? those[0] : those.length;
    };

    beforeAll(async () => {
      world = await makeWorld();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((mail) => mail.close()));
    });
    afterAll(() => world?.close());

    it('delivers text and html under the headers of the letter', async () => {
      const mail = await open();
      const letter = write({ html: '<p>The <b>text</b> of the letter.</p>' });
      const sent = await mail.send(letter);
      expect(sent).toEqual({ accepted: expect.stringMatching(`^<${letter.id}@[a-z.]+>$`) });
      expect(await arrivedOf(letter)).toEqual({
        messageId: 'accepted' in sent && sent.accepted,
        correlationId: letter.correlationId,
        to: letter.to,
        subject: letter.subject,
        text: letter.text,
        html: letter.html,
        sentAt: world.now,
        unsubscribe: undefined,
      });
    });

    it('carries where one click ends such mails', async () => {
      const mail = await open();
      const unsubscribeUrl = 'https://gpuaas.example/unsubscribe?token=a.b-c_d';
      const letter = write({ unsubscribeUrl });
      expect(await mail.send(letter)).toHaveProperty('accepted');
      expect(await arrivedOf(letter)).toMatchObject({ unsubscribe: unsubscribeUrl });
    });

    it.each([
      ['many scripts', 'Größe überschritten: 容量 ёмкость 👩‍🚀', 'Grüße,\n容量\n👩‍🚀\n'],
      ['a long subject', `Balance ${'ü'.repeat(240)} ${'long '.repeat(40)}end`, 'text\n'],
      ['an empty subject and text', '', ''],
      ['lines that look like SMTP and MIME', '=?utf-8?Q?x?= -- "quoted" <b>', '.\n..\nQUIT\nFrom x\n--boundary\n=3D\n'],
      ['a long line', 'long', `${'x'.repeat(5_000)}\n`],
    ])('keeps the wording of %s', async (_, subject, text) => {
      const mail = await open();
      const html = text && `<pre>${text}</pre>`;
      const letter = write({ subject, text, ...(html && { html }) });
      expect(await mail.send(letter)).toHaveProperty('accepted');
      expect(await arrivedOf(letter)).toMatchObject({ subject, text, html: html || undefined });
    });

    it('delivers many letters at once, each one time', async () => {
      const mail = await open();
      const many = Array.from({ length: 20 }, (_, index) => write({ to: `person-${index}@example.com` }));
      const sent = await Promise.all(many.map((letter) => mail.send(letter)));
      expect(sent.filter((answer) => 'accepted' in answer)).toHaveLength(20);
      for (const letter of many) expect(await arrivedOf(letter)).toMatchObject({ to: letter.to, text: letter.text });
    });

    it('delivers a letter once that is sent again, one after the other or at once, and answers the same', async () => {
      const mail = await open();
      const letter = write();
      const first = await mail.send(letter);
      expect(await mail.send(letter)).toEqual(first);
      expect(await arrivedOf(letter)).toMatchObject({ to: letter.to });
      const hasty = write();
      const answers = await Promise.all(Array.from({ length: 8 }, () => mail.send(hasty)));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(await arrivedOf(hasty)).toMatchObject({ to: hasty.to });
    });

    it('says that a mailbox does not exist, and goes on with the next letter', async () => {
      const mail = await open();
      const letter = write({ to: world.nobody });
      expect(await mail.send(letter)).toEqual({ refused: expect.stringMatching(/mailbox/) });
      expect(await arrivedOf(letter)).toBe(0);
      const next = write();
      expect(await mail.send(next)).toHaveProperty('accepted');
      expect(await arrivedOf(next)).toMatchObject({ to: next.to });
    });

    it.each<[string, Partial<Letter>]>([
      ['a line break in the recipient', { to: 'anna@example.com\r\nBcc: eve@example.com' }],
      ['a bare line feed in the recipient', { to: 'anna@example.com\nBcc: eve@example.com' }],
      ['a bare carriage return in the recipient', { to: 'anna@example.com\rRCPT TO:<eve@example.com>' }],
      ['a second recipient', { to: 'anna@example.com, eve@example.com' }],
      ['a recipient with a name', { to: 'Anna <anna@example.com>' }],
      ['SMTP parameters in the recipient', { to: 'anna@example.com> NOTIFY=SUCCESS' }],
      ['no address at all', { to: 'anna' }],
      ['an empty recipient', { to: '' }],
      ['a line break in the subject', { subject: 'Hello\r\nBcc: eve@example.com' }],
      ['a bare line feed in the subject', { subject: 'Hello\nBcc: eve@example.com' }],
      ['a line separator in the subject', { subject: 'Hello\u2028Bcc: eve@example.com' }],
      ['NUL in the subject', { subject: 'Hello\0' }],
      ['a subject of 501 characters', { subject: 'x'.repeat(501) }],
      ['NUL in the text', { text: 'Hello\0' }],
      ['a text over 1 MiB', { text: 'x'.repeat(1024 * 1024 + 1) }],
      ['half a character', { text: '\ud800' }],
      ['a line break in the correlation id', { correlationId: 'x\r\nBcc: eve@example.com' }],
      ['a line break in the id', { id: 'x\r\nBcc: eve@example.com' }],
      ['a line break in the address to unsubscribe', { unsubscribeUrl: 'https://x\r\nBcc: eve@example.com' }],
      ['an address to unsubscribe that is none', { unsubscribeUrl: 'javascript:alert(1)' }],
      ['an id that would end the Message-ID', { id: 'x@y> <z' }],
      ['an empty id', { id: '' }],
    ])('refuses %s for good, and nothing leaves', async (_, changes) => {
      const mail = await open();
      const before = (await world.arrived()).length;
      expect(await mail.send(write(changes))).toEqual({ refused: expect.any(String) });
      expect(await world.arrived()).toHaveLength(before);
    });

    it('throws while the other side is away, and delivers the same letter when it is back', async () => {
      const mail = await open();
      await expect(mail.check()).resolves.toBeUndefined();
      const warm = write();
      await mail.send(warm);
      const letter = write();
      await world.breakDown();
      try {
        await expect(mail.send(letter)).rejects.toThrow();
        await expect(mail.check()).rejects.toThrow();
      } finally {
        await world.recover();
      }
      await vi.waitFor(() => mail.check(), { timeout: 15_000, interval: 50 });
      expect(await mail.send(letter)).toHaveProperty('accepted');
      expect(await arrivedOf(letter)).toMatchObject({ text: letter.text });
      expect(await arrivedOf(warm)).toMatchObject({ text: warm.text });
    });

    it('is given up by close: nothing is accepted any more', async () => {
      const mail = await world.open();
      await mail.send(write());
      await mail.close();
      await mail.close();
      await expect(mail.send(write())).rejects.toThrow(/closed/);
      await expect(mail.check()).rejects.toThrow(/closed/);
    });

    it('leaves nothing behind that would keep a process alive', async () => {
      await expect(endsByItself(import.meta.resolve('./open.ts'), 'openMail', world.config)).resolves.toBeUndefined();
    });
  });
}
