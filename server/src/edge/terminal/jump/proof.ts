import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { isCertificateType, readCertificate, readFirstText } from '@gpuaas/contract/ssh';
import ssh2, { type PublicKeyAuthContext } from 'ssh2';
import { verifiesSsh } from '../../../kernel/secrets/ssh-signature.ts';

export type Shown = Pick<PublicKeyAuthContext, 'key' | 'signature' | 'blob' | 'hashAlgo'>;

/** As `ssh-keygen -lf` prints it. */
export const fingerprintOf = (key: Uint8Array): string => `SHA256:${hash('sha256', key, 'base64').replace(/=+$/, '')}`;

/**
 * Whether the one who shows a key holds its private half. Undefined: there is no signature yet, the client only asks whether the key
 * would do. Of a certificate, the key that it is for is proven; the api knows which certificates there are. A key whose name is not the one in its bytes is no key, and SHA-1 proves nothing.
 */
export function provesKey({ key, signature, blob, hashAlgo }: Shown): boolean | undefined {
  const type = typeOf(key.data);
  if (type === undefined || type !== key.algo) return false;
  if (!signature) return undefined;
  if (blob && isCertificateType(type)) {
    const subject = readCertificate(key.data)?.key;
    return subject !== undefined && verifiesSsh(subject, signature, blob);
  }
  if (!blob || (type === 'ssh-rsa' && hashAlgo === undefined)) return false;
  const token = tokens[type];
  if (token) return token(key.data, signature, blob);
  const parsed = ssh2.utils.parseKey(Buffer.from(`${type} ${key.data.toString('base64')}`));
  return parsed instanceof Error ? false : parsed.verify(blob, signature, hashAlgo) === true;
}

function typeOf(key: Uint8Array): string | undefined {
  try {
    return readFirstText(key);
  } catch {
    return undefined;
  }
}

const lengthBytes = 4;
/** The parts of bytes that each begin with their length. Throws when they end too early. */
function fieldsOf(bytes: Buffer, count: number): { readonly fields: Buffer[]; readonly rest: Buffer } {
  const fields: Buffer[] = [];
  let at = 0;
  while (fields.length < count) {
    const end = at + lengthBytes + bytes.readUInt32BE(at);
    if (end > bytes.length) throw new RangeError('the bytes end too early');
    fields.push(bytes.subarray(at + lengthBytes, end));
    at = end;
  }
  return { fields, rest: bytes.subarray(at) };
}

/** A signature of a security token ends with a flag and a counter. The flag says that a person touched it. */
const tailBytes = 5;
const touched = 1;
const uncompressed = { point: 65, coordinate: 32 } as const;

/** What a token signs: the application, the flag, the counter, and the digest of what is to be proven. */
function signedByToken(application: Buffer, tail: Buffer, blob: Buffer): Buffer | undefined {
  if (((tail[0] ?? 0) & touched) === 0) return undefined;
  return Buffer.concat([hash('sha256', application, 'buffer'), tail, hash('sha256', blob, 'buffer')]);
}
const jwk = (key: Record<string, string>): KeyObject => createPublicKey({ format: 'jwk', key });
const url = (bytes: Buffer): string => bytes.toString('base64url');

/** Keys on security tokens, which the library does not verify. */
const tokens: Readonly<Record<string, (key: Buffer, signature: Buffer, blob: Buffer) => boolean>> = {
  'sk-ssh-ed25519@openssh.com': (key, signature, blob) =>
    safely(() => {
      const [, point, application] = fieldsOf(key, 3).fields as [Buffer, Buffer, Buffer];
      const proof = signature.subarray(0, -tailBytes);
      const signed = signedByToken(application, signature.subarray(-tailBytes), blob);
      return signed !== undefined && verify(null, signed, jwk({ kty: 'OKP', crv: 'Ed25519', x: url(point) }), proof);
    }),
  'sk-ecdsa-sha2-nistp256@openssh.com': (key, signature, blob) =>
    safely(() => {
      const [, , point, application] = fieldsOf(key, 4).fields as [Buffer, Buffer, Buffer, Buffer];
      const { fields, rest } = fieldsOf(signature, 2);
      const signed = signedByToken(application, rest, blob);
      if (!signed || rest.length !== tailBytes || point.length !== uncompressed.point) return false;
      const [x, y] = [point.subarray(1, 1 + uncompressed.coordinate), point.subarray(1 + uncompressed.coordinate)];
      const proof = Buffer.concat(fields.map(coordinate));
      const own = jwk({ kty: 'EC', crv: 'P-256', x: url(x), y: url(y) });
      return verify('sha256', signed, { key: own, dsaEncoding: 'ieee-p1363' }, proof);
    }),
};
/** A number of the wire format as so many bytes. */
function coordinate(number: Buffer): Buffer {
  const digits = number[0] === 0 ? number.subarray(1) : number;
  const whole = Buffer.alloc(uncompressed.coordinate);
  if (digits.length > whole.length) throw new RangeError('the number is too large');
  digits.copy(whole, whole.length - digits.length);
  return whole;
}
function safely(judge: () => boolean): boolean {
  try {
    return judge();
  } catch {
    return false;
  }
}
