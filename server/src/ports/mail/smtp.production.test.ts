import { afterEach, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { makeLoopbackCertificate, startSmtp, type TestSmtp } from '../../testing/servers/smtp.ts';
import { mailConformance } from './conformance.ts';
import { openMail } from './open.ts';
import type { Letter, Mail } from './port.ts';
import { openSmtpMail, type SmtpConfig } from './smtp.ts';

const clock = makeTestClock(new Date('2026-03-04T05:06:07.000Z'));
const from = 'GPUaaS <no-reply@gpuaas.example>';

/** The parser gathers all headers that begin with List-. Both have to be there for one click. */
function unsubscribeOf(list: unknown): string | undefined {
  const found = list as { unsubscribe?: { url?: string }; 'unsubscribe-post'?: unknown } | undefined;
  return found?.['unsubscribe-post'] ? found.unsubscribe?.url : undefined;
}

mailConformance('smtp', async () => {
  const server = await startSmtp();
  const nobody = 'nobody@refused.invalid';
  server.receive(nobody, { code: 550, message: 'no such mailbox' });
  const config = { kind: 'smtp', host: '127.0.0.1', port: server.port, security: 'none', from } as const;
  return {
    config,
    now: clock.now(),
    nobody,
    open: () => openMail(config, { clock }),
    arrived: async () =>
      server.delivered.map(({ to, mail }) => ({
        messageId: mail.messageId ?? '',
        correlationId: String(mail.headers.get('x-correlation-id')),
        to,
        subject: mail.subject ?? '',
        text: mail.text ?? '',
        html: mail.html === false ? undefined : mail.html,
        sentAt: mail.date ?? new Date(0),
        unsubscribe: unsubscribeOf(mail.headers.get('list')),
      })),
    breakDown: () => server.kill(),
    recover: () => server.start(),
    close: () => server.close(),
  };
});

describe('mail by SMTP', () => {
  const closing: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const thing of closing.splice(0).reverse()) await thing.close();
  });
  const keep = <T extends { close(): Promise<void> }>(thing: T): T => {
    closing.push(thing);
    return thing;
  };
  const openTo = (server: TestSmtp, more: Partial<SmtpConfig> = {}): Mail =>
    keep(openSmtpMail({ host: '127.0.0.1', port: server.port, security: 'none', from, clock, ...more }));
  let letters = 0;
  const write = (to = 'anna@example.com'): Letter => {
    letters += 1;
    return { id: `letter-${letters}`, to, subject: 'Hello', text: 'Hello\n', correlationId: 'correlation' };
  };

  it('comes from the configured sender, to one recipient, and marks itself as automatic', async () => {
    const server = keep(await startSmtp());
    const letter = write();
    expect(await openTo(server).send(letter)).toEqual({ accepted: `<${letter.id}@gpuaas.example>` });
    const [delivered] = server.delivered;
    expect(delivered).toMatchObject({ from: 'no-reply@gpuaas.example', to: 'anna@example.com' });
    expect(delivered?.mail.from?.text).toBe('"GPUaaS" <no-reply@gpuaas.example>');
    expect(delivered?.mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(() => openSmtpMail({ host: 'x', port: 1, security: 'none', from: 'nobody' })).toThrow(/no address/);
  });

  it('is refused for good when the server says so after reading the letter', async () => {
    const server = keep(await startSmtp());
    server.receive('anna@example.com', { code: 554, message: 'looks like spam' }, 'data');
    const mail = openTo(server);
    expect(await mail.send(write())).toEqual({ refused: expect.stringMatching(/554.*looks like spam/) });
    expect(server.delivered).toEqual([]);
  });

  it.each([
    ['a temporary refusal of the recipient', { code: 451, message: 'try later' }, 'rcpt'],
    ['a temporary refusal of the letter', { code: 452, message: 'disk full' }, 'data'],
    ['a connection dropped before the letter', 'drop', 'rcpt'],
    ['a connection dropped after the letter', 'drop', 'data'],
  ] as const)('throws on %s, and delivers the letter at the next try', async (_, reception, when) => {
    const server = keep(await startSmtp());
    const mail = openTo(server);
    const letter = write();
    server.receive(letter.to, reception, when);
    await expect(mail.send(letter)).rejects.toThrow();
    expect(server.delivered).toEqual([]);
    server.receive(letter.to, 'welcome');
    expect(await mail.send(letter)).toHaveProperty('accepted');
    expect(server.delivered).toHaveLength(1);
  });

  it('remembers for a day what was sent', async () => {
    const server = keep(await startSmtp());
    const mail = openTo(server);
    const letter = write();
    await mail.send(letter);
    await clock.advance(24 * 60 * 60 * 1000 - 1);
    await mail.send(letter);
    expect(server.delivered).toHaveLength(1);
    await clock.advance(1);
    await mail.send(letter);
    expect(server.delivered).toHaveLength(2);
  });

  it('survives that the server hangs up between two letters', async () => {
    const server = keep(await startSmtp());
    const mail = openTo(server);
    await mail.send(write());
    await server.kill();
    await server.start();
    expect(await mail.send(write())).toHaveProperty('accepted');
    expect(server.delivered).toHaveLength(2);
  });

  it('opens few connections for many letters', async () => {
    const server = keep(await startSmtp());
    const mail = openTo(server);
    let most = 0;
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        await mail.send(write());
        most = Math.max(most, server.connections());
      }),
    );
    expect(server.delivered).toHaveLength(40);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('hands over what it has begun before it closes', async () => {
    const server = keep(await startSmtp());
    const mail = openTo(server);
    const sending = Array.from({ length: 10 }, () => mail.send(write()));
    await mail.close();
    for (const sent of await Promise.all(sending)) expect(sent).toHaveProperty('accepted');
    expect(server.delivered).toHaveLength(10);
  });

  it('logs in, and throws instead of refusing letters when the password is wrong', async () => {
    const login = { user: 'gpuaas', password: 'secret' };
    const certificate = await makeLoopbackCertificate();
    const server = keep(await startSmtp({ tls: 'starttls', certificate, login }));
    const options = { security: 'starttls', ca: certificate.cert } as const;
    expect(await openTo(server, { ...options, auth: login }).send(write())).toHaveProperty('accepted');
    expect(server.delivered[0]).toMatchObject({ user: 'gpuaas', secure: true });
    const wrong = openTo(server, { ...options, auth: { user: 'gpuaas', password: 'guess' } });
    await expect(wrong.send(write())).rejects.toThrow();
    await expect(wrong.check()).rejects.toThrow();
    expect(server.delivered).toHaveLength(1);
  });

  it.each(['tls', 'starttls'] as const)('speaks %s, with those whose certificate it trusts only', async (security) => {
    const certificate = await makeLoopbackCertificate();
    const server = keep(await startSmtp({ tls: security, certificate }));
    expect(await openTo(server, { security, ca: certificate.cert }).send(write())).toHaveProperty('accepted');
    expect(server.delivered[0]?.secure).toBe(true);
    await expect(openTo(server, { security }).send(write())).rejects.toThrow(/certificate/);
    expect(server.delivered).toHaveLength(1);
  });

  it('sends nothing in the clear when STARTTLS was asked for and is not offered', async () => {
    const server = keep(await startSmtp());
    const mail = openTo(server, { security: 'starttls' });
    await expect(mail.send(write())).rejects.toThrow();
    await expect(mail.check()).rejects.toThrow();
    expect(server.delivered).toEqual([]);
  });
});
