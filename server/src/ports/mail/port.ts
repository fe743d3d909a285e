/**
 * Mail to people. `id` makes a repeated send harmless: the same id is delivered once by this sender, and becomes the
 * Message-ID, so that also a receiver can tell a repetition.
 */
export interface Mail {
  send(letter: Letter): Promise<Sent>;
  /** Throws unless the next letter could be handed over. */
  check(): Promise<void>;
  close(): Promise<void>;
}
export interface Letter {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly correlationId: string;
  /** Where one click ends mails of this kind (RFC 8058); an https address, or http on this machine. */
  readonly unsubscribeUrl?: string;
}
/**
 * `accepted` is the Message-ID. `refused` is final: no such mailbox, or a letter that nobody could send. An outage
 * throws and may be repeated.
 */
export type Sent = { readonly accepted: string } | { readonly refused: string };
