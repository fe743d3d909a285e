import { createHash, createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { SignatureV4 } from '@smithy/signature-v4';
import { Outage } from '../../kernel/fault.ts';
import { checkDeclared, NotAsDeclared } from '../../kernel/files/declared-bytes.ts';
import type { Adapted } from '../adapter.ts';
import { checkBlob, checkPart, checkParts, checkRange, sizeOf } from './names.ts';
import type { Address, BlobName, DirectAddresses, OpenUpload, Part, Storage } from './port.ts';

/**
 * Tenants' bytes in a bucket of any store that speaks S3. Every blob is a multipart upload whose parts carry their SHA-256, one of a
 * single part too: a PUT of the object itself could be sent again after the blob was finished, or removed. People are no users of
 * the store: what they are given are presigned requests, each for one part or one download.
 */
export interface S3StorageConfig {
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** For stores other than Amazon's; the bucket is then part of the path. */
  readonly endpoint?: string;
  /** Where callers reach the store; bytes pass through our own addresses when left out. */
  readonly directEndpoint?: string | undefined;
}

/** How long our own requests with a presigned address may wait before they begin. */
const ownSeconds = 60;
const ownDeadlineMs = 600_000;
const notFound = 404;

export function openS3Storage(config: S3StorageConfig): Storage & Adapted {
  const { bucket: Bucket } = config;
  const client = openClient(config);
  const keyOf = (blob: BlobName): string => {
    checkBlob(blob);
    return `${blob.projectId}/${blob.blobId}`;
  };
  const listKeyOf = (blob: BlobName): string => `${keyOf(blob)}.parts`;
  const own = makeAddresses(config, config.endpoint ?? amazon(config), keyOf);
  const { sizeIn, listed, finished } = makeLooks(client, Bucket, { keyOf, listKeyOf });

  return {
    adapter: { name: 's3', kind: 'production' },
    direct: config.directEndpoint === undefined ? undefined : makeAddresses(config, config.directEndpoint, keyOf),
    async begin(blob) {
      const Key = keyOf(blob);
      const { UploadId } = await client.send(
        new CreateMultipartUploadCommand({ Bucket, Key, ChecksumAlgorithm: 'SHA256', ChecksumType: 'COMPOSITE' }),
      );
      if (UploadId === undefined) throw new Error('the store began no upload');
      return UploadId;
    },
    async putPart(upload, part, bytes) {
      checkPart(part);
      await send(await own.part(upload, part, ownSeconds), part, bytes);
    },
    async parts(upload) {
      try {
        return (await listed(upload)).map(({ part }) => part);
      } catch (error) {
        if (isAbsent(error)) return finished(upload);
        throw error;
      }
    },
    async finish(upload, parts) {
      checkParts(parts);
      // What a repeated call finds: the upload is gone, and the object is there.
      if ((await sizeIn(upload)) === sizeOf(parts)) return;
      const etags = new Map((await listed(upload)).map(({ part, etag }) => [keyOfPart(part), etag]));
      const Parts = parts.map((part) => {
        const ETag = etags.get(keyOfPart(part));
        if (ETag === undefined) throw new RangeError(`part ${part.number} is missing`);
        return { PartNumber: part.number, ETag, ChecksumSHA256: base64Of(part.sha256) };
      });
      await client.send(new PutObjectCommand({ Bucket, Key: listKeyOf(upload), Body: JSON.stringify(parts) }));
      const of = { Bucket, Key: keyOf(upload), UploadId: upload.handle };
      await client.send(new CompleteMultipartUploadCommand({ ...of, MultipartUpload: { Parts } }));
    },
    async read(blob, range) {
      checkRange(range);
      try {
        const Range = `bytes=${range.start}-${range.end}`;
        const found = await client.send(new GetObjectCommand({ Bucket, Key: keyOf(blob), Range }));
        return found.Body as Readable;
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },
    async remove(upload) {
      const of = { Bucket, Key: keyOf(upload) };
      await client.send(new AbortMultipartUploadCommand({ ...of, UploadId: upload.handle })).catch((error: unknown) => {
        if (!isAbsent(error)) throw error;
      });
      await client.send(new DeleteObjectCommand(of));
      await client.send(new DeleteObjectCommand({ Bucket, Key: listKeyOf(upload) }));
    },
    check: async () => {
      await client.send(new HeadBucketCommand({ Bucket }));
    },
    async close() {
      client.destroy();
    },
  };
}

/** What the store has: of an upload that is under way, and of a blob that was finished. */
function makeLooks(
  client: S3Client,
  Bucket: string,
  { keyOf, listKeyOf }: Readonly<Record<'keyOf' | 'listKeyOf', (blob: BlobName) => string>>,
) {
  const sizeIn = async (blob: BlobName): Promise<number | undefined> => {
    try {
      return (await client.send(new HeadObjectCommand({ Bucket, Key: keyOf(blob) }))).ContentLength;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  };
  return {
    sizeIn,
    async listed(upload: OpenUpload) {
      const parts: { readonly part: Part; readonly etag: string }[] = [];
      for (let after: string | undefined; ; ) {
        const answer = await client.send(
          new ListPartsCommand({ Bucket, Key: keyOf(upload), UploadId: upload.handle, PartNumberMarker: after }),
        );
        for (const { PartNumber, Size, ChecksumSHA256, ETag } of answer.Parts ?? []) {
          if (PartNumber === undefined || Size === undefined || !ChecksumSHA256 || !ETag) continue;
          const sha256 = Buffer.from(ChecksumSHA256, 'base64').toString('hex');
          parts.push({ part: { number: PartNumber, sizeBytes: Size, sha256 }, etag: ETag });
        }
        after = answer.NextPartNumberMarker;
        if (answer.IsTruncated !== true || after === undefined) return parts;
      }
    },
    /** The parts of a blob that was finished: the store forgets them with the upload, and a caller that lost our answer asks again. */
    async finished(upload: OpenUpload): Promise<readonly Part[]> {
      try {
        const kept = await client.send(new GetObjectCommand({ Bucket, Key: listKeyOf(upload) }));
        const parts = JSON.parse((await kept.Body?.transformToString()) ?? '[]') as readonly Part[];
        return (await sizeIn(upload)) === sizeOf(parts) ? parts : [];
      } catch (error) {
        if (isAbsent(error)) return [];
        throw error;
      }
    },
  };
}

const keyOfPart = ({ number, sizeBytes, sha256 }: Part): string => `${number}.${sizeBytes}.${sha256}`;
const base64Of = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
const amazon = ({ region }: S3StorageConfig): string => `https://s3.${region}.amazonaws.com`;

/** Presigned requests at one address of the store. */
function makeAddresses(
  { bucket, region, accessKeyId, secretAccessKey }: S3StorageConfig,
  endpoint: string,
  keyOf: (blob: BlobName) => string,
): DirectAddresses {
  const signer = new SignatureV4({
    ...{ service: 's3', region, credentials: { accessKeyId, secretAccessKey } },
    // S3 signs a path as it is sent, and a presigned address says of itself that the payload is not signed.
    ...{ uriEscapePath: false, sha256: Sha256 },
  });
  const { protocol, hostname, port, host, pathname } = new URL(endpoint);
  const sign = async (
    method: 'GET' | 'PUT',
    blob: BlobName,
    asked: { readonly query: Record<string, string>; readonly headers: Record<string, string> },
    expiresIn: number,
  ): Promise<Address> => {
    const signed = await signer.presign(
      {
        ...{ method, protocol, hostname, query: asked.query },
        headers: { ...asked.headers, host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
        ...(port && { port: Number(port) }),
        path: `${pathname.replace(/\/$/, '')}/${bucket}/${keyOf(blob)}`,
      },
      {
        expiresIn,
        unhoistableHeaders: new Set(Object.keys(asked.headers)),
        signableHeaders: new Set(['host', ...Object.keys(asked.headers)]),
      },
    );
    const query = Object.entries(signed.query ?? {}).map(([name, value]) => [name, String(value)] as [string, string]);
    return {
      url: `${protocol}//${host}${signed.path}?${new URLSearchParams(query).toString().replaceAll('+', '%20')}`,
      headers: asked.headers,
    };
  };
  return {
    origin: `${protocol}//${host}`,
    async part(upload, part, seconds) {
      checkPart(part);
      const headers = {
        'content-length': String(part.sizeBytes),
        'x-amz-checksum-sha256': base64Of(part.sha256),
      };
      const query = { partNumber: String(part.number), uploadId: upload.handle };
      return sign('PUT', upload, { query, headers }, seconds);
    },
    read: (blob, { contentType, contentDisposition }, seconds) =>
      sign(
        'GET',
        blob,
        {
          query: {
            'response-content-type': contentType,
            'response-content-disposition': contentDisposition,
          },
          headers: {},
        },
        seconds,
      ),
  };
}

/** SHA-256 in the shape that the signer asks for. */
class Sha256 {
  private hash;
  private readonly secret: string | ArrayBuffer | ArrayBufferView | undefined;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.secret = secret;
    this.hash = this.open();
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
  reset(): void {
    this.hash = this.open();
  }
  private open() {
    return this.secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(this.secret));
  }
}
const bytesOf = (data: string | ArrayBuffer | ArrayBufferView): string | Uint8Array =>
  typeof data === 'string'
    ? data
    : ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data);

/** Sends a part as a caller would. The bytes are counted and hashed on the way, so the refusal says what was wrong. */
async function send({ url, headers }: Address, part: Part, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let fault: unknown;
  const checked = async function* () {
    try {
      yield* checkDeclared(bytes, part);
    } catch (error) {
      fault = error;
      throw error;
    }
  };
  try {
    const answer = await fetch(url, {
      ...{ method: 'PUT', headers, duplex: 'half', signal: AbortSignal.timeout(ownDeadlineMs) },
      body: part.sizeBytes === 0 ? await emptied(checked()) : Readable.from(checked()),
    } as unknown as RequestInit);
    const text = await answer.text();
    if (answer.ok) return;
    if (/BadDigest|XAmzContentSHA256Mismatch|InvalidDigest/.test(text)) {
      throw new NotAsDeclared(`The body does not have the digest sha256:${part.sha256}.`);
    }
    // The upload was finished or given up.
    if (answer.status === notFound) throw new RangeError('there is no such upload');
    throw new Outage(`the store answered ${answer.status} to a part`);
  } catch (error) {
    throw fault ?? error;
  }
}
async function emptied(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  for await (const _ of bytes);
  return Buffer.alloc(0);
}

const openClient = (config: S3StorageConfig): S3Client =>
  new S3Client({
    region: config.region,
    credentials: { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
    ...(config.endpoint === undefined ? {} : { endpoint: config.endpoint, forcePathStyle: true }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000, requestTimeout: 60_000 },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

/** A missing bucket is answered with the same status, and is an outage instead. */
function isAbsent(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(error.name);
}
