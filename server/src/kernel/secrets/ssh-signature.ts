import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';

/**
 * Signatures of SSH keys in the form that OpenSSH writes into files and packets: the name of the algorithm, the signature, and for
 * security tokens a flag and a counter behind it.
 */
const lengthBytes = 4;
/** The flag says that a person touched the token; the counter has four bytes. */
const tokenTail = { bytes: 5, touched: 1 } as const;
const url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const jwk = (key: Record<string, string>): KeyObject => createPublicKey({ format: 'jwk', key });
const curves: Readonly<Record<string, { readonly crv: string; readonly bytes: number; readonly digest: string }>> = {
  nistp256: { crv: 'P-256', bytes: 32, digest: 'sha256' },
  nistp384: { crv: 'P-384', bytes: 48, digest: 'sha384' },
  nistp521: { crv: 'P-521', bytes: 66, digest: 'sha512' },
};
const rsaDigests: Readonly<Record<string, string>> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' };
const ecdsa = /^(?:sk-)?ecdsa-sha2-(nistp\d{3})/;
const empty = new Uint8Array();

/** The first fields of some bytes, each with its length in front. Throws when they end too early. */
function readTexts(bytes: Uint8Array, count: number): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: Uint8Array[] = [];
  for (let at = 0; texts.length < count; ) {
    const end = at + lengthBytes + view.getUint32(at);
    if (end > bytes.length) throw new RangeError('the bytes end too early');
    texts.push(bytes.subarray(at + lengthBytes, end));
    at = end;
  }
  return texts;
}

/** Whether the holder of a key signed a message. Damaged bytes prove nothing. SHA-1 is not taken. */
export function verifiesSsh(key: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  try {
    const [type] = readTexts(key, 1).map(latin);
    const [name, proof] = readTexts(signature, 2);
    const algorithm = latin(name ?? empty);
    if (type === undefined || !proof) return false;
    if (type === 'ssh-rsa') return verifiesRsa(key, algorithm, proof, message);
    if (algorithm !== type) return false;
    const tail = signature.subarray(2 * lengthBytes + algorithm.length + proof.length);
    const curve = curves[ecdsa.exec(type)?.[1] ?? ''];
    const isToken = type.startsWith('sk-');
    const fields = readTexts(key, (curve ? 3 : 2) + (isToken ? 1 : 0));
    const point = fields[curve ? 2 : 1] ?? empty;
    const signed = isToken ? signedByToken(fields.at(-1) ?? empty, tail, message) : message;
    if (!signed || (!isToken && tail.length > 0)) return false;
    if (curve) return verifiesEcdsa(point, curve, proof, signed);
    if (type !== 'ssh-ed25519' && type !== 'sk-ssh-ed25519@openssh.com') return false;
    return verify(null, signed, jwk({ kty: 'OKP', crv: 'Ed25519', x: url(point) }), proof);
  } catch {
    return false;
  }
}
const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

function verifiesRsa(key: Uint8Array, algorithm: string, proof: Uint8Array, message: Uint8Array): boolean {
  const digest = rsaDigests[algorithm];
  const [, e = empty, n = empty] = readTexts(key, 3).map(withoutSign);
  return digest !== undefined && verify(digest, message, jwk({ kty: 'RSA', e: url(e), n: url(n) }), proof);
}

function verifiesEcdsa(
  point: Uint8Array,
  { crv, bytes, digest }: { readonly crv: string; readonly bytes: number; readonly digest: string },
  proof: Uint8Array,
  message: Uint8Array,
): boolean {
  const own = jwk({ kty: 'EC', crv, x: url(point.subarray(1, 1 + bytes)), y: url(point.subarray(1 + bytes)) });
  const pair = Buffer.concat(readTexts(proof, 2).map((number) => padded(withoutSign(number), bytes)));
  return verify(digest, message, { key: own, dsaEncoding: 'ieee-p1363' }, pair);
}

/** What a token signs: the application, the flag, the counter, and the digest of what is to be proven. */
function signedByToken(application: Uint8Array, tail: Uint8Array, message: Uint8Array): Buffer | undefined {
  if (tail.length !== tokenTail.bytes || ((tail[0] ?? 0) & tokenTail.touched) === 0) return undefined;
  return Buffer.concat([hash('sha256', application, 'buffer'), tail, hash('sha256', message, 'buffer')]);
}
const withoutSign = (number: Uint8Array): Uint8Array => (number[0] === 0 ? number.subarray(1) : number);
function padded(number: Uint8Array, bytes: number): Buffer {
  const whole = Buffer.alloc(bytes);
  if (number.length > bytes) throw new RangeError('the number is too large');
  whole.set(number, bytes - number.length);
  return whole;
}
