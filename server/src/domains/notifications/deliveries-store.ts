import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const insert = sql(
  'mail-delivery-insert',
  `insert into mail_deliveries (event_id, organization_id, kind, subject_id, outcome, message_id, reason, recipient_digest)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (event_id) do nothing`,
);
const find = sql(
  'mail-delivery-find',
  'select outcome from mail_deliveries where event_id = $1 and (organization_id is null or mine(organization_id))',
);
const countOfHour = sql(
  'mail-delivery-count-of-hour',
  `select count(*)::int as letters from mail_deliveries
   where recipient_digest = $1 and created_at > act_time() - interval '1 hour'
     and (organization_id is null or mine(organization_id))`,
);

/** What became of a letter. `skipped`: when its turn came there was nothing to write any more. */
export type Outcome =
  | { readonly outcome: 'accepted'; readonly messageId: string; readonly recipient: Buffer }
  | { readonly outcome: 'refused' | 'skipped'; readonly reason: string };

/**
 * The address is not kept here: the thing that the letter is about has it, and forgets it when it goes. Letters to one
 * address are counted by a keyed digest of it.
 */
export const recordDelivery = (
  tx: WriteTx,
  letter: {
    readonly eventId: string;
    readonly organizationId: string | undefined;
    readonly kind: 'invitation' | 'password' | 'security';
    readonly subjectId: string;
  } & Outcome,
) =>
  tx.run(insert, [
    letter.eventId,
    letter.organizationId ?? null,
    letter.kind,
    letter.subjectId,
    letter.outcome,
    letter.outcome === 'accepted' ? letter.messageId : null,
    letter.outcome === 'accepted' ? null : letter.reason,
    letter.outcome === 'accepted' ? letter.recipient : null,
  ]);
export const wasDelivered = async (tx: ReadTx, eventId: string): Promise<boolean> =>
  (await tx.rows(find, [eventId])).length > 0;
/**
 * How many letters went to an address within the last hour. Mails of notifications do not count: others can cause them, and
 * must not keep a password or security letter from its reader.
 */
export const countLettersOfHour = async (tx: ReadTx, recipient: Buffer): Promise<number> =>
  (await tx.rows<{ letters: number }>(countOfHour, [recipient]))[0]?.letters ?? 0;
