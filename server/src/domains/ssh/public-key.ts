import { createPublicKey, hash } from 'node:crypto';
import {
  base2,
  byteBits,
  curves,
  ed25519 as ed25519Key,
  lengthBytes,
  maxComment,
  maxRsaBits,
  minExponentBits,
  negativeFrom,
  uncompressed,
} from './facts.ts';

/**
 * Reads one line of an OpenSSH public key file, strictly. What is accepted here is later written into authorized_keys
 * of hosts, where a line may also carry options, commands and more lines; so nothing passes that is not exactly a type,
 * a key of that type and a comment. The key itself is taken apart field by field: a line that only looks like a key
 * would be found out by the person who cannot log in.
 */
export interface PublicKey {
  readonly type: string;
  readonly bits: number;
  /** Type and key as one word each, without a comment. */
  readonly line: string;
  /** As `ssh-keygen -lf` prints it. */
  readonly fingerprint: string;
  readonly comment: string;
}
export interface Unacceptable {
  /** What is wrong and what to do, in a sentence. */
  readonly why: string;
}

const control = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
const no = (why: string): Unacceptable => ({ why });
const malformed = no('The key is damaged: copy the line of the .pub file again, from its first to its last character.');

/** Each type reads its own fields and answers how many bits the key has, or what is wrong with it. */
const types: Readonly<Record<string, (fields: Fields, rsaMinBits: number) => number | Unacceptable>> = {
  'ssh-ed25519': (fields) => ed25519(fields),
  'ecdsa-sha2-nistp256': (fields) => ecdsa(fields, 'nistp256'),
  'ecdsa-sha2-nistp384': (fields) => ecdsa(fields, 'nistp384'),
  'ecdsa-sha2-nistp521': (fields) => ecdsa(fields, 'nistp521'),
  'ssh-rsa': (fields, rsaMinBits) => rsa(fields, rsaMinBits),
  'sk-ssh-ed25519@openssh.com': (fields) => withApplication(fields, ed25519(fields)),
  'sk-ecdsa-sha2-nistp256@openssh.com': (fields) => withApplication(fields, ecdsa(fields, 'nistp256')),
};
export const acceptedTypes = Object.keys(types);

export function readPublicKey(text: string, rules: { readonly rsaMinBits: number }): PublicKey | Unacceptable {
  if (/PRIVATE KEY-----|^PuTTY-User-Key-File/m.test(text)) {
    return no('This is a private key. It must not leave your machine: make a new pair, and send the .pub file only.');
  }
  if (text.startsWith('---- BEGIN SSH2')) {
    return no('Send the key in OpenSSH form, one line: ssh-keygen -i -f <file> converts it.');
  }
  const line = text.replace(/\r?\n$/, '').trim();
  if (control.test(line)) return no('Send one line, without line breaks, tabs or other control characters.');
  const [type = '', base64 = '', ...rest] = line.split(/ +/);
  const comment = rest.join(' ');
  const read = Object.hasOwn(types, type) ? types[type] : undefined;
  if (!read) return unknownType(type, line);
  if (comment.length > maxComment) return no(`The comment is longer than ${maxComment} characters: shorten it.`);
  const blob = Buffer.from(base64, 'base64');
  // Another spelling of the same bytes is refused, so that a key has one line and one fingerprint.
  if (base64 === '' || blob.toString('base64') !== base64) return malformed;
  const fields = openFields(blob);
  if (fields.next()?.toString('latin1') !== type) return malformed;
  const bits = read(fields, rules.rsaMinBits);
  if (typeof bits !== 'number') return bits;
  if (!fields.atEnd()) return malformed;
  return {
    type,
    bits,
    line: `${type} ${base64}`,
    fingerprint: `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`,
    comment,
  };
}

function unknownType(type: string, line: string): Unacceptable {
  if (type === 'ssh-dss') return no('DSA keys are no longer safe: make a new one with ssh-keygen -t ed25519.');
  if (type.endsWith('-cert-v01@openssh.com')) return no('This is a certificate: send the public key itself.');
  if (acceptedTypes.some((known) => line.includes(`${known} `))) {
    return no('The line begins with options. Send the key alone: its type, the key, and a comment.');
  }
  return no(`This is not a public key that we accept. Send one of: ${acceptedTypes.join(', ')}.`);
}

interface Fields {
  /** The next length-prefixed string, or nothing when the rest is too short to hold one. */
  next(): Buffer | undefined;
  atEnd(): boolean;
}

function openFields(blob: Buffer): Fields {
  let at = 0;
  return {
    next() {
      if (blob.length - at < lengthBytes) return undefined;
      const length = blob.readUInt32BE(at);
      if (length > blob.length - at - lengthBytes) return undefined;
      const field = blob.subarray(at + lengthBytes, at + lengthBytes + length);
      at += lengthBytes + length;
      return field;
    },
    atEnd: () => at === blob.length,
  };
}

const ed25519 = (fields: Fields): number | Unacceptable =>
  fields.next()?.length === ed25519Key.bytes ? ed25519Key.bits : malformed;

function ecdsa(fields: Fields, name: string): number | Unacceptable {
  const curve = curves[name];
  const [called, point] = [fields.next()?.toString('latin1'), fields.next()];
  if (!curve || called !== name || !point) return malformed;
  const size = Math.ceil(curve.bits / byteBits);
  // Uncompressed points only, as OpenSSH itself writes and reads them.
  if (point.length !== 1 + uncompressed.coordinates * size || point[0] !== uncompressed.mark) return malformed;
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)];
  try {
    createPublicKey({
      format: 'jwk',
      key: { kty: 'EC', crv: curve.jwk, x: x.toString('base64url'), y: y.toString('base64url') },
    });
  } catch {
    return no('The key is no point of its curve: it was damaged, or made to harm.');
  }
  return curve.bits;
}

function rsa(fields: Fields, minBits: number): number | Unacceptable {
  const [exponent, modulus] = [readPositive(fields.next()), readPositive(fields.next())];
  if (!exponent || !modulus) return malformed;
  const bits = bitsOf(modulus);
  const isOdd = (number: Buffer) => ((number.at(-1) ?? 0) & 1) === 1;
  if (!isOdd(exponent) || bitsOf(exponent) < minExponentBits || !isOdd(modulus)) return malformed;
  if (bits < minBits) {
    return no(`An RSA key needs at least ${minBits} bits, this one has ${bits}: better make one with -t ed25519.`);
  }
  return bits > maxRsaBits ? no(`An RSA key has at most ${maxRsaBits} bits.`) : bits;
}

/** A number of the wire format without its sign byte; nothing for zero, negative and padded ones. */
function readPositive(field: Buffer | undefined): Buffer | undefined {
  const [first, second] = [field?.[0], field?.[1]];
  if (!field || first === undefined || first >= negativeFrom) return undefined;
  if (first !== 0) return field;
  return second !== undefined && second >= negativeFrom ? field.subarray(1) : undefined;
}

const bitsOf = (number: Buffer): number => (number.length - 1) * byteBits + (number[0] ?? 0).toString(base2).length;

/** Keys on security tokens end with the name of the application they were made for. */
function withApplication(fields: Fields, bits: number | Unacceptable): number | Unacceptable {
  if (typeof bits !== 'number') return bits;
  const application = fields.next();
  return application && application.length > 0 ? bits : malformed;
}
