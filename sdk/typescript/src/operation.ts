/** How an operation travels; the emitted table has one for each. */
export interface OperationFacts {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  /** It takes nothing but options. */
  readonly bare?: true;
  /** It takes an Idempotency-Key: a repeated call has one effect. */
  readonly keyed?: true;
  /** It is about a project, which a header names. */
  readonly inProject?: true;
  /** It is a removal that takes a body. */
  readonly body?: true;
  /** Its body is a file: the input of this name, sent as it is read. */
  readonly upload?: string;
  readonly paged?: true;
  readonly stream?: true;
  readonly text?: true;
}

/** What one call may choose for itself. */
export interface CallOptions {
  /** Instead of the client's project. */
  readonly project?: string;
  /** Makes this very call the same as an earlier one. Without it each call gets a key of its own, kept across its tries. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** The most that one try may take. */
  readonly timeoutMs?: number;
  /** Seen in logs and traces on the other side. */
  readonly requestId?: string;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}
/** A list: awaited it is its first page, iterated it is every row, fetched page by page as they are needed. */
export interface Paged<T> extends PromiseLike<Page<T>>, AsyncIterable<T> {
  pages(): AsyncIterable<Page<T>>;
}

export interface StreamedEvent<T = EventEnvelope> {
  /** Where to go on from. */
  readonly id: string;
  readonly type: string;
  readonly data: T;
}
export interface EventEnvelope {
  readonly event_id: string;
  readonly event_type: string;
  readonly occurred_at: string;
  readonly version: string;
  readonly correlation_id: string;
  readonly organization_id?: string;
  readonly project_id?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}
/** Events, or lines, as they happen. It connects again by itself, from where it was, until it is left or refused. */
export type EventStream<T = EventEnvelope> = AsyncIterable<StreamedEvent<T>>;
