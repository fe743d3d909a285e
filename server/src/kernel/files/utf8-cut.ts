/** How many bytes at the end are the beginning of a character whose rest is to come. */
export function utf8Cut(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0x80 && byte < 0xc0) continue;
    return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

/** The length of a character by its first byte; 1 for what begins none. */
function lengthOf(byte: number): number {
  if (byte < 0xc2 || byte > 0xf4) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}
