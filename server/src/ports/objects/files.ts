import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { type Ids, systemIds } from '../../kernel/id.ts';
import type { Adapted } from '../adapter.ts';
import { checkContentType, checkKey, checkPage, checkPrefix, defaultContentType } from './limits.ts';
import type { ObjectFacts, Objects } from './port.ts';
import { bodyOf, codeOf, isMissing, openSealed, writeSealed } from './sealed-file.ts';

/**
 * Objects as files below a folder that belongs to this store. A new object is written beside the others in
 * `.incoming`, brought to disk, and then renamed into place, so a key always shows a whole object. No key begins with
 * a dot, hence none can name that folder.
 *
 * Keys cannot climb out of the root (see `limits.ts`); links inside it could still lead out, so no link is followed:
 * each folder on the way is looked at, and the file itself is opened without following.
 */
export interface FileObjectsOptions {
  readonly root: string;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** What an upload that died with its process left behind is removed when it is this old. */
const abandonedMs = 24 * 60 * 60 * 1000;
/** How often an upload creates its folders again after a concurrent delete removed them. */
const maxPlacings = 10;

export async function openFileObjects(options: FileObjectsOptions): Promise<Objects & Adapted> {
  const { clock = systemClock, ids = systemIds } = options;
  await mkdir(options.root, { recursive: true, mode: 0o700 });
  const root = await realpath(options.root);
  const incoming = join(root, '.incoming');
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  await removeAbandoned(incoming, ids.next());

  const read = async (key: string) => {
    const folders = key.split('/').slice(0, -1);
    return (await areFolders(root, folders)) ? openSealed(join(root, key)) : undefined;
  };
  const factsOf = async (key: string): Promise<ObjectFacts | undefined> => {
    const found = await read(key);
    await found?.file.close();
    return found && { key, ...found.facts };
  };

  const place = async (written: string, key: string): Promise<void> => {
    const target = join(root, key);
    for (let placing = 1; ; placing += 1) {
      try {
        await makeFolders(root, key);
        await rename(written, target);
        return await syncFolder(dirname(target));
      } catch (error) {
        if (codeOf(error) === 'ENOENT' && placing < maxPlacings) continue;
        if (codeOf(error) !== 'EISDIR') throw error;
        throw new RangeError(`${key} is the folder of other objects, so it cannot be one itself`, { cause: error });
      }
    }
  };

  return {
    adapter: { name: 'files', kind: 'embedded' },
    async put(key, body, { contentType = defaultContentType } = {}) {
      checkKey(key);
      checkContentType(contentType);
      const written = join(incoming, ids.next());
      try {
        const facts = await writeSealed(written, body, { contentType, modifiedAt: clock.now() });
        await place(written, key);
        return { key, ...facts };
      } catch (error) {
        await rm(written, { force: true });
        throw error;
      }
    },
    async get(key) {
      checkKey(key);
      const found = await read(key);
      return found && { facts: { key, ...found.facts }, body: await bodyOf(found.file, found.facts.size) };
    },
    async facts(key) {
      checkKey(key);
      return factsOf(key);
    },
    async delete(key) {
      checkKey(key);
      const folders = key.split('/').slice(0, -1);
      if (!(await areFolders(root, folders))) return;
      const target = join(root, key);
      try {
        if (!(await lstat(target)).isFile()) return;
        await unlink(target);
        await syncFolder(dirname(target));
      } catch (error) {
        if (isMissing(error)) return;
        throw error;
      }
      await removeEmptyFolders(root, folders);
    },
    async list(prefix, page) {
      checkPrefix(prefix);
      checkPage(page);
      const listed: ObjectFacts[] = [];
      const folders = prefix.split('/').slice(0, -1);
      if (!(await areFolders(root, folders))) return listed;
      const start = folders.map((folder) => `${folder}/`).join('');
      for await (const key of walk(root, start, prefix, page.after ?? '')) {
        // Another process may delete it between the look into the folder and the look into the file.
        const facts = await factsOf(key);
        if (facts) listed.push(facts);
        if (listed.length === page.limit) break;
      }
      return listed;
    },
    check: () => checkFolder(root, join(incoming, ids.next()), clock),
    async close() {},
  };
}

/** Writes, reads and removes a file. */
async function checkFolder(root: string, probe: string, clock: Clock): Promise<void> {
  try {
    await writeSealed(probe, Buffer.from('probe'), { contentType: defaultContentType, modifiedAt: clock.now() });
    const found = await openSealed(probe);
    await found?.file.close();
    if (found?.facts.size !== 5) throw new Error(`${root} does not keep what is written to it`);
  } finally {
    await rm(probe, { force: true });
  }
}

/**
 * Keys in order. A file `a-b` comes before the folder `a/`, and that before `a0`: with the slash as part of a folder's
 * name, the order inside one folder is also the order of everything below it.
 */
async function* walk(root: string, folder: string, prefix: string, after: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const names = entries
    .filter((entry) => !entry.name.startsWith('.') && (entry.isFile() || entry.isDirectory()))
    .map((entry) => folder + entry.name + (entry.isDirectory() ? '/' : ''))
    .filter((name) => name.startsWith(prefix) && (name > after || after.startsWith(name)))
    .sort((a, b) => (a < b ? -1 : 1));
  for (const name of names) {
    if (name.endsWith('/')) yield* walk(root, name, prefix, after);
    else if (name > after) yield name;
  }
}

/** Whether all of them are there. A link on the way is refused: it would lead out of the store. */
async function areFolders(root: string, folders: readonly string[]): Promise<boolean> {
  let path = root;
  for (const folder of folders) {
    path = join(path, folder);
    try {
      const state = await lstat(path);
      if (state.isSymbolicLink()) throw new Error(`${path} is a link, and folders of objects are plain`);
      if (!state.isDirectory()) return false;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }
  return true;
}

async function makeFolders(root: string, key: string): Promise<void> {
  let path = root;
  for (const folder of key.split('/').slice(0, -1)) {
    const parent = path;
    path = join(path, folder);
    try {
      await mkdir(path, { mode: 0o700 });
      await syncFolder(parent);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      const state = await lstat(path);
      if (state.isDirectory()) continue;
      if (state.isSymbolicLink()) throw new Error(`${path} is a link, and folders of objects are plain`);
      throw new RangeError(`${path.slice(root.length + 1)} is an object, so it cannot be the folder of ${key}`);
    }
  }
}

/** A folder that is not empty refuses to go, which is all the care that is needed. */
async function removeEmptyFolders(root: string, folders: readonly string[]): Promise<void> {
  for (let depth = folders.length; depth > 0; depth -= 1) {
    try {
      await rmdir(join(root, ...folders.slice(0, depth)));
    } catch {
      return;
    }
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

/** Ages are measured by the file system's own clock, against a file that is born now. */
async function removeAbandoned(incoming: string, probeName: string): Promise<void> {
  const probe = join(incoming, probeName);
  await (await open(probe, 'wx', 0o600)).close();
  try {
    const now = (await stat(probe)).mtimeMs;
    for (const name of await readdir(incoming)) {
      const path = join(incoming, name);
      const state = await lstat(path).catch(() => undefined);
      if (state && now - state.mtimeMs > abandonedMs) await rm(path, { force: true });
    }
  } finally {
    await rm(probe, { force: true });
  }
}
