import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { checkDeclared } from '../../kernel/files/declared-bytes.ts';
import { type Ids, systemIds } from '../../kernel/id.ts';
import type { Adapted } from '../adapter.ts';
import { checkBlob, checkPart, checkParts, checkRange, sizeOf } from './names.ts';
import type { BlobName, ByteRange, Part, Storage } from './port.ts';

/**
 * Tenants' bytes in a folder. A blob is a folder `<project>/<blob>`, each part a file whose name says its number, size and
 * digest, and `whole` lists the parts that belong together: it is written last and by one rename, so a blob is there whole
 * or not at all. Parts are never joined, so finishing a large upload copies nothing.
 */
export async function openFileStorage(options: {
  readonly root: string;
  readonly ids?: Ids;
}): Promise<Storage & Adapted> {
  const { ids = systemIds } = options;
  await mkdir(options.root, { recursive: true, mode: 0o700 });
  const root = await realpath(options.root);
  const folderOf = (blob: BlobName): string => {
    checkBlob(blob);
    return join(root, blob.projectId, blob.blobId);
  };
  /** The folder of a blob is no link, or a store on a shared disk could be led elsewhere. */
  const isFolder = async (path: string): Promise<boolean> => {
    const state = await lstat(path).catch(onMissing);
    if (state?.isSymbolicLink()) throw new Error(`${path} is a link, and folders of blobs are plain`);
    return state?.isDirectory() ?? false;
  };
  const wholeOf = async (blob: BlobName): Promise<readonly Part[] | undefined> => {
    const text = await readFile(join(folderOf(blob), 'whole'), 'utf8').catch(onMissing);
    return text === undefined ? undefined : (JSON.parse(text) as readonly Part[]);
  };
  const partsOf = async (folder: string): Promise<readonly Part[]> => {
    const newest = new Map<number, Part & { readonly at: number }>();
    for (const name of ((await readdir(folder).catch(onMissing)) ?? []).sort()) {
      const part = partNamed(name);
      if (!part) continue;
      const at = (await lstat(join(folder, name)).catch(onMissing))?.mtimeMs;
      if (at !== undefined && at >= (newest.get(part.number)?.at ?? 0)) newest.set(part.number, { ...part, at });
    }
    return [...newest.values()]
      .map(({ number, sizeBytes, sha256 }) => ({ number, sizeBytes, sha256 }))
      .sort((a, b) => a.number - b.number);
  };
  /** Only one file counts for each part: those listed in `whole`, and before that the newest. The others would lie there uncounted. */
  const dropOthers = async (blob: BlobName): Promise<void> => {
    const folder = folderOf(blob);
    const counted = new Set(((await wholeOf(blob)) ?? (await partsOf(folder))).map(nameOf));
    const names = (await readdir(folder).catch(onMissing)) ?? [];
    for (const name of names) if (partNamed(name) && !counted.has(name)) await rm(join(folder, name), { force: true });
  };
  /** Parts of one blob are dropped and finished in turns: what `whole` lists is never dropped. */
  const turns = new Map<string, Promise<unknown>>();
  const inTurn = async (blob: BlobName, work: () => Promise<void>): Promise<void> => {
    const key = folderOf(blob);
    const mine = (turns.get(key) ?? Promise.resolve()).then(work, work);
    turns.set(key, mine);
    await mine.finally(() => turns.get(key) === mine && turns.delete(key));
  };

  return {
    adapter: { name: 'files', kind: 'embedded' },
    direct: undefined,
    async begin(blob) {
      const folder = folderOf(blob);
      await mkdir(join(root, blob.projectId), { recursive: true, mode: 0o700 });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await syncFolder(join(root, blob.projectId));
      return 'files';
    },
    async putPart(upload, part, bytes) {
      checkPart(part);
      const folder = folderOf(upload);
      if (!(await isFolder(folder)) || (await wholeOf(upload))) throw new RangeError('there is no such upload');
      await writeNew(folder, `incoming-${ids.next()}`, nameOf(part), checkDeclared(bytes, part));
      await inTurn(upload, () => dropOthers(upload));
    },
    parts: (upload) => partsOf(folderOf(upload)),
    async finish(upload, parts) {
      checkParts(parts);
      const folder = folderOf(upload);
      await inTurn(upload, async () => {
        if (await wholeOf(upload)) return;
        for (const part of parts) {
          const state = await lstat(join(folder, nameOf(part))).catch(onMissing);
          if (!state?.isFile() || state.size !== part.sizeBytes) throw new RangeError(`part ${part.number} is missing`);
        }
        await writeNew(folder, `incoming-${ids.next()}`, 'whole', [Buffer.from(JSON.stringify(parts))]);
      });
    },
    async read(blob, range) {
      checkRange(range);
      const parts = await wholeOf(blob);
      if (!parts) return undefined;
      if (range.end >= sizeOf(parts)) throw new RangeError('the range is longer than the blob');
      return Readable.from(readParts(folderOf(blob), parts, range), { objectMode: false });
    },
    remove: (blob) => rm(folderOf(blob), { recursive: true, force: true }),
    check: () => checkFolder(join(root, `probe-${ids.next()}`)),
    async close() {},
  };
}

const nameOf = ({ number, sizeBytes, sha256 }: Part): string => `part-${number}-${sizeBytes}-${sha256}`;
function partNamed(name: string): Part | undefined {
  const [, number, size, sha256] = /^part-(\d{1,5})-(\d{1,10})-([0-9a-f]{64})$/.exec(name) ?? [];
  return sha256 === undefined ? undefined : { number: Number(number), sizeBytes: Number(size), sha256 };
}

/** One part after the other, a chunk at a time. */
async function* readParts(
  folder: string,
  parts: readonly Part[],
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const part of parts) {
    const first = Math.max(start - from, 0);
    const last = Math.min(end - from, part.sizeBytes - 1);
    from += part.sizeBytes;
    if (first > last) continue;
    const file = await open(join(folder, nameOf(part)), constants.O_RDONLY | constants.O_NOFOLLOW);
    let sent = 0;
    for await (const chunk of file.createReadStream({ start: first, end: last })) {
      sent += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
    // A file that was cut behind our back breaks the download off: a short answer must not look whole.
    if (sent !== last - first + 1) throw new Error(`part ${part.number} of a blob is damaged`);
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
  }
}

/** A file that is there whole, on disk, or not at all. */
async function writeNew(
  folder: string,
  incoming: string,
  name: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const path = join(folder, incoming);
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const piece of pieces) await writeAll(file, piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(path, join(folder, name));
    await syncFolder(folder);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Writes a file and removes it. */
async function checkFolder(probe: string): Promise<void> {
  try {
    const file = await open(probe, 'wx', 0o600);
    await file.close();
  } finally {
    await rm(probe, { force: true });
  }
}

/** A rename is durable only when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function onMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}
