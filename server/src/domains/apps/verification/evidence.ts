import type { AppEvidence } from '@gpuaas/contract';
import { type Manifest, type Registry, RegistryAway, type Repository } from '../../../ports/registry/port.ts';
import { mostBundleBytes, mostCandidates, mostSbomBytes } from '../facts.ts';
import { type Opened, openAttestation, openBundle, openSimpleSigning, signaturePredicate } from './envelopes.ts';
import { isFrom, placeOf, type Source } from './image.ts';
import type { PinnedKey } from './public-key.ts';
import { isSbomArtifact, sbomIn } from './sbom.ts';

export interface Examined {
  readonly imageRepository: string;
  readonly imageDigest: string;
  readonly sources: readonly Source[];
  readonly keys: readonly PinnedKey[];
  /** Whether the time for this image is over; it is asked before each question to the registry. */
  readonly isOver?: () => boolean;
}
export type Answer = 'verified' | 'failed' | 'open';

const subjects = ['source', 'digest', 'signature', 'sbom'] as const;
/** What contradicts the version fails it. What is not there leaves the question open. */
export const answerOf = (evidence: readonly AppEvidence[]): Answer => {
  if (evidence.some(({ result }) => result === 'failed')) return 'failed';
  const passed = new Set(evidence.filter(({ result }) => result === 'passed').map(({ subject }) => subject));
  return subjects.every((subject) => passed.has(subject)) ? 'verified' : 'open';
};
const saying =
  (subject: AppEvidence['subject']) =>
  (result: AppEvidence['result'], detail: string): AppEvidence => ({ subject, result, detail });
const [ofSource, ofDigest, ofSignature, ofSbom] = subjects.map(saying) as [
  ReturnType<typeof saying>,
  ReturnType<typeof saying>,
  ReturnType<typeof saying>,
  ReturnType<typeof saying>,
];

/**
 * Looks at an image where it lies. A registry that an operator has not named is not asked, so that no tenant makes us call an address. Throws
 * `RegistryAway` when a registry gives no usable answer: that says nothing about the image, for or against.
 */
export async function gatherEvidence(registry: Registry, examined: Examined): Promise<readonly AppEvidence[]> {
  const { imageRepository, imageDigest: digest, sources, keys } = examined;
  const place = placeOf(imageRepository);
  if (!place || !isFrom(place, sources)) {
    return [ofSource('missing', `No operator has named ${place?.registry ?? imageRepository} as a source of images.`)];
  }
  const source = ofSource('passed', `${place.registry} is a source that an operator has named.`);
  const repository = bounded(registry.at(place), place.registry, examined.isOver);
  const image = await repository.manifest(digest);
  if (!image) return [source, ofDigest('missing', `The registry has no image with the digest ${digest}.`)];
  if (!isImage(image)) return [source, ofDigest('failed', 'What has this digest is no image.')];
  const found = await collect(repository, digest, keys);
  return [
    ...[source, ofDigest('passed', `The registry has an image whose bytes are ${digest}.`)],
    ...[signatureEvidence(found, digest, keys), sbomEvidence(found, digest)],
  ];
}

/** A registry that answers each question just in time may still not hold up the others for long. */
function bounded(repository: Repository, name: string, isOver: () => boolean = () => false): Repository {
  const demandTime = () => {
    if (isOver()) throw new RegistryAway(`${name} took too long for all that lies beside the image`);
  };
  return {
    async manifest(reference) {
      demandTime();
      return repository.manifest(reference);
    },
    async blob(digest, most) {
      demandTime();
      return repository.blob(digest, most);
    },
    async referrers(digest) {
      demandTime();
      return repository.referrers(digest);
    },
  };
}

const imageKinds =
  /^application\/vnd\.(?:oci\.image|docker\.distribution)\.(?:manifest|index|manifest\.list)\.v[12]\+json$/;
