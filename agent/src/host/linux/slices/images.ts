import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Disk } from '../../../disk.ts';
import { HostFailure } from '../../port.ts';
import { entriesIn, entryAt, hasEntry } from '../removal/entries.ts';
import { digestOf } from './block-devices.ts';

/** Where images come from: bytes of one digest, from an offset on. */
export type FetchImage = (digest: string, from: number, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

/**
 * The images that lie on this host. A file counts once its digest was computed here; what is fetched again goes on where it
 * stopped. The oldest images that no slice is being made from make room for a new one.
 */
export interface Images {
  /** Digests of the images that are here and were verified. Cheap. */
  list(): Promise<string[]>;
  /** The file of an image, fetched if it is not here. */
  need(digest: string, signal: AbortSignal): Promise<string>;
  serve(fetch: FetchImage): void;
}

const digestPattern = /^sha256:([0-9a-f]{64})$/;

export function makeImages(parts: {
  readonly disk: Disk;
  readonly folder: string;
  readonly limitBytes: number;
}): Images {
  const { folder, disk } = parts;
  let fetchImage: FetchImage | undefined;
  const { pathsOf, isVerified, verify, adopt, files } = makeImageFiles(parts);
  const needed = new Map<string, number>();
  const makeRoom = async (digest: string) => {
    const all = (await files()).sort((a, b) => a.usedAtMs - b.usedAtMs);
    let used = all.reduce((sum, { size }) => sum + size, 0);
    for (const file of all) {
      if (used <= parts.limitBytes) return;
      if (file.digest === digest || needed.has(file.digest)) continue;
      const { raw, mark } = pathsOf(file.digest);
      await disk.remove(mark);
      await rm(raw, { force: true });
      used -= file.size;
    }
  };
  const fetchWhole = async (digest: string, signal: AbortSignal): Promise<string> => {
    const { raw, part } = pathsOf(digest);
    if (!fetchImage) throw new HostFailure('image_unavailable', `The image ${digest} is not on this host.`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const from = (await entryAt(part))?.size ?? 0;
    try {
      await pipeline(await fetchImage(digest, from, signal), createWriteStream(part, { flags: 'a', mode: 0o600 }), {
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw new HostFailure('aborted', 'The work was called off.');
      const why = error instanceof Error ? error.message : String(error);
      throw new HostFailure('image_unavailable', `The image ${digest} could not be fetched: ${why}.`);
    }
    if (!(await verify(digest, part))) {
      await rm(part, { force: true });
      throw new HostFailure('image_unavailable', `What was fetched is not the image ${digest}.`);
    }
    await rename(part, raw);
    const path = await adopt(digest);
    await makeRoom(digest);
    return path;
  };

  return {
    serve(fetch) {
      fetchImage = fetch;
    },
    async list() {
      const all = await files();
      const right = await Promise.all(all.map(({ digest }) => isVerified(digest)));
      return all.filter((_, index) => right[index]).map(({ digest }) => digest);
    },
    async need(digest, signal) {
      const { raw } = pathsOf(digest);
      needed.set(digest, (needed.get(digest) ?? 0) + 1);
      try {
        if (!(await isVerified(digest))) {
          // An operator may have put the file here.
          if (!(await verify(digest, raw))) return await fetchWhole(digest, signal);
        }
        // The mark is written anew: its time says when the image was last used.
        return await adopt(digest);
      } finally {
        const left = (needed.get(digest) ?? 1) - 1;
        if (left === 0) needed.delete(digest);
        else needed.set(digest, left);
      }
    },
  };
}

/** The files of images: which are whole, and when each was last used. */
function makeImageFiles({ disk, folder }: { readonly disk: Disk; readonly folder: string }) {
  const pathsOf = (digest: string) => {
    const [, hex] = digestPattern.exec(digest) ?? [];
    if (hex === undefined) throw new TypeError(`${digest} is not a digest.`);
    return {
      raw: join(folder, `${hex}.raw`),
      part: join(folder, `${hex}.part`),
      mark: join(folder, `${hex}.verified`),
    };
  };
  const markOf = ({ size, mtimeMs }: { readonly size: number; readonly mtimeMs: number }) => `${size} ${mtimeMs}`;
  /** A file that was changed after it was verified has another mark. */
  const isVerified = async (digest: string): Promise<boolean> => {
    const { raw, mark } = pathsOf(digest);
    const found = await entryAt(raw);
    return found !== undefined && (await disk.read(mark)) === markOf(found);
  };
  const verify = async (digest: string, path: string): Promise<boolean> => {
    if (!(await hasEntry(path))) return false;
    const handle = await open(path, 'r');
    try {
      return (await digestOf(handle, (await handle.stat()).size)) === digest;
    } finally {
      await handle.close();
    }
  };
  /** Takes a file into the cache that was just verified. */
  const adopt = async (digest: string): Promise<string> => {
    const { raw, mark } = pathsOf(digest);
    await disk.write(mark, markOf(await stat(raw)));
    return raw;
  };
  const hexOf = (name: string) => /^([0-9a-f]{64})\.raw$/.exec(name)?.[1];
  const files = async () => {
    const names = await entriesIn(folder);
    const known = names.flatMap((name) => hexOf(name) ?? []);
    return Promise.all(
      known.map(async (hex) => {
        const { size } = await stat(join(folder, `${hex}.raw`));
        return {
          digest: `sha256:${hex}`,
          size,
          usedAtMs: (await entryAt(join(folder, `${hex}.verified`)))?.mtimeMs ?? 0,
        };
      }),
    );
  };
  return { pathsOf, isVerified, verify, adopt, files };
}
