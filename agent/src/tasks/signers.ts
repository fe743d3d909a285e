import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { acceptedSignerStates, endorsementText, SignerVersion, signedText } from '@gpuaas/contract/node';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Disk } from '../disk.ts';

/**
 * The keys whose tasks this node obeys, kept through restarts. Those of its enrolment are pinned: the token and the
 * fingerprint of the authority vouched for that answer. Of later lists it takes the keys that it has already, and those
 * that one of these vouches for, through as many changes as it missed. A list that is heard replaces the one before, so a
 * revoked key is gone with the answer that no longer names it as accepted, and vouches for nobody from then on.
 */
export interface Signers {
  /** Takes a list as it is. */
  pin(signers: readonly SignerVersion[]): Promise<void>;
  /** Takes from a list what somebody trusted vouches for; answers how many keys nobody does. */
  hear(signers: readonly SignerVersion[]): Promise<number>;
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
  // Without a list that can be read there is nothing to go by: the next one that is heard is the first one.
  let text = (await disk.read(path)) ?? '[]';
  let known = parseList(text);
  let keys = keysOf(known);
  const keep = async (signers: readonly SignerVersion[]) => {
    const next = JSON.stringify(signers);
    if (next === text) return;
    known = signers;
    keys = keysOf(signers);
    text = next;
    await disk.write(path, next);
  };
  return {
    pin: keep,
    async hear(signers) {
      const believed = known.length === 0 ? signers : vouchedFor(signers, known);
      await keep(believed);
      return signers.length - believed.length;
    },
    judge(envelope, nowMs) {
      const signer = keys.get(envelope.signer_version_id);
      if (!signer || nowMs >= signer.retiresAtMs) return 'unknown_signer';
      const signature = Buffer.from(envelope.signature, 'base64url');
      return verify(null, Buffer.from(signedText(envelope)), signer.key, signature) ? 'holds' : 'bad_signature';
    },
  };
}

/** Of a list, those that are known already or that lead back to a known one, link by link. Its order is kept. */
function vouchedFor(heard: readonly SignerVersion[], known: readonly SignerVersion[]): SignerVersion[] {
  const same = (a: SignerVersion, b: SignerVersion) =>
    a.signer_version_id === b.signer_version_id && a.public_key === b.public_key;
  const believed = new Set(heard.filter((signer) => known.some((one) => same(one, signer))));
  const vouching = new Map(
    known.filter(({ state }) => state !== 'revoked').map((one) => [one.signer_version_id, one.public_key]),
  );
  for (let grown = true; grown; ) {
    grown = false;
    for (const signer of heard) {
      const by = signer.endorsed_by === undefined ? undefined : vouching.get(signer.endorsed_by);
      if (believed.has(signer) || by === undefined || !isEndorsed(signer, by)) continue;
      believed.add(signer);
      vouching.set(signer.signer_version_id, signer.public_key);
      grown = true;
    }
  }
  return heard.filter((signer) => believed.has(signer));
}

function isEndorsed(signer: SignerVersion, publicKey: string): boolean {
  const { endorsed_by, endorsement } = signer;
  if (endorsed_by === undefined || endorsement === undefined) return false;
  const text = endorsementText({ ...signer, endorsed_by });
  return verify(null, Buffer.from(text), keyOf(publicKey), Buffer.from(endorsement, 'base64url'));
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
