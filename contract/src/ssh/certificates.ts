import { keyLine } from './keys.ts';
import { sshConcat, sshString, sshUint32 } from './wire.ts';

/**
 * Certificates of OpenSSH for people (PROTOCOL.certkeys). A certificate is the type, a nonce, the fields of the public key, what it is
 * good for, the key of the authority and its signature over all of it.
 */
const suffix = '-cert-v01@openssh.com';
/** How many fields the public key has behind its type. RSA is left out: its certificates have types of their own. */
const keyFields: Readonly<Record<string, number>> = {
  'ssh-ed25519': 1,
  'ecdsa-sha2-nistp256': 2,
  'ecdsa-sha2-nistp384': 2,
  'ecdsa-sha2-nistp521': 2,
  'sk-ssh-ed25519@openssh.com': 2,
  'sk-ecdsa-sha2-nistp256@openssh.com': 3,
};
export const certifiedTypes = Object.keys(keyFields);
/** `ssh-ed25519` becomes `ssh-ed25519-cert-v01@openssh.com`; keys of security tokens have their at sign once. */
export const certificateTypeOf = (type: string): string => `${type.replace('@openssh.com', '')}${suffix}`;
const keyTypes = new Map(certifiedTypes.map((type) => [certificateTypeOf(type), type]));
export const isCertificateType = (type: string): boolean => keyTypes.has(type);

const ofUser = 1;
/** What a login with a key may do, too. */
const extensions = [
  'permit-X11-forwarding',
  'permit-agent-forwarding',
  'permit-port-forwarding',
  'permit-pty',
  'permit-user-rc',
];

export interface CertificateWish {
  /** The bytes of the public key, as in its line. */
  readonly key: Uint8Array;
  readonly keyType: string;
  readonly serial: bigint;
  readonly keyId: string;
  readonly principals: readonly string[];
  /** In seconds since 1970. */
  readonly validAfter: number;
  readonly validBefore: number;
  readonly nonce: Uint8Array;
  /** The bytes of the public key of the authority. */
  readonly authority: Uint8Array;
  /** Answers the 64 bytes of an Ed25519 signature. */
  sign(bytes: Uint8Array): Uint8Array;
}

/** The line of a certificate, and its bytes. The authority signs with Ed25519. */
export function makeCertificate(wish: CertificateWish): { readonly line: string; readonly blob: Uint8Array } {
  const type = certificateTypeOf(wish.keyType);
  if (!keyTypes.has(type)) throw new RangeError(`no certificates for keys of type ${wish.keyType}`);
  // The fields of the key stand in the certificate as they stand in the key.
  const fields = wish.key.subarray(4 + wish.keyType.length);
  const body = sshConcat(
    ...[
      sshString(type),
      sshString(wish.nonce),
      fields,
      sshUint64(wish.serial),
      sshUint32(ofUser),
      sshString(wish.keyId),
    ],
    sshString(sshConcat(...wish.principals.map(sshString))),
    ...[sshUint64(BigInt(wish.validAfter)), sshUint64(BigInt(wish.validBefore)), sshString('')],
    sshString(sshConcat(...extensions.flatMap((name) => [sshString(name), sshString('')]))),
    ...[sshString(''), sshString(wish.authority)],
  );
  const signature = sshConcat(sshString('ssh-ed25519'), sshString(wish.sign(body)));
  const blob = sshConcat(body, sshString(signature));
  return { line: keyLine(type, blob), blob };
}

export interface Certificate {
  readonly keyType: string;
  /** The public key that it is for, as in its line. */
  readonly key: Uint8Array;
  readonly serial: bigint;
  readonly isOfUser: boolean;
  readonly keyId: string;
  readonly principals: readonly string[];
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly criticalOptions: Uint8Array;
  readonly authority: Uint8Array;
  /** What the authority signed. */
  readonly signed: Uint8Array;
  readonly signature: { readonly type: string; readonly bytes: Uint8Array };
}

/** Takes a certificate apart; undefined when it is none. Nothing is checked here but its form. */
export function readCertificate(blob: Uint8Array): Certificate | undefined {
  try {
    const read = makeReader(blob);
    const type = read.text();
    const keyType = keyTypes.get(type);
    if (keyType === undefined) return undefined;
    read.bytes();
    const keyFrom = read.at;
    for (let left = keyFields[keyType] ?? 0; left > 0; left -= 1) read.bytes();
    const key = sshConcat(sshString(keyType), blob.subarray(keyFrom, read.at));
    const [serial, kind, keyId] = [read.number64(), read.number32(), read.text()];
    const names = makeReader(read.bytes());
    const principals: string[] = [];
    while (!names.isOver()) principals.push(names.text());
    const [validAfter, validBefore, criticalOptions] = [read.number64(), read.number64(), read.bytes()];
    read.bytes();
    read.bytes();
    const authority = read.bytes();
    const signed = blob.subarray(0, read.at);
    const within = makeReader(read.bytes());
    const signature = { type: within.text(), bytes: within.bytes() };
    if (!read.isOver() || !within.isOver()) return undefined;
    return {
      ...{ keyType, key, serial, isOfUser: kind === ofUser, keyId, principals, validAfter, validBefore },
      ...{ criticalOptions, authority, signed, signature },
    };
  } catch {
    return undefined;
  }
}

function sshUint64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

/** Reads fields one after the other. Throws when the bytes end too early. */
function makeReader(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const step = (count: number): number => {
    if (count > bytes.length - at) throw new RangeError('the bytes end too early');
    at += count;
    return at - count;
  };
  const field = (): Uint8Array => {
    const length = view.getUint32(step(4));
    return bytes.subarray(step(length), at);
  };
  return {
    get at() {
      return at;
    },
    isOver: () => at === bytes.length,
    bytes: field,
    text: () => new TextDecoder('utf-8', { fatal: true }).decode(field()),
    number32: () => view.getUint32(step(4)),
    number64: () => view.getBigUint64(step(8)),
  };
}
