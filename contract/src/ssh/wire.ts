/** The encoding of SSH: big-endian numbers, and texts with their length in front. */
const concat = (parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};
const bytesOf = (value: Uint8Array | string): Uint8Array =>
  typeof value === 'string' ? new TextEncoder().encode(value) : value;

export function sshUint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
export function sshString(value: Uint8Array | string): Uint8Array {
  const bytes = bytesOf(value);
  return concat([sshUint32(bytes.length), bytes]);
}
export const sshConcat = (...parts: readonly Uint8Array[]): Uint8Array => concat(parts);

/** The first text of some bytes, which in a key is its type. Throws when they end too early. */
export function readFirstText(bytes: Uint8Array): string {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  if (length > bytes.length - 4) throw new RangeError('the bytes end too early');
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(4, 4 + length));
}

/** The first texts of some bytes, as bytes. Throws when they end too early. */
export function readTexts(bytes: Uint8Array, count: number): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: Uint8Array[] = [];
  for (let at = 0; texts.length < count; ) {
    const end = at + 4 + view.getUint32(at);
    if (end > bytes.length) throw new RangeError('the bytes end too early');
    texts.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return texts;
}
