/**
 * The newest bytes of a stream, each with its place counted from the beginning of the stream. The caller says what may be
 * forgotten; the ring grows only as far as what is kept, and never beyond its limit.
 */
export interface Ring {
  /** The place of the oldest byte that is kept. */
  readonly from: number;
  /** The place of the next byte. */
  readonly to: number;
  /** Memory that the ring holds, in bytes. */
  readonly allocated: number;
  /** Adds bytes. The oldest go when the limit would be passed. */
  push(bytes: Uint8Array): void;
  /** A copy of at most `most` bytes from a place that is kept. */
  read(from: number, most: number): Buffer;
  /** Forgets everything before this place. */
  forget(before: number): void;
}

const firstBytes = 4_096;

export function makeRing(limitBytes: number): Ring {
  let store = Buffer.allocUnsafeSlow(Math.min(firstBytes, limitBytes));
  let from = 0;
  let to = 0;

  /** Copies into `target`, which may be shorter than what is asked for. */
  const copyOut = (target: Buffer, place: number) => {
    const begin = place % store.length;
    const first = Math.min(target.length, store.length - begin);
    store.copy(target, 0, begin, begin + first);
    store.copy(target, first, 0, target.length - first);
  };
  const growFor = (bytes: number) => {
    let size = store.length;
    while (size < bytes) size = Math.min(size * 2, limitBytes);
    if (size === store.length) return;
    const kept = Buffer.allocUnsafeSlow(to - from);
    copyOut(kept, from);
    store = Buffer.allocUnsafeSlow(size);
    put(kept, from);
  };
  const put = (bytes: Uint8Array, place: number) => {
    const begin = place % store.length;
    const first = Math.min(bytes.length, store.length - begin);
    store.set(bytes.subarray(0, first), begin);
    store.set(bytes.subarray(first), 0);
  };

  return {
    get from() {
      return from;
    },
    get to() {
      return to;
    },
    get allocated() {
      return store.length;
    },
    push(bytes) {
      const next = to + bytes.length;
      from = Math.max(from, next - limitBytes);
      // What does not fit even into an empty ring is only counted.
      const fitting = bytes.subarray(Math.max(0, from - to));
      if (from > to) to = from;
      growFor(next - from);
      put(fitting, to);
      to = next;
    },
    read(place, most) {
      if (place < from || place > to) throw new RangeError(`${place} is not between ${from} and ${to}`);
      const found = Buffer.allocUnsafe(Math.min(most, to - place));
      copyOut(found, place);
      return found;
    },
    forget(before) {
      from = Math.min(Math.max(from, before), to);
    },
  };
}