function isImage({ bytes }: Manifest): boolean {
  const manifest = layersOf(bytes);
  return imageKinds.test(manifest.mediaType) || manifest.layers.length > 0;
}
interface Layer {
  readonly mediaType: string;
  readonly digest: string;
  readonly annotations: Readonly<Record<string, unknown>>;
}
function layersOf(bytes: Buffer): { readonly mediaType: string; readonly layers: readonly Layer[] } {
  let manifest: { mediaType?: unknown; layers?: unknown } | null;
  try {
    manifest = JSON.parse(bytes.toString('utf8')) as typeof manifest;
  } catch {
    manifest = null;
  }
  const layers = Array.isArray(manifest?.layers) ? manifest.layers : [];
  return {
    mediaType: typeof manifest?.mediaType === 'string' ? manifest.mediaType : '',
    layers: layers.slice(0, mostCandidates).flatMap((each: Partial<Layer> | null) => {
      const { mediaType, digest, annotations } = each ?? {};
      return typeof mediaType === 'string' && typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest)
        ? [{ mediaType, digest, annotations: annotations ?? {} }]
        : [];
    }),
  };
}

interface Found {
  /** What was signed about the image, or could not be opened. */
  readonly opened: readonly Opened[];
  /** Lists of contents that lie beside the image, without a signature. */
  readonly lists: readonly string[];
}
async function collect(repository: Repository, digest: string, keys: readonly PinnedKey[]): Promise<Found> {
  const tagged = digest.replace(':', '-');
  const [opened, lists]: [Opened[], string[]] = [[], []];
  const blob = async (layer: Layer, most: number) => {
    const bytes = await repository.blob(layer.digest, most);
    if (!bytes) throw new RegistryAway(`The registry does not have ${layer.digest}, which it lists`);
    return bytes;
  };
  const each = async (bytes: Buffer | undefined, artifactType: string) => {
    for (const layer of bytes ? layersOf(bytes).layers : []) {
      const type = layer.mediaType;
      if (type === 'application/vnd.dev.cosign.simplesigning.v1+json') {
        const signature = layer.annotations['dev.cosignproject.cosign/signature'];
        const payload = await blob(layer, mostBundleBytes);
        opened.push(openSimpleSigning(payload, typeof signature === 'string' ? signature : undefined, keys));
      } else if (type.startsWith('application/vnd.dev.sigstore.bundle')) {
        opened.push(openBundle(await blob(layer, mostSbomBytes), keys));
      } else if (type === 'application/vnd.dsse.envelope.v1+json') {
        opened.push(openAttestation(await blob(layer, mostSbomBytes), keys));
      } else if (isSbomArtifact(type) || isSbomArtifact(artifactType)) {
        const list = sbomIn(await blob(layer, mostSbomBytes));
        if (list !== undefined) lists.push(list);
      }
    }
  };
  for (const suffix of ['.sig', '.att', '.sbom'])
    await each((await repository.manifest(`${tagged}${suffix}`))?.bytes, '');
  for (const { digest: beside, artifactType } of (await repository.referrers(digest)).slice(0, mostCandidates)) {
    await each((await repository.manifest(beside))?.bytes, artifactType);
  }
  return { opened, lists };
}

function signatureEvidence({ opened }: Found, digest: string, keys: readonly PinnedKey[]): AppEvidence {
  const claims = opened.flatMap((one) => ('claim' in one ? [one] : []));
  const signed = claims.filter(({ claim }) => claim.predicateType === signaturePredicate);
  const ours = signed.find(({ claim }) => claim.digest === digest);
  if (ours) return ofSignature('passed', `Signed by the key "${ours.key.name}" (${ours.key.fingerprint}).`);
  if (keys.length === 0)
    return ofSignature('missing', 'The project has pinned no key that signatures are checked with.');
  const [other] = signed;
  if (other) return ofSignature('failed', `A signature is for ${other.claim.digest} and not for this image.`);
  const wrong = opened.find((one) => 'fault' in one);
  if (wrong) return ofSignature('failed', `There is a signature, but ${wrong.fault}.`);
  return ofSignature('missing', 'The image has no signature.');
}

function sbomEvidence({ opened, lists }: Found, digest: string): AppEvidence {
  for (const one of opened) {
    if ('fault' in one || one.claim.digest !== digest || one.claim.sbom === undefined) continue;
    return ofSbom('passed', `${one.claim.sbom}, signed by the key "${one.key.name}".`);
  }
  const [list] = lists;
  return list === undefined
    ? ofSbom('missing', 'The image has no SBOM: neither an attestation nor an SPDX or CycloneDX document beside it.')
    : ofSbom('passed', `${list}, not signed.`);
}
