import { Pool } from 'pg';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Adapted } from '../adapter.ts';
import { findObjection, messageIdOf } from './letter.ts';
import type { Letter, Mail } from './port.ts';

/**
 * The mail of a system that has no mail server: letters are kept in a table and can be read there, by a page of the
 * console and by tests. It behaves like a sender, with one rule of its own: addresses under `.invalid`, which no mail
 * can ever reach, are refused, so that the way of a refused letter can be walked without a mail server as well.
 *
 * The schema is its own and it makes it itself, as nothing else ever looks into it. Only the newest letters are kept.
 */
export interface DevInbox extends Mail {
  /** Newest first. The next page begins before the last position of this one. */
  letters(page: { readonly limit: number; readonly before?: number }): Promise<InboxLetter[]>;
  letter(id: string): Promise<InboxLetter | undefined>;
}
export interface InboxLetter extends Letter {
  /** Grows with each letter. */
  readonly position: number;
  readonly messageId: string;
  readonly receivedAt: Date;
}
export interface DevInboxOptions {
  readonly url: string;
  /** A pool to share; without one, the inbox opens its own. */
  readonly pool?: Pool;
  readonly clock?: Clock;
  readonly log?: { warn(details: object, message: string): void };
  /** How many letters are kept. */
  readonly keep?: number;
}

const deadlineMs = 5_000;
const maxPage = 200;

/** The lock keeps processes that start together from creating the same thing twice. */
const tables = `
  select pg_advisory_xact_lock(7235118452003419);
  create schema if not exists gpuaas_mail;
  create table if not exists gpuaas_mail.letter (
    position bigint generated always as identity primary key,
    id text not null unique,
    message_id text not null,
    recipient text not null,
    subject text not null,
    body_text text not null,
    body_html text,
    correlation_id text not null,
    received_at timestamptz not null
  );
  alter table gpuaas_mail.letter add column if not exists unsubscribe_url text;
`;

/**
 * The same id a second time changes nothing. Numbers may be skipped but never go back, so whatever is `keep` numbers
 * behind the newest letter is outside the newest `keep` letters.
 */
const keepLetter = {
  name: 'gpuaas_mail_keep',
  text: `with kept as (
      insert into gpuaas_mail.letter
        (id, message_id, recipient, subject, body_text, body_html, correlation_id, received_at, unsubscribe_url)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $10)
      on conflict (id) do nothing
      returning position
    ) delete from gpuaas_mail.letter using kept where letter.position <= kept.position - $9`,
};
const columns = `position::float8, id, message_id, recipient, subject, body_text, body_html, correlation_id, received_at, unsubscribe_url`;
const listLetters = {
  name: 'gpuaas_mail_list',
  text: `select ${columns} from gpuaas_mail.letter where position < $1 order by position desc limit $2`,
};
const findLetter = { name: 'gpuaas_mail_find', text: `select ${columns} from gpuaas_mail.letter where id = $1` };

interface Row {
  position: number;
  id: string;
  message_id: string;
  recipient: string;
  subject: string;
  body_text: string;
  body_html: string | null;
  correlation_id: string;
  received_at: Date;
  unsubscribe_url: string | null;
}

export async function openDevInbox(options: DevInboxOptions): Promise<DevInbox & Adapted> {
  const { clock = systemClock, keep = 10_000, log } = options;
  const pool =
    options.pool ??
    new Pool({
      connectionString: options.url,
      application_name: 'gpuaas-mail',
      max: 2,
      connectionTimeoutMillis: deadlineMs,
      statement_timeout: deadlineMs,
      query_timeout: deadlineMs + 1_000,
    });
  // The pool replaces a connection that died while it was idle; unheard, its error event would end the process.
  if (!options.pool) pool.on('error', (error) => log?.warn({ err: error }, 'an idle mail connection was lost'));
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    if (!options.pool) await pool.end();
  };
  const run = async (statement: { name: string; text: string }, values: unknown[]) => {
    if (closed) throw new Error('the inbox is closed');
    return pool.query<Row>({ ...statement, values });
  };

  try {
    const found = await pool.query<{ there: boolean }>(`select exists (
         select from pg_attribute
         where attrelid = to_regclass('gpuaas_mail.letter') and attname = 'unsubscribe_url' and not attisdropped
       ) as there`);
    if (!found.rows[0]?.there) await pool.query(tables);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    adapter: { name: 'inbox', kind: 'embedded' },
    async send(letter) {
      const objection = findObjection(letter);
      if (objection) return { refused: objection };
      if (/\.invalid$/i.test(letter.to)) return { refused: 'addresses under .invalid have no mailbox' };
      const messageId = messageIdOf(letter.id, 'inbox.localhost');
      const { id, to, subject, text, html = null, correlationId, unsubscribeUrl = null } = letter;
      const row = [id, messageId, to, subject, text, html, correlationId, clock.now(), keep, unsubscribeUrl];
      await run(keepLetter, row);
      return { accepted: messageId };
    },
    async letters({ limit, before = Number.MAX_SAFE_INTEGER }) {
      if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxPage) {
        throw new RangeError(`a page holds from 1 to ${maxPage} letters, not ${limit}`);
      }
      return (await run(listLetters, [before, limit])).rows.map(asLetter);
    },
    async letter(id) {
      const row = (await run(findLetter, [id])).rows[0];
      return row && asLetter(row);
    },
    async check() {
      await run(listLetters, [Number.MAX_SAFE_INTEGER, 1]);
    },
    close,
  };
}

function asLetter(row: Row): InboxLetter {
  return {
    position: row.position,
    id: row.id,
    messageId: row.message_id,
    to: row.recipient,
    subject: row.subject,
    text: row.body_text,
    ...(row.body_html === null ? {} : { html: row.body_html }),
    correlationId: row.correlation_id,
    receivedAt: row.received_at,
    ...(row.unsubscribe_url === null ? {} : { unsubscribeUrl: row.unsubscribe_url }),
  };
}
