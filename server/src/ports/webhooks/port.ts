/**
 * Posts to addresses that tenants chose. It reaches public addresses only: a name is resolved once, every address that it has
 * must be allowed, and the connection goes to one of these. Redirects are not followed, answers and time are bounded.
 */
export interface Webhooks {
  post(message: Post): Promise<Posted>;
  /** Why events are not posted to this address; undefined when they are, as far as its text says. */
  objection(url: string): string | undefined;
  check(): Promise<void>;
  close(): Promise<void>;
}
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}
/**
 * `status` is what the receiver answered, whatever it is. `refused`: this address is not allowed. `failed`: nobody answered, too
 * late, or in a way that is no HTTP. The words are for the tenant, and say nothing about our network.
 */
export type Posted = { readonly status: number } | { readonly refused: string } | { readonly failed: string };
