import type { Readable } from 'node:stream';

/**
 * The bytes of tenants. A blob is named by ids that we choose, so no text of a tenant ever becomes a path or a key of the
 * object store: names, folders and rights are rows of the storage domain. A blob is written once, in parts, and never changes.
 *
 * Tenants' bytes have a folder or bucket of their own; the platform's objects are another port.
 */
export interface Storage {
  /** Opens a blob for writing. The answer is the object store's own name of the upload, kept by the caller. */
  begin(blob: BlobName): Promise<string>;
  /**
   * Takes one part. Bytes that are not as declared are refused with `NotAsDeclared`, and leave nothing behind. A part that is
   * sent again replaces the former one, so an upload never holds more than it declared. A blob that was finished or removed takes
   * none: that is a `RangeError`.
   */
  putPart(upload: OpenUpload, part: Part, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** The parts that have arrived whole, by number. */
  parts(upload: OpenUpload): Promise<readonly Part[]>;
  /** Makes the blob readable, of exactly these parts. Harmless when repeated with the same parts. */
  finish(upload: OpenUpload, parts: readonly Part[]): Promise<void>;
  /** The bytes from `start` to `end`, both included; undefined where there is no finished blob. To be read or destroyed. */
  read(blob: BlobName, range: ByteRange): Promise<Readable | undefined>;
  /** Removes a blob, or what has arrived of an upload. Harmless when repeated. */
  remove(upload: OpenUpload): Promise<void>;
  /** Addresses at the object store itself, where callers reach it; without them bytes pass through our own transfer addresses. */
  readonly direct: DirectAddresses | undefined;
  /** A look at the store itself; throws when it cannot be used. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface BlobName {
  readonly projectId: string;
  readonly blobId: string;
}
export interface OpenUpload extends BlobName {
  readonly handle: string;
}
export interface Part {
  readonly number: number;
  readonly sizeBytes: number;
  /** In hex. */
  readonly sha256: string;
}
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Each address works for one request of one kind, for as long as was asked; the object store checks it, not us. */
export interface DirectAddresses {
  /** Where they all lie, so that our own pages may ask there. */
  readonly origin: string;
  /** A PUT of exactly these bytes: their number and digest are part of what is signed. */
  part(upload: OpenUpload, part: Part, seconds: number): Promise<Address>;
  /** A GET, with or without a range. */
  read(blob: BlobName, shown: Shown, seconds: number): Promise<Address>;
}
export interface Address {
  readonly url: string;
  /** To be sent as they are. */
  readonly headers: Readonly<Record<string, string>>;
}
/** What the answer to a download says about itself. */
export interface Shown {
  readonly contentType: string;
  readonly contentDisposition: string;
}

/** What every adapter can hold. */
export const limits = {
  /** The smallest part but the last; Amazon's bound. */
  smallestPartBytes: 5 * 1_024 * 1_024,
  largestPartBytes: 1_024 * 1_024 * 1_024,
  mostParts: 10_000,
} as const;
