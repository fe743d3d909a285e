/**
 * The last output of a shell, with its place in the whole. It takes a copy: a few bytes that point into a large buffer of the
 * network would keep all of it. It grows with what comes, up to its bound.
 */
export interface Ring {
  /** The offset of the oldest byte that is kept. */
  readonly from: number;
  /** The offset of the next byte. */
  readonly to: number;
  /** How much memory it holds. */
  readonly capacity: number;
  write(bytes: Buffer): void;
  /** What is kept from this offset on. */
  read(from: number): Buffer;
  /** Forgets everything and goes on at this offset. */
  restart(at: number): void;
}

const firstBytes = 4_096;

export function makeRing(limitBytes: number): Ring {
  let kept = Buffer.alloc(0);
  let to = 0;
  let size = 0;
  /** Where in the buffer the next byte goes. */
  let head = 0;

  const tail = (count: number): Buffer => {
    const start = (head - count + kept.length) % Math.max(1, kept.length);
    if (count === 0) return Buffer.alloc(0);
    if (start + count <= kept.length) return Buffer.from(kept.subarray(start, start + count));
    return Buffer.concat([kept.subarray(start), kept.subarray(0, count - (kept.length - start))]);
  };
  const grow = (needed: number): void => {
    let capacity = Math.max(kept.length, firstBytes);
    while (capacity < needed && capacity < limitBytes) capacity *= 2;
    capacity = Math.min(capacity, limitBytes);
    if (capacity <= kept.length) return;
    const before = tail(size);
    kept = Buffer.alloc(capacity);
    before.copy(kept);
    head = before.length % capacity;
  };

  return {
    get from() {
      return to - size;
    },
    get to() {
      return to;
    },
    get capacity() {
      return kept.length;
    },
    write(bytes) {
      to += bytes.length;
      const last = bytes.length > limitBytes ? bytes.subarray(bytes.length - limitBytes) : bytes;
      grow(size + last.length);
      const first = Math.min(last.length, kept.length - head);
      last.copy(kept, head, 0, first);
      last.copy(kept, 0, first);
      head = (head + last.length) % Math.max(1, kept.length);
      size = Math.min(kept.length, size + last.length);
    },
    read: (from) => tail(Math.min(size, Math.max(0, to - from))),
    restart(at) {
      to = at;
      size = 0;
      head = 0;
    },
  };
}
