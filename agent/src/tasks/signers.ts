import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { acceptedSignerStates, SignerVersion, signedText } from '@gpuaas/contract/node';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Disk } from '../disk.ts';

/**
 * The keys whose tasks this node obeys: what the control plane said last, kept through restarts. A list that is heard
 * replaces the one before, so a revoked key is gone with the answer that no longer names it as accepted.
 */
export interface Signers {
  replace(signers: readonly SignerVersion[]): Promise<void>;
  /** Whether the signature of an envelope holds under the key it names, and that key is accepted at this time. */
  judge(envelope: SignedEnvelope, nowMs: number): 'holds' | 'unknown_signer' | 'bad_signature';
}
export interface SignedEnvelope {
  readonly signer_version_id: string;
  readonly signature: string;
  readonly [member: string]: unknown;
}

const list = Compile(Type.Array(SignerVersion));

export async function openSigners(parts: { readonly disk: Disk; readonly path: string }): Promise<Signers> {
  const { disk, path } = parts;
  // A damaged list trusts nobody until the next heartbeat brings a new one.
  let text = (await disk.read(path)) ?? '[]';
  let keys = keysOf(parseList(text));
  return {
    async replace(signers) {
      const next = JSON.stringify(signers);
      if (next === text) return;
      keys = keysOf(signers);
      text = next;
      await disk.write(path, next);
    },
    judge(envelope, nowMs) {
      const signer = keys.get(envelope.signer_version_id);
      if (!signer || nowMs >= signer.retiresAtMs) return 'unknown_signer';
      const signature = Buffer.from(envelope.signature, 'base64url');
      return verify(null, Buffer.from(signedText(envelope)), signer.key, signature) ? 'holds' : 'bad_signature';
    },
  };
}

function parseList(text: string): readonly SignerVersion[] {
  try {
    const value: unknown = JSON.parse(text);
    return list.Check(value) ? value : [];
  } catch {
    return [];
  }
}

/** Keys are public and shared by a whole fleet in one process, so each is parsed once. */
const parsed = new Map<string, KeyObject>();
const mostParsed = 64;

function keyOf(publicKey: string): KeyObject {
  const known = parsed.get(publicKey);
  if (known) return known;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  if (parsed.size >= mostParsed) parsed.clear();
  parsed.set(publicKey, key);
  return key;
}

function keysOf(signers: readonly SignerVersion[]) {
  const accepted = signers.filter(({ state }) => acceptedSignerStates.includes(state));
  return new Map(
    accepted.map((signer) => [
      signer.signer_version_id,
      {
        key: keyOf(signer.public_key),
        retiresAtMs: signer.retires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(signer.retires_at),
      },
    ]),
  );
}
