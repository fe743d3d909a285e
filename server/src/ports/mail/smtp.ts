import { createTransport } from 'nodemailer';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Adapted } from '../adapter.ts';
import { findObjection, messageIdOf } from './letter.ts';
import type { Letter, Mail, Sent } from './port.ts';

/**
 * Mail through any SMTP server. Few connections are kept and reused; letters beyond that wait for their turn.
 *
 * A server's final word (5xx) about the recipient or the letter is an answer: `refused`. Everything else is an outage
 * and throws: no connection, a temporary refusal (4xx), and also 5xx to our own name or password, which a person can
 * put right and the letter should survive.
 *
 * One hole is left by the protocol itself: when the connection breaks after the letter was handed over and before the
 * server said so, the repetition delivers it twice. Both carry the same Message-ID.
 */
export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  /** `starttls` insists on it; `none` is for a server on the same machine. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly auth?: { readonly user: string; readonly password: string };
  /** A certificate authority to trust besides those that Node knows. */
  readonly ca?: string;
  /** The sender: a plain address, or a name and an address in angle brackets. */
  readonly from: string;
}

const connectDeadlineMs = 10_000;
const silenceDeadlineMs = 30_000;
const maxConnections = 4;
/** How long, and of how many letters, it is remembered that they were sent. */
const rememberMs = 24 * 60 * 60 * 1000;
const maxRemembered = 50_000;

export function openSmtpMail(options: SmtpConfig & { readonly clock?: Clock }): Mail & Adapted {
  const { clock = systemClock, security } = options;
  const domain = /@([A-Za-z0-9.-]+)>?$/.exec(options.from)?.[1];
  if (domain === undefined) throw new RangeError(`${JSON.stringify(options.from)} is no address to send from`);
  const transport = createTransport({
    pool: true,
    maxConnections,
    // A connection that the server closed while it was idle is replaced once; no letter is sent twice for that.
    maxRequeues: 1,
    host: options.host,
    port: options.port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(options.ca === undefined ? {} : { tls: { ca: options.ca } }),
    ...(options.auth ? { auth: { user: options.auth.user, pass: options.auth.password } } : {}),
    connectionTimeout: connectDeadlineMs,
    greetingTimeout: connectDeadlineMs,
    dnsTimeout: connectDeadlineMs,
    socketTimeout: silenceDeadlineMs,
    // The text of an email comes from users: it must not make the sender read files or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const answers = makeAnswers(clock);
  let closed = false;

  const deliver = async (letter: Letter): Promise<Sent> => {
    const messageId = messageIdOf(letter.id, domain);
    try {
      await transport.sendMail({
        from: options.from,
        to: { name: '', address: letter.to },
        subject: letter.subject,
        text: letter.text,
        ...(letter.html === undefined ? {} : { html: letter.html }),
        messageId,
        date: clock.now(),
        headers: {
          'X-Correlation-Id': letter.correlationId,
          'Auto-Submitted': 'auto-generated',
          ...(letter.unsubscribeUrl !== undefined && {
            'List-Unsubscribe': `<${letter.unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      });
      return { accepted: messageId };
    } catch (error) {
      const refusal = findRefusal(error);
      if (refusal === undefined) throw error;
      return { refused: refusal };
    }
  };

  return {
    adapter: { name: 'smtp', kind: 'production' },
    async send(letter) {
      if (closed) throw new Error('the mail is closed');
      const objection = findObjection(letter);
      if (objection) return { refused: objection };
      return answers.once(letter.id, () => deliver(letter));
    },
    async check() {
      if (closed) throw new Error('the mail is closed');
      await transport.verify();
    },
    async close() {
      closed = true;
      await answers.settled();
      transport.close();
    },
  };
}

/** The server's words, if they are its last about this recipient or this letter. */
function findRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { responseCode, command, response } = error as Error & Record<'responseCode' | 'command' | 'response', unknown>;
  const isFinal = typeof responseCode === 'number' && responseCode >= 500 && responseCode < 600;
  if (!isFinal || (command !== 'RCPT TO' && command !== 'DATA')) return undefined;
  return typeof response === 'string' ? response.slice(0, 500) : error.message;
}

/** Answers by email id: a repeated send gets the first answer, also while it is pending. A failure is dropped. */
function makeAnswers(clock: Clock) {
  const known = new Map<string, { readonly answer: Promise<Sent>; readonly at: number }>();
  const awaited = new Set<Promise<unknown>>();
  return {
    /** When no answer is awaited any more. The deadlines of the connection bound it. */
    settled: () => Promise.allSettled(awaited),
    once(id: string, ask: () => Promise<Sent>): Promise<Sent> {
      const now = clock.now().getTime();
      const earlier = known.get(id);
      if (earlier && now - earlier.at < rememberMs) return earlier.answer;
      const answer = ask();
      const entry = { answer, at: now };
      known.delete(id);
      known.set(id, entry);
      const over = answer
        .catch(() => {
          if (known.get(id) === entry) known.delete(id);
        })
        .finally(() => awaited.delete(over));
      awaited.add(over);
      // A map keeps the order of arrival, so the oldest are at its beginning.
      for (const [old, { at }] of known) {
        if (known.size <= maxRemembered && now - at < rememberMs) break;
        known.delete(old);
      }
      return answer;
    },
  };
}
