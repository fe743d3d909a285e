import type { Envelope } from '@gpuaas/contract';
import type { Database, Sql } from '../../kernel/act.ts';
import type { StoredReply } from '../../kernel/idempotency.ts';
import type { Leases } from './leases/leases.ts';

/** PostgreSQL: the record of everything, and the only service that must be there. */
export interface DatabasePort {
  readonly database: Database;
  readonly outbox: OutboxLog;
  readonly replies: StoredReplies;
  readonly sealer: AuditSealer;
  readonly unaudited: Unaudited;
  readonly leases: Leases;
  /** Calls back on every NOTIFY, and once after each reconnect, when something may have been missed. */
  listen(channel: string, listener: (payload: string) => void): Promise<{ close(): Promise<void> }>;
  /** Wakes listeners after a commit. Best effort: listeners also poll now and then. */
  notify(channel: string): void;
  /** Throws unless a query makes the round trip. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface AuditSealer {
  /** Puts at most `limit` committed audit rows into their chains and answers how many. One works at a time; others answer 0. */
  seal(limit: number): Promise<number>;
}

/**
 * One statement outside any act: it leaves no audit row. It is for what is seen and not done, such as a heartbeat or the
 * use of a credential, and many are written at once. PostgreSQL refuses it for every table whose changes are audited.
 */
export interface Unaudited {
  rows<R>(statement: Sql, values: readonly unknown[]): Promise<R[]>;
}

export interface StoredReplies {
  find(principal: string, route: string, key: string): Promise<StoredReply | undefined>;
  /** Removes what has expired, a bounded number at a time. */
  sweep(limit: number): Promise<number>;
}

export interface OutboxRow {
  readonly position: string;
  readonly messageId: string;
  readonly subject: string;
  readonly key: string;
  readonly envelope: Envelope;
}
/** How old an event must be to go: by the beginning of its subject where a stream keeps it, else by the general age. */
export interface OldEvents {
  readonly olderThan: Date;
  readonly streams: readonly { readonly prefix: string; readonly olderThan: Date }[];
}
/** The outbox as its relay sees it. */
export interface OutboxLog {
  /** Waits until this process is the only relay, then reads in order. Ends when the signal fires. */
  lead(relay: string, signal: AbortSignal): Promise<OutboxReader>;
  /** Calls back whenever something may have been committed. */
  onCommit(listener: () => void): Promise<{ close(): Promise<void> }>;
  backlog(relay: string): Promise<{ readonly pending: number; readonly oldestAgeSeconds: number }>;
  /** Starts over from the first event that is kept: after the bus lost everything. */
  rewind(relay: string): Promise<void>;
  /** Removes events that are published and old, unless an open dead letter names them. */
  sweep(relay: string, old: OldEvents, limit: number): Promise<number>;
}
export interface OutboxReader {
  /** The next events in order, at most `limit`; empty when there is nothing to do now. */
  next(limit: number): Promise<OutboxRow[]>;
  /** Whether the last round left events behind that an older transaction, still running, keeps from going out. */
  isHeldUp(): boolean;
  /** Everything up to here is published: never offered again. */
  settle(position: string): Promise<void>;
  close(): Promise<void>;
}
