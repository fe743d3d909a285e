/**
 * Short-lived facts shared between processes. It may lose everything at any time; whatever must survive a crash is in
 * a table of its domain and only sped up here. Values and messages are strings of at most 64 KiB in UTF-8, keys and
 * channels of at most 512 characters without NUL; anything else is refused with a `RangeError` before it is sent.
 * While the store cannot be reached, calls throw soon; they work again when it is back, without being reopened.
 */
export interface Cache {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Reads and removes in one step: of any number of takers, one gets the value. */
  take(key: string): Promise<string | undefined>;
  /** Sets the key if it is free and says whether this call did. */
  claim(key: string, value: string, ttlMs: number): Promise<boolean>;
  /**
   * Counts `cost` against a fixed window that begins with its first hit, and answers how many were counted in it with
   * this call, and how long it still lasts. Shared by all processes. Windows and values do not share their keys.
   */
  hit(key: string, windowMs: number, cost: number): Promise<{ readonly count: number; readonly resetMs: number }>;
  /**
   * A sliding window: lets a call through when fewer than `limit` were let through in the `windowMs` before it, and counts
   * only those. `count` is how many the window holds now, `resetMs` how long until the first of them leaves it; after a
   * refusal, how long until a call is let through again. Shared by all processes. It remembers each of them, so a limit
   * is small.
   */
  admit(key: string, windowMs: number, limit: number): Promise<Admission>;
  /** At most once: only current listeners receive it. Messages of one publisher keep their order. */
  publish(channel: string, message: string): Promise<void>;
  /** Resolves when the listener hears what is published from now on. */
  subscribe(channel: string, listener: (message: string) => void): Promise<{ close(): Promise<void> }>;
  /** Throws unless a value can make the round trip. */
  check(): Promise<void>;
  close(): Promise<void>;
}
export interface Admission {
  readonly allowed: boolean;
  readonly count: number;
  readonly resetMs: number;
}
