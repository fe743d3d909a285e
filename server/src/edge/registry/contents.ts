import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Objects } from '../../ports/objects/port.ts';

/**
 * What a registry keeps, over an object store: blobs once for all repositories, and for each repository which of them it has, its manifests,
 * its tags, and the manifests that name another one as their subject. A reader of a blob names a repository that has it.
 */
export interface Contents {
  hasBlob(repository: string, digest: string): Promise<number | undefined>;
  openBlob(repository: string, digest: string): Promise<{ readonly size: number; readonly body: Readable } | undefined>;
  keepBlob(repository: string, digest: string, body: Readable): Promise<void>;
  manifest(repository: string, reference: string): Promise<KeptManifest | undefined>;
  /** Answers the digest, or the reason why it is not kept. */
  keepManifest(repository: string, reference: string, manifest: Omit<KeptManifest, 'digest'>): Promise<Kept>;
  tags(repository: string): Promise<readonly string[]>;
  referrers(repository: string, digest: string): Promise<readonly unknown[]>;
}
export interface KeptManifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}
export type Kept = { readonly digest: string; readonly subject: string | undefined } | { readonly refused: string };

const digestPattern = /^sha256:[0-9a-f]{64}$/;
const mostListed = 1_000;
const mostParts = 500;
const hexOf = (digest: string) => digest.slice('sha256:'.length);
const folderOf = (repository: string) => `registry/repositories/${repository.replaceAll('/', '+')}`;
const blobKey = (digest: string) => `registry/blobs/${hexOf(digest)}`;

interface Parsed {
  readonly mediaType?: unknown;
  readonly artifactType?: unknown;
  readonly annotations?: unknown;
  readonly config?: { readonly digest?: unknown; readonly mediaType?: unknown } | null;
  readonly layers?: unknown;
  readonly manifests?: unknown;
  readonly subject?: { readonly digest?: unknown } | null;
}
function parse(bytes: Buffer): Parsed | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
const digestsIn = (list: unknown): string[] | undefined => {
  if (list === undefined) return [];
  if (!Array.isArray(list) || list.length > mostParts) return undefined;
  const digests = list.map((each: { digest?: unknown } | null) => each?.digest);
  return digests.every((digest) => typeof digest === 'string' && digestPattern.test(digest))
    ? (digests as string[])
    : undefined;
};

export function makeContents(objects: Objects): Contents {
  const read = async (key: string): Promise<{ readonly type: string; readonly bytes: Buffer } | undefined> => {
    const found = await objects.get(key);
    if (!found) return undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of found.body) chunks.push(chunk as Buffer);
    return { type: found.facts.contentType, bytes: Buffer.concat(chunks) };
  };
  const manifestKey = (repository: string, digest: string) => `${folderOf(repository)}/manifests/${hexOf(digest)}`;
  const linkKey = (repository: string, digest: string) => `${folderOf(repository)}/blobs/${hexOf(digest)}`;
  const hasBlob = async (repository: string, digest: string) =>
    (await objects.facts(linkKey(repository, digest))) ? (await objects.facts(blobKey(digest)))?.size : undefined;

  async function missingIn(repository: string, parsed: Parsed): Promise<string | undefined> {
    const [layers, manifests] = [digestsIn(parsed.layers), digestsIn(parsed.manifests)];
    const config = parsed.config ? digestsIn([parsed.config]) : [];
    if (!layers || !manifests || !config) return 'a part has no digest';
    for (const digest of [...config, ...layers]) {
      if ((await hasBlob(repository, digest)) === undefined) return `the blob ${digest} is not there`;
    }
    for (const digest of manifests) {
      if (!(await objects.facts(manifestKey(repository, digest)))) return `the manifest ${digest} is not there`;
    }
    return undefined;
  }
  return {
    hasBlob,
    async openBlob(repository, digest) {
      if ((await hasBlob(repository, digest)) === undefined) return undefined;
      const found = await objects.get(blobKey(digest));
      return found && { size: found.facts.size, body: found.body };
    },
    async keepBlob(repository, digest, body) {
      await objects.put(blobKey(digest), body, { contentType: 'application/octet-stream' });
      await objects.put(linkKey(repository, digest), Buffer.from(digest));
    },
    async manifest(repository, reference) {
      const digest = digestPattern.test(reference)
        ? reference
        : (await read(`${folderOf(repository)}/tags/${reference}`))?.bytes.toString('utf8');
      if (digest === undefined || !digestPattern.test(digest)) return undefined;
      const found = await read(manifestKey(repository, digest));
      return found && { digest, mediaType: found.type, bytes: found.bytes };
    },
    async keepManifest(repository, reference, { mediaType, bytes }) {
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      if (digestPattern.test(reference) && reference !== digest) return { refused: 'the digest is another one' };
      const parsed = parse(bytes);
      if (!parsed) return { refused: 'it is no JSON' };
      const missing = await missingIn(repository, parsed);
      if (missing !== undefined) return { refused: missing };
      await objects.put(manifestKey(repository, digest), bytes, { contentType: mediaType });
      const subject = parsed.subject?.digest;
      const about = typeof subject === 'string' && digestPattern.test(subject) ? subject : undefined;
      if (about !== undefined) {
        const artifactType = parsed.artifactType ?? parsed.config?.mediaType;
        const listed = { mediaType, digest, size: bytes.length, artifactType, annotations: parsed.annotations };
        const key = `${folderOf(repository)}/referrers/${hexOf(about)}/${hexOf(digest)}`;
        await objects.put(key, Buffer.from(JSON.stringify(listed)));
      }
      if (!digestPattern.test(reference)) {
        await objects.put(`${folderOf(repository)}/tags/${reference}`, Buffer.from(digest));
      }
      return { digest, subject: about };
    },
    async tags(repository) {
      const prefix = `${folderOf(repository)}/tags/`;
      return (await objects.list(prefix, { limit: mostListed })).map(({ key }) => key.slice(prefix.length));
    },
    async referrers(repository, digest) {
      const listed = await objects.list(`${folderOf(repository)}/referrers/${hexOf(digest)}/`, { limit: mostParts });
      const found = await Promise.all(listed.map(({ key }) => read(key)));
      return found.flatMap((one) => (one ? [JSON.parse(one.bytes.toString('utf8')) as unknown] : []));
    },
  };
}
