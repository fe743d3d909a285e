import type { Envelope } from '@gpuaas/contract';
import { type Database, systemViewer } from '../../kernel/act.ts';
import type { Mail } from '../../ports/mail/port.ts';
import { countLettersOfHour, type Outcome, wasDelivered } from './deliveries-store.ts';
import type { Written } from './mail/compose.ts';

/** A letter with its reader, or why there is none. */
export type Letter = (Written & { readonly to: string }) | { readonly skip: string };

export interface SendParts {
  readonly db: Database;
  readonly mail: Mail;
  /** What an address is counted by: the same for the same address, and of no meaning to others. */
  readonly digestOf: (address: string) => Buffer;
  readonly maxPerRecipientPerHour: () => number;
}

/** Sends what `write` has to say, unless it was sent, or its reader gets too many letters. */
export async function sendOnce(
  parts: SendParts,
  envelope: Envelope,
  write: () => Promise<Letter>,
): Promise<Outcome | undefined> {
  const { event_id: id, correlation_id: correlationId } = envelope;
  const self = systemViewer('notifications', { correlationId });
  if (await parts.db.read(self, (tx) => wasDelivered(tx, id))) return undefined;
  const letter = await write();
  if ('skip' in letter) return { outcome: 'skipped', reason: letter.skip };
  const recipient = parts.digestOf(letter.to);
  const most = parts.maxPerRecipientPerHour();
  if ((await parts.db.read(self, (tx) => countLettersOfHour(tx, recipient))) >= most) {
    return { outcome: 'skipped', reason: `this address got ${most} letters within an hour` };
  }
  const answer = await parts.mail.send({ ...letter, id, correlationId });
  return 'accepted' in answer
    ? { outcome: 'accepted', messageId: answer.accepted, recipient }
    : { outcome: 'refused', reason: answer.refused };
}
