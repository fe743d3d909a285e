import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ObjectFacts } from './port.ts';

/**
 * An object is one file: its bytes, then its facts as JSON, then a seal of twelve bytes (the length of the facts and a
 * mark). Facts in a file of their own would need two renames, and a crash between them would marry the new bytes to
 * the old facts. One file has one rename, and an open file stays the version it was, however often the key is replaced.
 *
 * The facts stand at the end because size and digest are known only when the last byte has passed.
 */
export type SealedFacts = Omit<ObjectFacts, 'key'>;

const mark = Buffer.from('GPUAAS1\n');
const sealBytes = 4 + mark.length;
const maxFactsBytes = 4_096;

/** Writes the whole file and returns only when it is on disk. */
export async function writeSealed(
  path: string,
  body: Buffer | Readable,
  about: { readonly contentType: string; readonly modifiedAt: Date },
): Promise<SealedFacts> {
  const file = await open(path, 'wx', 0o600);
  try {
    const digest = createHash('sha256');
    let size = 0;
    for await (const piece of Buffer.isBuffer(body) ? [body] : body) {
      const chunk: Buffer = Buffer.isBuffer(piece) ? piece : Buffer.from(piece);
      digest.update(chunk);
      await writeAll(file, chunk, size);
      size += chunk.length;
    }
    const facts = { size, sha256: digest.digest('hex'), ...about };
    const end = Buffer.from(JSON.stringify(facts));
    const seal = Buffer.alloc(sealBytes);
    seal.writeUInt32BE(end.length);
    mark.copy(seal, 4);
    await writeAll(file, Buffer.concat([end, seal]), size);
    await file.sync();
    return facts;
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await file.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
  }
}

/** Opens an object without following a link. `undefined` when there is none; the caller closes the file. */
export async function openSealed(path: string): Promise<{ file: FileHandle; facts: SealedFacts } | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (codeOf(error) === 'ELOOP') throw new Error(`${path} is a link, and objects are plain files`, { cause: error });
    throw error;
  }
  try {
    const state = await file.stat();
    if (state.isDirectory()) {
      await file.close();
      return undefined;
    }
    const facts = state.isFile() ? await readFacts(file, state.size) : undefined;
    if (!facts) throw new Error(`${path} is not an object, or a damaged one`);
    return { file, facts };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readFacts(file: FileHandle, fileBytes: number): Promise<SealedFacts | undefined> {
  const tail = Buffer.alloc(Math.min(fileBytes, maxFactsBytes + sealBytes));
  for (let read = 0; read < tail.length; ) {
    const { bytesRead } = await file.read(tail, read, tail.length - read, fileBytes - tail.length + read);
    if (bytesRead === 0) return undefined;
    read += bytesRead;
  }
  if (tail.length < sealBytes || !tail.subarray(-mark.length).equals(mark)) return undefined;
  const factsBytes = tail.readUInt32BE(tail.length - sealBytes);
  if (factsBytes > tail.length - sealBytes) return undefined;
  const facts: unknown = JSON.parse(tail.subarray(tail.length - sealBytes - factsBytes, -sealBytes).toString());
  const { size, sha256, contentType, modifiedAt } = facts as Record<keyof SealedFacts, string | number>;
  if (size !== fileBytes - sealBytes - factsBytes) return undefined;
  return { size, sha256: String(sha256), contentType: String(contentType), modifiedAt: new Date(modifiedAt) };
}

/** The bytes without the facts. The file is closed with the stream, and at once where there is nothing to read. */
export async function bodyOf(file: FileHandle, size: number): Promise<Readable> {
  if (size > 0) return file.createReadStream({ start: 0, end: size - 1 });
  await file.close();
  return Readable.from([]);
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
