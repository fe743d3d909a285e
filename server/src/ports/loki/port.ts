/**
 * A Loki that lines are forwarded to. It is a second home, where an installation has one: lines are kept in PostgreSQL with and without
 * it, so there is no embedded adapter, and a push that fails loses nothing that operators cannot still read.
 */
export interface Loki {
  push(streams: readonly LokiStream[]): Promise<LokiAnswer>;
  close(): void;
}
export interface LokiStream {
  readonly stream: Readonly<Record<string, string>>;
  /** Nanoseconds since 1970, the line, and what is known about it. */
  readonly values: readonly (readonly [string, string, Readonly<Record<string, string>>])[];
}
/** `refused`: the same push would be refused again. `failed`: it may be tried later. */
export type LokiAnswer = 'taken' | 'refused' | 'failed';
