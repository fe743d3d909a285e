import { createPrivateKey, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { endorsementText } from '@gpuaas/contract/node';
import { Outage } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { NewSigner, SignerRow } from './signers-store.ts';

/** Encrypts what must not lie in the database as it is. A text that is moved to another place does not open. */
export interface Seal {
  close(text: string, place: string): Buffer;
  open(sealed: Uint8Array, place: string): string;
}

/** Where the private half of a key lies, for its seal. */
export const signersPlace = (id: string): string => `task signing key ${id}`;

/** The private halves of the keys: made and opened here, sealed everywhere else. */
export class SignerKeys {
  readonly #seal: Seal;
  readonly #ids: Ids;
  readonly #opened = new Map<string, KeyObject>();
  constructor(seal: Seal, ids: Ids) {
    this.#seal = seal;
    this.#ids = ids;
  }

  /** A new key, vouched for by the one that signs now: nodes take it on that one's word. */
  make(before: SignerRow | undefined): NewSigner {
    const id = this.#ids.next();
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    const sealed = this.#seal.close(privateKey.export({ format: 'pem', type: 'pkcs8' }) as string, signersPlace(id));
    if (!before) return { id, publicKey: x, sealed };
    const text = endorsementText({ signer_version_id: id, public_key: x, endorsed_by: before.id });
    return { id, publicKey: x, sealed, endorsed: { by: before.id, signature: this.sign(before, text) } };
  }

  sign(row: SignerRow, text: string): string {
    return signBytes(null, Buffer.from(text), this.#privateKey(row)).toString('base64url');
  }

  #privateKey(row: SignerRow): KeyObject {
    const known = this.#opened.get(row.id);
    if (known) return known;
    let key: KeyObject;
    try {
      key = createPrivateKey(this.#seal.open(row.sealed_private_key, signersPlace(row.id)));
    } catch (cause) {
      throw new Outage('the task-signing keys were sealed with another GPUAAS_SECRETS_KEY', { cause });
    }
    this.#opened.set(row.id, key);
    return key;
  }
}
