/**
 * What a client says to PostgreSQL to run a prepared statement, gathered into one piece so that it leaves in one write:
 * each write wakes the server's process, and waking it costs both sides more than most statements do.
 *
 * Values travel as text and become what the statement's parameters are; bytes travel as they are.
 */
export class Frames {
  #bytes = Buffer.allocUnsafeSlow(firstBytes);
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  parse(name: string, text: string): void {
    const start = this.#open(parseCode);
    this.#cstring(name);
    this.#cstring(text);
    // The server finds out the types of the parameters by itself.
    this.#int16(0);
    this.#close(start);
  }

  bind(name: string, sent: readonly Sent[]): void {
    const start = this.#open(bindCode);
    this.#cstring('');
    this.#cstring(name);
    this.#int16(sent.length);
    for (const value of sent) this.#int16(value instanceof Uint8Array ? 1 : 0);
    this.#int16(sent.length);
    for (const value of sent) {
      if (value === null) this.#int32(-1);
      else if (typeof value === 'string') this.#countedText(value);
      else this.#countedBytes(value);
    }
    // All answers as text.
    this.#int16(0);
    this.#close(start);
  }

  describe(): void {
    this.#constant(describePortal);
  }
  execute(): void {
    this.#constant(executePortal);
  }
  /** Asks for the answers so far. */
  flush(): void {
    this.#constant(flushMessage);
  }
  /** Ends what was said since the last one. */
  sync(): void {
    this.#constant(syncMessage);
  }

  /** Hands out what was gathered, and starts anew. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.allocUnsafeSlow(firstBytes);
    return taken;
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
  #open(code: number): number {
    this.#room(5);
    this.#bytes[this.#length] = code;
    this.#length += 5;
    return this.#length - 4;
  }
  /** A message says how long it is, itself included, before it says anything else. */
  #close(start: number): void {
    this.#bytes.writeInt32BE(this.#length - start, start);
  }
  #int16(value: number): void {
    this.#room(2);
    this.#length = this.#bytes.writeInt16BE(value, this.#length);
  }
  #int32(value: number): void {
    this.#room(4);
    this.#length = this.#bytes.writeInt32BE(value, this.#length);
  }
  #cstring(text: string): void {
    this.#room(text.length * 3 + 1);
    this.#length += this.#bytes.write(text, this.#length);
    this.#bytes[this.#length] = 0;
    this.#length += 1;
  }
  #countedText(text: string): void {
    // No UTF-16 unit takes more than three bytes, so nothing is measured twice.
    this.#room(text.length * 3 + 4);
    const written = this.#bytes.write(text, this.#length + 4);
    this.#bytes.writeInt32BE(written, this.#length);
    this.#length += written + 4;
  }
  #countedBytes(bytes: Uint8Array): void {
    this.#int32(bytes.length);
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }
  #constant(message: Buffer): void {
    this.#room(message.length);
    this.#bytes.set(message, this.#length);
    this.#length += message.length;
  }
}

const firstBytes = 8_192;
const keptBytes = 262_144;
const [parseCode, bindCode] = [0x50, 0x42];
const describePortal = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0]);
const executePortal = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const flushMessage = Buffer.from([0x48, 0, 0, 0, 4]);
const syncMessage = Buffer.from([0x53, 0, 0, 0, 4]);

export type Sent = string | Uint8Array | null;

/** A value as it travels. Throws for what cannot be sent. */
export function asSent(value: unknown): Sent {
  switch (typeof value) {
    case 'string':
      return value;
    case 'undefined':
      return null;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null || value instanceof Uint8Array) return value;
      if (value instanceof Date) return value.toISOString();
      return Array.isArray(value) ? asArray(value) : JSON.stringify(value);
    default:
      throw new TypeError(`A ${typeof value} cannot be sent to the database.`);
  }
}

/** An array as PostgreSQL writes one: everything quoted, so that no text is taken for a brace or for NULL. */
function asArray(items: readonly unknown[]): string {
  const written = items.map((item) => {
    if (Array.isArray(item)) return asArray(item);
    const sent = asSent(item);
    if (sent === null) return 'NULL';
    const text = typeof sent === 'string' ? sent : `\\x${Buffer.from(sent).toString('hex')}`;
    return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  });
  return `{${written.join(',')}}`;
}
