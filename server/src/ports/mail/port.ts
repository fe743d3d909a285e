/** Mail to people. `id` makes a repeated send harmless: the same id is delivered once by this sender. */
export interface Mail {
  send(letter: Letter): Promise<Sent>;
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
}
/** `refused` is final (no such mailbox); an outage throws and may be repeated. */
export type Sent = { readonly accepted: string } | { readonly refused: string };
