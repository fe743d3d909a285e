import { createHash } from 'node:crypto';

/** What the sender of a file says about it before the first byte. */
export interface Declared {
  readonly sizeBytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** The bytes that came are not those that were declared. The message says how they differ. */
export class NotAsDeclared extends Error {
  override readonly name = 'NotAsDeclared';
}

/**
 * Passes bytes on while it counts and hashes them. It throws at the first byte too many, and at the end if the stream was
 * cut or the digest is another one, so a reader that waits for the end never takes a wrong file for a whole one.
 */
export async function* checkDeclared(bytes: AsyncIterable<Uint8Array>, declared: Declared): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let size = 0;
  for await (const chunk of uncut(bytes, () => size, declared)) {
    size += chunk.length;
    if (size > declared.sizeBytes) throw new NotAsDeclared(`The body has more than ${declared.sizeBytes} bytes.`);
    digest.update(chunk);
    yield chunk;
  }
  if (size < declared.sizeBytes) throw cut(size, declared);
  const found = digest.digest('hex');
  if (found !== declared.sha256) throw new NotAsDeclared(`The body has the digest sha256:${found}.`);
}

const cut = (size: number, { sizeBytes }: Declared) =>
  new NotAsDeclared(`The body ended after ${size} of ${sizeBytes} bytes.`);

/** A connection that breaks is an error of the stream. Its sender is gone: this is a short body and no fault of ours. */
async function* uncut(
  bytes: AsyncIterable<Uint8Array>,
  size: () => number,
  declared: Declared,
): AsyncGenerator<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await pieces.next().catch((error: unknown) => {
        throw Object.assign(cut(size(), declared), { cause: error });
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await pieces.return?.();
  }
}
