import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Referrer, Registry, Repository } from '../../../ports/registry/port.ts';
import { RegistryAway } from '../../../ports/registry/port.ts';
import { type PinnedKey, readPublicKey } from './public-key.ts';

/** What cosign 3.1.3 left in a registry for one image: signatures in both forms, and an SPDX attestation. */
interface Made {
  readonly publicKey: string;
  readonly digest: string;
  readonly manifests: Readonly<Record<string, { readonly mediaType: string; readonly text: string }>>;
  readonly blobs: Readonly<Record<string, string>>;
}
export const madeByCosign: Made = JSON.parse(
  readFileSync(new URL('./cosign-3.1.3.json', import.meta.url), 'utf8'),
) as Made;

export function pinned(name: string, pem: string): PinnedKey {
  const key = readPublicKey(pem);
  if (!key) throw new Error('this is no key');
  return { name, ...key };
}
export const cosignKey = pinned('release', madeByCosign.publicKey);
const digestOf = (bytes: Buffer | string) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** A registry in memory. What is put into it is found by digest, by tag, and as a referrer. */
export interface MemoryRegistry extends Registry {
  /** Each question that was asked, as registry/repository and what was meant. */
  readonly asked: string[];
  /** What the next questions meet instead of an answer. */
  trouble: string | undefined;
  putBlob(text: string): string;
  putManifest(
    value: object,
    about?: { readonly tag?: string; readonly subject?: string; readonly artifactType?: string },
  ): string;
  /** Everything that cosign has made, or the part of it that a test wants. */
  putCosign(parts?: readonly ('image' | 'tag' | 'signature' | 'sbom')[]): void;
}
export function makeMemoryRegistry(): MemoryRegistry {
  const manifests = new Map<string, { readonly mediaType: string; readonly bytes: Buffer }>();
  const blobs = new Map<string, Buffer>();
  const tags = new Map<string, string>();
  const beside = new Map<string, Referrer[]>();
  const asked: string[] = [];
  const put = (text: string, mediaType: string) => {
    manifests.set(digestOf(text), { mediaType, bytes: Buffer.from(text) });
    return digestOf(text);
  };
  const refer = (subject: string, digest: string, artifactType: string) =>
    beside.set(subject, [...(beside.get(subject) ?? []), { digest, artifactType }]);
  const made: MemoryRegistry = {
    asked,
    trouble: undefined,
    at({ registry, repository }): Repository {
      const answer = <T>(what: string, value: T): T => {
        asked.push(`${registry}/${repository} ${what}`);
        if (made.trouble !== undefined) throw new RegistryAway(made.trouble);
        return value;
      };
      return {
        async manifest(reference) {
          const digest = tags.get(reference) ?? reference;
          const found = manifests.get(digest);
          return answer(reference, found && { digest, ...found });
        },
        async blob(digest, mostBytes) {
          const found = blobs.get(digest);
          if (found && found.length > mostBytes) throw new RegistryAway('too much');
          return answer(digest, found);
        },
        referrers: async (digest) => answer(`referrers of ${digest}`, beside.get(digest) ?? []),
      };
    },
    putBlob(text) {
      blobs.set(digestOf(text), Buffer.from(text));
      return digestOf(text);
    },
    putManifest(value, { tag, subject, artifactType = '' } = {}) {
      const mediaType = 'application/vnd.oci.image.manifest.v1+json';
      const digest = put(JSON.stringify({ schemaVersion: 2, mediaType, ...value }), mediaType);
      if (tag !== undefined) tags.set(tag, digest);
      if (subject !== undefined) refer(subject, digest, artifactType);
      return digest;
    },
    putCosign(parts = ['image', 'tag', 'signature', 'sbom']) {
      for (const [digest, text] of Object.entries(madeByCosign.blobs)) blobs.set(digest, Buffer.from(text));
      for (const [reference, { mediaType, text }] of Object.entries(madeByCosign.manifests)) {
        const kind = kindOf(reference, text);
        if (kind === undefined || !parts.includes(kind)) continue;
        const digest = put(text, mediaType);
        if (kind === 'tag') tags.set(reference, digest);
        if (kind === 'signature' || kind === 'sbom') refer(madeByCosign.digest, digest, bundleType);
      }
    },
    async check() {},
    async close() {},
  };
  return made;
}
export const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json';
function kindOf(reference: string, text: string) {
  if (reference === madeByCosign.digest) return 'image' as const;
  if (reference.endsWith('.sig')) return 'tag' as const;
  if (text.includes('"dev.sigstore.bundle.predicateType":"https://sigstore.dev/cosign/sign/v1"'))
    return 'signature' as const;
  return text.includes('"https://spdx.dev/Document"') ? ('sbom' as const) : undefined;
}

export const makeSigner = (): { readonly secret: KeyObject; readonly pem: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { secret: privateKey, pem: publicKey.export({ format: 'pem', type: 'spki' }).toString() };
};
/** A bundle as cosign makes one, by a key of the test. */
export function makeBundle(secret: KeyObject, digest: string, predicateType: string, predicate: object = {}): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { sha256: digest.slice('sha256:'.length) } }],
    ...{ predicateType, predicate },
  };
  const payload = Buffer.from(JSON.stringify(statement));
  const payloadType = 'application/vnd.in-toto+json';
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ]);
  const sig = sign('sha256', signed, secret).toString('base64');
  const dsseEnvelope = { payload: payload.toString('base64'), payloadType, signatures: [{ sig }] };
  return JSON.stringify({ mediaType: bundleType, verificationMaterial: { publicKey: { hint: '' } }, dsseEnvelope });
}
/** Puts an image with a signature and an SBOM by this key; answers its digest. */
export function putSigned(registry: MemoryRegistry, secret: KeyObject, about = 'an image'): string {
  const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest: registry.putBlob(about) };
  const digest = registry.putManifest({ layers: [layer] });
  for (const [type, predicate] of [
    ['https://sigstore.dev/cosign/sign/v1', {}],
    ['https://cyclonedx.org/bom', { bomFormat: 'CycloneDX', specVersion: '1.6', components: [{}] }],
  ] as const) {
    const bundle = registry.putBlob(makeBundle(secret, digest, type, predicate));
    const layers = [{ mediaType: bundleType, digest: bundle }];
    registry.putManifest({ layers, annotations: { type } }, { subject: digest, artifactType: bundleType });
  }
  return digest;
}
