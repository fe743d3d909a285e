import { Duplex } from 'node:stream';

/** What ends a stream on which nothing moves. */
interface Timed {
  setTimeout(ms: number): unknown;
}

/**
 * The same stream, to which only bytes are ever written. Node's HTTP client hands text to a stream that takes it, and text that HTTP/2 is given together
 * with bytes, as the head of a request with its body is, reaches the other side with its beginning overwritten (Node 24): the memory of the
 * text is given back before it was sent.
 */
export function bytesOnly(inner: Duplex & Timed): Duplex & Timed {
  const outer = new Duplex({
    allowHalfOpen: true,
    read: () => void inner.resume(),
    write: (chunk: Buffer, _encoding, done) => void inner.write(chunk, done),
    final: (done) => void inner.end(done),
    destroy(error, done) {
      inner.destroy();
      done(error);
    },
  });
  inner.on('data', (chunk: Buffer) => {
    if (!outer.push(chunk)) inner.pause();
  });
  inner.pause();
  inner.once('end', () => outer.push(null));
  inner.on('error', (error) => outer.destroy(error));
  // What came before a proper end is still to be read.
  inner.once('close', () => !inner.readableEnded && outer.destroy());
  inner.on('timeout', () => outer.emit('timeout'));
  // The HTTP client sets it for its answers.
  return Object.assign(outer, { setTimeout: (ms: number) => void inner.setTimeout(ms) });
}
