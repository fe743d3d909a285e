import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import {
  acceptedSignerStates,
  endorsementText,
  type SignersStatement,
  type SignerVersion,
  signedText,
  statementText,
} from '@gpuaas/contract/node';
import type { Disk } from '../disk.ts';
import { parseTrust, type Trust } from './signers-file.ts';

/**
 * The keys whose tasks this node obeys, kept through restarts.
 *
 * Trust begins at enrolment and nowhere else: the operator's token and the fingerprint of the authority vouch for that
 * answer. A later list is believed when the key that is active in it has signed the whole list, states included, and a
 * chain of endorsements leads to that key from one that this node knows as active or announced. The list is then taken
 * as a whole. Any other list changes nothing. A key that was revoked once stays revoked, whatever a later list says.
 *
 * An attacker with the private half of the active key can mislead a node that missed the revocation: its list is believed, and no list of ours leads back to it. Only a new enrolment helps then. An attacker on the network can only withhold lists.
 */
export interface Signers {
  /** Takes the list of an enrolment as it is. */
  pin(signers: readonly SignerVersion[], statement?: SignersStatement): Promise<void>;
  /** Takes a list that the active key has signed, if that key is vouched for. */
  hear(signers: readonly SignerVersion[], statement?: SignersStatement): Promise<Hearing>;
  /** Whether there is any key that a later list could lead back to. Without one only a new enrolment helps. */
  readonly isAnchored: boolean;
  /** Whether the signature of an envelope holds under the key it names, and that key is accepted at this time. */
  judge(envelope: SignedEnvelope, nowMs: number): 'holds' | 'unknown_signer' | 'bad_signature';
}
/** `old` is a list from before the one we have: it was on its way for longer, or is played again. */
export type Hearing = 'taken' | 'known' | 'old' | 'refused';

export interface SignedEnvelope {
  readonly signer_version_id: string;
  readonly signature: string;
  readonly [member: string]: unknown;
}

export async function openSigners(parts: { readonly disk: Disk; readonly path: string }): Promise<Signers> {
  const { disk, path } = parts;
  let trust = parseTrust(await disk.read(path));
  let keys = keysOf(trust);
  const keep = async (next: Trust) => {
    await disk.write(path, JSON.stringify(next));
    trust = next;
    keys = keysOf(next);
  };
  return {
    pin: (signers, statement) => keep(withList(trust.revoked, signers, statement?.sequence ?? 0)),
    async hear(signers, statement) {
      if (!statement) return 'refused';
      if (statement.sequence === trust.sequence) return 'known';
      if (statement.sequence < trust.sequence) return 'old';
      if (!isStated(trust, signers, statement)) return 'refused';
      await keep(withList(trust.revoked, signers, statement.sequence));
      return 'taken';
    },
    get isAnchored() {
      return trust.signers.some((signer) => mayVouch(trust, signer));
    },
    judge(envelope, nowMs) {
      const signer = keys.get(envelope.signer_version_id);
      if (!signer || nowMs >= signer.retiresAtMs) return 'unknown_signer';
      const signature = Buffer.from(envelope.signature, 'base64url');
      return verify(null, Buffer.from(signedText(envelope)), signer.key, signature) ? 'holds' : 'bad_signature';
    },
  };
}

/** A revoked key stays revoked under any name, so what is remembered is the key itself. */
function withList(revokedBefore: readonly string[], signers: readonly SignerVersion[], sequence: number): Trust {
  const revokedNow = signers.filter(({ state }) => state === 'revoked').map(({ public_key }) => public_key);
  return { format: 2, sequence, signers, revoked: [...new Set([...revokedBefore, ...revokedNow])] };
}

const isRevoked = (trust: Trust, { public_key }: SignerVersion) => trust.revoked.includes(public_key);

/**
 * Every key is endorsed by the one that was active before it, so a list leads back to the active key that we know, or to
 * its announced successor. What was superseded has handed over and vouches for nobody any more.
 */
const mayVouch = (trust: Trust, signer: SignerVersion) =>
  (signer.state === 'active' || signer.state === 'staged') && !isRevoked(trust, signer);

/** Whether the list was signed by the key that is active in it, and that key leads back to one that may vouch. */
function isStated(trust: Trust, signers: readonly SignerVersion[], statement: SignersStatement): boolean {
  try {
    const voice = signers.find(({ signer_version_id }) => signer_version_id === statement.stated_by);
    if (voice?.state !== 'active' || !leadsBack(trust, signers, voice)) return false;
    const text = statementText({ signers, stated_by: statement.stated_by, sequence: statement.sequence });
    const signature = Buffer.from(statement.signature, 'base64url');
    return verify(null, Buffer.from(text), keyOf(voice.public_key), signature);
  } catch {
    // A key that is none, or words without a canonical form: nobody can have signed that.
    return false;
  }
}

/** Follows the endorsements from the voice back in time. Each link is looked at once, so a circle ends. */
function leadsBack(trust: Trust, signers: readonly SignerVersion[], voice: SignerVersion): boolean {
  const left = new Map(signers.map((signer) => [signer.signer_version_id, signer]));
  for (let at: SignerVersion | undefined = voice; at && !isRevoked(trust, at); ) {
    const { signer_version_id: id, public_key, endorsed_by: by }: SignerVersion = at;
    const known = trust.signers.find((one) => one.signer_version_id === id);
    if (known) return known.public_key === public_key && mayVouch(trust, known);
    left.delete(id);
    const before: SignerVersion | undefined = by === undefined ? undefined : left.get(by);
    if (!before || !isEndorsed(at, before.public_key)) return false;
    at = before;
  }
  return false;
}

function isEndorsed(signer: SignerVersion, publicKey: string): boolean {
  const { endorsed_by, endorsement } = signer;
  if (endorsed_by === undefined || endorsement === undefined) return false;
  const text = endorsementText({ ...signer, endorsed_by });
  return verify(null, Buffer.from(text), keyOf(publicKey), Buffer.from(endorsement, 'base64url'));
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

function keysOf(trust: Trust) {
  const accepted = trust.signers.filter(
    (signer) => acceptedSignerStates.includes(signer.state) && !isRevoked(trust, signer),
  );
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
