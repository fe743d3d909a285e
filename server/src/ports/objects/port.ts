import type { Readable } from 'node:stream';

/** Large things by key: recordings, exports, artifacts. A key is a relative path of plain segments. */
export interface Objects {
  /** Replaces whatever was there; a reader sees the old object or the new one, never a part. */
  put(key: string, body: Buffer | Readable, options?: { readonly contentType?: string }): Promise<ObjectFacts>;
  get(key: string): Promise<{ readonly facts: ObjectFacts; readonly body: Readable } | undefined>;
  facts(key: string): Promise<ObjectFacts | undefined>;
  delete(key: string): Promise<void>;
  /** Keys under a prefix in order, a page at a time. */
  list(prefix: string, page: { readonly limit: number; readonly after?: string }): Promise<ObjectFacts[]>;
  /** A look at the store itself; throws when it cannot be used. */
  check(): Promise<void>;
  close(): Promise<void>;
}
export interface ObjectFacts {
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
  readonly contentType: string;
  readonly modifiedAt: Date;
}
