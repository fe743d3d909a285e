import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/**
 * An authenticator in software: what a device with a browser in front of it answers when it is asked for a passkey. A test
 * may lie in each of the details that a server has to check.
 */
export interface Lies {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  /** The device did not verify its person. */
  readonly unverified?: boolean;
  readonly count?: number;
}
interface Options {
  readonly challenge: string;
}

const text = (bytes: Buffer) => bytes.toString('base64url');
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest();
const userPresent = 0x01;
const userVerified = 0x04;
const attested = 0x40;

/** A byte string of CBOR, for lengths from 24 to 255. */
const cborBytes = (bytes: Buffer) => Buffer.concat([Buffer.from([0x58, bytes.length]), bytes]);
const cborText = (word: string) => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)]);

export function makeAuthenticator(at: { readonly origin: string; readonly rpId: string }) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let count = 0;

  const clientData = (type: string, options: object, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? (options as Options).challenge,
        origin: lies.origin ?? at.origin,
        crossOrigin: false,
      }),
    );
  const authenticatorData = (lies: Lies, more?: Buffer) => {
    count = lies.count ?? count + 1;
    const flags = userPresent | (lies.unverified ? 0 : userVerified) | (more ? attested : 0);
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(count);
    const parts = [sha256(lies.rpId ?? at.rpId), Buffer.from([flags]), counted, ...(more ? [more] : [])];
    return Buffer.concat(parts);
  };
  /** EC2, ES256, P-256, as COSE writes them. */
  const coseKey = () =>
    Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      cborBytes(Buffer.from(jwk.x ?? '', 'base64url')),
      Buffer.from([0x22]),
      cborBytes(Buffer.from(jwk.y ?? '', 'base64url')),
    ]);
  const answer = (response: object) => ({
    ...{ id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {} },
    response,
  });

  return {
    id: text(id),
    /** What `navigator.credentials.create` answers. */
    create(options: object, lies: Lies = {}) {
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey()]);
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        ...[cborText('fmt'), cborText('none')],
        ...[cborText('attStmt'), Buffer.from([0xa0])],
        ...[cborText('authData'), cborBytes(authenticatorData(lies, credential))],
      ]);
      return answer({
        clientDataJSON: text(clientData('webauthn.create', options, lies)),
        attestationObject: text(attestation),
        transports: ['internal', 'telepathy'],
      });
    },
    /** What `navigator.credentials.get` answers. */
    get(options: object, lies: Lies = {}) {
      const client = clientData('webauthn.get', options, lies);
      const data = authenticatorData(lies);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return answer({
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(signature),
      });
    },
  };
}
