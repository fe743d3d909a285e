const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const bitsOfLetter = 5;

/** RFC 4648, without padding: what people can type and authenticator apps expect. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(new RegExp(`.{1,${bitsOfLetter}}`, 'g')) ?? [];
  return groups.map((group) => letters[Number.parseInt(group.padEnd(bitsOfLetter, '0'), 2)]).join('');
}
