import { mostSignatures, mostSubjects } from '../facts.ts';
import type { PinnedKey } from './public-key.ts';
import { signerOf } from './public-key.ts';
import { describeSbom, isSbomPredicate } from './sbom.ts';

/**
 * What a publisher has signed about an image, in the two forms that cosign leaves beside it: a claim with its signature in an annotation
 * (the tag `.sig`), and an in-toto statement in a DSSE envelope, in a Sigstore bundle or alone. Nothing in here is believed unless a pinned
 * key has signed it.
 */
export interface Claim {
  /** The digest that it is about. */
  readonly digest: string;
  /** What it says: `signature`, or the type of a predicate. */
  readonly predicateType: string;
  /** What kind of list of contents it carries, if it is one. The list itself is not kept: it may be large. */
  readonly sbom: string | undefined;
}
/** A claim that a pinned key has signed, or the reason why it is none. */
export type Opened = { readonly claim: Claim; readonly key: PinnedKey } | { readonly fault: string };

export const signaturePredicate = 'https://sigstore.dev/cosign/sign/v1';
const statementType = 'application/vnd.in-toto+json';
const bundleTypes = /^application\/vnd\.dev\.sigstore\.bundle(?:\.v0\.3\+json|\+json;version=0\.[123])$/;

/** An object of JSON whose members may be anything. */
const jsonIn = (bytes: Buffer): Readonly<Record<string, unknown>> | undefined => {
  try {
    return recordIn(JSON.parse(bytes.toString('utf8')));
  } catch {
    return undefined;
  }
};
const recordIn = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
/** Base64 in its one form: other spellings of the same bytes are no signature. */
const bytesIn = (value: unknown): Buffer | undefined => {
  if (typeof value !== 'string' || value === '') return undefined;
  const bytes = Buffer.from(value, 'base64');
  return bytes.toString('base64') === value ? bytes : undefined;
};
const fault = (why: string): Opened => ({ fault: why });

/** `{"critical":{"image":{"docker-manifest-digest":…},"type":"cosign container image signature",…}}`, signed as it is. */
export function openSimpleSigning(payload: Buffer, signature: string | undefined, keys: readonly PinnedKey[]): Opened {
  const signed = bytesIn(signature);
  if (!signed) return fault('a signature is no base64');
  const key = signerOf(keys, payload, signed);
  if (!key) return fault('a signature was not made by a key that the project has pinned');
  const critical = recordIn(jsonIn(payload)?.['critical']);
  const digest = textIn(recordIn(critical?.['image'])?.['docker-manifest-digest']);
  if (critical?.['type'] !== 'cosign container image signature' || digest === undefined) {
    return fault('what was signed is no claim about an image');
  }
  return { claim: { digest, predicateType: signaturePredicate, sbom: undefined }, key };
}

/** A Sigstore bundle with a DSSE envelope. Its certificates and log entries are not used: the pinned key decides. */
export function openBundle(bytes: Buffer, keys: readonly PinnedKey[]): Opened {
  const bundle = jsonIn(bytes);
  if (!bundleTypes.test(textIn(bundle?.['mediaType']) ?? '')) return fault('a bundle is of a kind that we do not know');
  return openEnvelope(recordIn(bundle?.['dsseEnvelope']), keys);
}
export const openAttestation = (bytes: Buffer, keys: readonly PinnedKey[]): Opened => openEnvelope(jsonIn(bytes), keys);

function openEnvelope(envelope: Readonly<Record<string, unknown>> | undefined, keys: readonly PinnedKey[]): Opened {
  const payload = bytesIn(envelope?.['payload']);
  const signatures = envelope?.['signatures'];
  if (!payload || envelope?.['payloadType'] !== statementType || !Array.isArray(signatures)) {
    return fault('a bundle has no statement that is signed');
  }
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${statementType.length} ${statementType} ${payload.length} `),
    payload,
  ]);
  const key = signatures
    .slice(0, mostSignatures)
    .map((each) => bytesIn(recordIn(each)?.['sig']))
    .map((signature) => signature && signerOf(keys, signed, signature))
    .find((found) => found !== undefined);
  if (!key) return fault('a signature was not made by a key that the project has pinned');
  return claimIn(payload, key);
}

function claimIn(payload: Buffer, key: PinnedKey): Opened {
  const statement = jsonIn(payload);
  const predicateType = textIn(statement?.['predicateType']);
  const isStatement = /^https:\/\/in-toto\.io\/Statement\/v(?:0\.1|1)$/.test(textIn(statement?.['_type']) ?? '');
  const subjects = statement?.['subject'];
  if (!isStatement || predicateType === undefined || !Array.isArray(subjects))
    return fault('what was signed is no statement');
  const digests = subjects
    .slice(0, mostSubjects)
    .map((each) => textIn(recordIn(recordIn(each)?.['digest'])?.['sha256']))
    .filter((digest) => digest !== undefined);
  const [digest] = digests;
  // A statement about several things may mean any of them.
  if (digest === undefined || digests.length !== 1) return fault('what was signed is not about one image');
  const sbom = isSbomPredicate(predicateType) ? describeSbom(statement?.['predicate']) : undefined;
  return { claim: { digest: `sha256:${digest}`, predicateType, sbom }, key };
}
