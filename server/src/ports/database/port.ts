import type { Envelope } from '@gpuaas/contract';
import type { Database } from '../../kernel/act.ts';
import type { StoredReply } from '../../kernel/idempotency.ts';
import type { Leases } from './leases/leases.ts';

/** PostgreSQL: the record of everything, and the only service that must be there. */
export interface DatabasePort {
  readonly database: Database;
  readonly outbox: OutboxLog;
  readonly replies: StoredReplies;
  readonly sealer: AuditSealer;
  readonly sightings: Sightings;
  readonly consoleTokens: ConsoleTokens;
  readonly reports: NodeReports;
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

/** A credential was used. That is not an act: it leaves no audit row, and many are written at once. */
export interface Sightings {
  record(seen: { readonly sessions: readonly SeenSession[]; readonly credentials: readonly Seen[] }): Promise<void>;
}
export interface Seen {
  readonly id: string;
  readonly seenAt: Date;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
}
/** `id` is the one that a session gets if it is new. */
export interface SeenSession extends Seen {
  readonly personId: string;
  readonly provider: 'oidc';
  readonly sessionId: string | undefined;
  readonly tokenId: string | undefined;
  readonly deviceLabel: string | undefined;
  readonly browser: string | undefined;
  readonly os: string | undefined;
  readonly signedInAt: Date;
  readonly expiresAt: Date;
}

/** Renewing the tokens of a browser session is not an act either: it happens every few minutes. */
export interface ConsoleTokens {
  /** Whether this caller may renew them until then; false when another process is doing it, or has done it. */
  claim(id: string, generation: bigint, now: Date, until: Date): Promise<boolean>;
  renew(id: string, generation: bigint, sealed: Uint8Array): Promise<boolean>;
}

/** What nodes last said. That is no act either: it leaves no audit row, and the words of many nodes are one statement. */
export interface NodeReports {
  /** Keeps the newest word of each node and answers the state of each that is known. */
  record(reports: readonly NodeReport[]): Promise<Map<string, string>>;
}
export interface NodeReport {
  readonly nodeId: string;
  readonly reportedAt: Date;
  readonly bootId: string;
  readonly agentVersion: string;
  readonly clockSkewMs: number;
  readonly conditions: readonly object[];
  readonly leases: readonly object[];
  readonly runningTasks: readonly string[];
  readonly gpuUtilization: readonly number[] | undefined;
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
/** The outbox as its relay sees it. */
export interface OutboxLog {
  /** Waits until this process is the only relay, then reads in order. Ends when the signal fires. */
  lead(relay: string, signal: AbortSignal): Promise<OutboxReader>;
  /** Calls back whenever something may have been committed. */
  onCommit(listener: () => void): Promise<{ close(): Promise<void> }>;
  backlog(relay: string): Promise<{ readonly pending: number; readonly oldestAgeSeconds: number }>;
  /** Starts over from the first event that is kept: after the bus lost everything. */
  rewind(relay: string): Promise<void>;
  /** Removes events that are published and older than the given age, and what consumers remembered of them. */
  sweep(relay: string, olderThan: Date, limit: number): Promise<number>;
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
