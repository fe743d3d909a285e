import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rmdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/**
 * A body whose size and digest are known before its first byte is sent. S3 wants an object's metadata at the beginning
 * of an upload, so a body of unknown length has to be seen whole first: a small one in memory, a large one in a file.
 * The file is unlinked as soon as it is open, so not even a crash leaves it behind.
 */
export interface MeasuredBody {
  readonly size: number;
  readonly sha256: Buffer;
  /** The whole body where it is small, a stream over it where it is not. */
  readonly content: Buffer | Readable;
  close(): Promise<void>;
}

export const maxInMemoryBytes = 8 * 1024 * 1024;

export async function measureBody(body: Buffer | Readable, folder = tmpdir()): Promise<MeasuredBody> {
  const digest = createHash('sha256');
  const chunks: Buffer[] = [];
  let size = 0;
  let file: FileHandle | undefined;
  try {
    for await (const piece of Buffer.isBuffer(body) ? [body] : body) {
      const chunk: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(piece);
      digest.update(chunk);
      size += chunk.length;
      if (!file && (size <= maxInMemoryBytes || Buffer.isBuffer(body))) {
        chunks.push(chunk);
        continue;
      }
      file ??= await openNameless(folder);
      for (const waiting of [...chunks.splice(0), chunk]) await file.appendFile(waiting);
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
  const content = file
    ? Readable.from(file.createReadStream({ start: 0, autoClose: false }))
    : (chunks.length === 1 && chunks[0]) || Buffer.concat(chunks);
  return {
    size,
    sha256: digest.digest(),
    content,
    async close() {
      if (content instanceof Readable) content.destroy();
      await file?.close();
    },
  };
}

async function openNameless(folder: string): Promise<FileHandle> {
  const own = await mkdtemp(join(folder, 'gpuaas-upload-'));
  const path = join(own, 'body');
  try {
    const file = await open(path, 'wx+', 0o600);
    await unlink(path);
    return file;
  } finally {
    await rmdir(own);
  }
}
