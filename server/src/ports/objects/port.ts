import type { Readable } from 'node:stream';

/**
 * Large things by key: recordings, exports, artifacts. A key is a relative path of plain segments: ASCII letters,
 * digits and `._=@+-`, none beginning with a dot. It is never also the folder of another key, since not every store
 * can hold both. What a store cannot hold is refused with a `RangeError`.
 */
export interface Objects {
  /** Replaces whatever was there; a reader sees the old object or the new one, never a part. */
  put(key: string, body: Buffer | Readable, options?: { readonly contentType?: string }): Promise<ObjectFacts>;
  /** Facts and body belong together, whatever happens to the key meanwhile. The body is to be read or destroyed. */
  get(key: string): Promise<{ readonly facts: ObjectFacts; readonly body: Readable } | undefined>;
  facts(key: string): Promise<ObjectFacts | undefined>;
  delete(key: string): Promise<void>;
  /**
   * Keys under a prefix in byte order, a page of at most 1,000 at a time: those after `after`, which need not exist.
   * A page that is not full is the last one.
   */
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
