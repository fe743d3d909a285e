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
