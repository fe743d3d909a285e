import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Adapted } from '../adapter.ts';
import { checkContentType, checkKey, checkPage, checkPrefix, defaultContentType } from './limits.ts';
import { maxInMemoryBytes, measureBody } from './measured-body.ts';
import type { ObjectFacts, Objects } from './port.ts';

/**
 * Objects in a bucket of any store that speaks S3. Digest and time are the object's metadata, so they are replaced in
 * the same step as its bytes. Everything that is sent is held in memory or on disk, so the client can send it again
 * after a fault of the network, and an upload whose source fails has not even begun.
 *
 * The bucket belongs to this store: an object from another program has no digest and is an error.
 */
export interface S3Config {
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For stores other than Amazon's; the bucket is then part of the path. */
  readonly endpoint?: string;
  /** Where large bodies wait while they are measured; default: the folder for temporary files. */
  readonly spoolFolder?: string;
}

const partsAtOnce = 2;
const maxParts = 10_000;
const looksAtOnce = 16;

export function openS3Objects(options: S3Config & { readonly clock?: Clock }): Objects & Adapted {
  const { bucket: Bucket, clock = systemClock } = options;
  const client = openClient(options);

  const factsOf = async (key: string): Promise<ObjectFacts | undefined> => {
    try {
      return describe(key, await client.send(new HeadObjectCommand({ Bucket, Key: key })));
    } catch (error) {
      if (isNoSuchKey(error)) return undefined;
      throw error;
    }
  };

  return {
    adapter: { name: 's3', kind: 'production' },
    async put(key, source, { contentType = defaultContentType } = {}) {
      checkKey(key);
      checkContentType(contentType);
      const body = await measureBody(source, options.spoolFolder);
      try {
        const sha256 = body.sha256.toString('hex');
        const modifiedAt = clock.now();
        const params = {
          Bucket,
          Key: key,
          ContentType: contentType,
          Metadata: { sha256, 'modified-at': modifiedAt.toISOString() },
        };
        const { content, size } = body;
        if (Buffer.isBuffer(content) && size <= maxInMemoryBytes) {
          const ChecksumSHA256 = body.sha256.toString('base64');
          await client.send(new PutObjectCommand({ ...params, Body: content, ContentLength: size, ChecksumSHA256 }));
        } else {
          const partSize = Math.max(maxInMemoryBytes, Math.ceil(size / maxParts));
          await new Upload({ client, params: { ...params, Body: content }, partSize, queueSize: partsAtOnce }).done();
        }
        return { key, size, sha256, contentType, modifiedAt };
      } finally {
        await body.close();
      }
    },
    async get(key) {
      checkKey(key);
      try {
        const found = await client.send(new GetObjectCommand({ Bucket, Key: key }));
        const body = found.Body as Readable;
        try {
          return { facts: describe(key, found), body };
        } catch (error) {
          body.destroy();
          throw error;
        }
      } catch (error) {
        if (isNoSuchKey(error)) return undefined;
        throw error;
      }
    },
    async facts(key) {
      checkKey(key);
      return factsOf(key);
    },
    async delete(key) {
      checkKey(key);
      await client.send(new DeleteObjectCommand({ Bucket, Key: key }));
    },
    async list(prefix, page) {
      checkPrefix(prefix);
      checkPage(page);
      const listed: ObjectFacts[] = [];
      let after = page.after;
      for (;;) {
        const { keys, hasMore } = await listKeys(client, Bucket, prefix, page.limit - listed.length, after);
        // A listing does not tell metadata, so each object is asked. One that was deleted meanwhile is left out, and
        // the page is filled up with those that follow.
        for (let first = 0; first < keys.length; first += looksAtOnce) {
          const looks = await Promise.all(keys.slice(first, first + looksAtOnce).map(factsOf));
          listed.push(...looks.filter((facts) => facts !== undefined));
        }
        after = keys.at(-1);
        if (!hasMore || after === undefined || listed.length >= page.limit) return listed;
      }
    },
    check: () => checkBucket(client, Bucket),
    async close() {
      client.destroy();
    },
  };
}

const openClient = (options: S3Config): S3Client =>
  new S3Client({
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint, forcePathStyle: true }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000, requestTimeout: 60_000 },
    // Many stores do not know the newer checksums; the digest we send ourselves is understood or ignored.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

async function listKeys(
  client: S3Client,
  Bucket: string,
  Prefix: string,
  MaxKeys: number,
  after: string | undefined,
): Promise<{ readonly keys: readonly string[]; readonly hasMore: boolean }> {
  const answer = await client.send(
    new ListObjectsV2Command({ Bucket, Prefix, MaxKeys, ...(after && { StartAfter: after }) }),
  );
  const keys = (answer.Contents ?? []).flatMap((entry) => (entry.Key === undefined ? [] : [entry.Key]));
  return { keys, hasMore: answer.IsTruncated === true };
}

async function checkBucket(client: S3Client, Bucket: string): Promise<void> {
  try {
    await client.send(new HeadBucketCommand({ Bucket }));
  } catch (error) {
    // The answer to HEAD has no body, so the client has no words for it.
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    if (status === 404) throw new Error(`there is no bucket "${Bucket}" (GPUAAS_S3_BUCKET): create it`);
    if (status === 403) throw new Error(`the bucket "${Bucket}" (GPUAAS_S3_BUCKET) refuses these credentials`);
    throw error;
  }
}

function describe(
  key: string,
  answer: {
    readonly ContentLength?: number | undefined;
    readonly ContentType?: string | undefined;
    readonly Metadata?: Record<string, string> | undefined;
  },
): ObjectFacts {
  const { sha256, 'modified-at': modifiedAt } = answer.Metadata ?? {};
  if (sha256 === undefined || modifiedAt === undefined || answer.ContentLength === undefined) {
    throw new Error(`${key} was not put into the bucket by this store`);
  }
  return {
    key,
    size: answer.ContentLength,
    sha256,
    contentType: answer.ContentType ?? defaultContentType,
    modifiedAt: new Date(modifiedAt),
  };
}

/** A missing bucket is answered with the same status, and is an outage instead. */
function isNoSuchKey(error: unknown): boolean {
  return error instanceof S3ServiceException && (error.name === 'NoSuchKey' || error.name === 'NotFound');
}
