import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { StorageObject } from '@gpuaas/sdk';
import type { Run, Session } from '../command.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { checksumOf, download } from './download.ts';
import { upload } from './upload.ts';

const scheme = 'storage:';
const isRemote = (text: string): boolean => text.startsWith(scheme);
const pathOf = (text: string): string => text.slice(scheme.length);
const ownerOf = (session: Session) => {
  const owner = session.text('owner-project-id');
  return owner === undefined ? {} : { owner_project_id: owner };
};

/** One file, up or down. */
export const cp: Run = async (session) => {
  const [from, to] = [session.arg(0), session.arg(1)];
  if (isRemote(from) === isRemote(to)) {
    throw usageFailure(
      'One side is a file here, the other begins with storage:',
      'gpuaas cp a.bin storage:shared/a.bin',
    );
  }
  if (isRemote(to)) {
    const path = to.endsWith('/') ? `${pathOf(to)}${basename(from)}` : pathOf(to);
    const made = await upload(session, from, { path, ...ownerOf(session) }, session.text('resume'));
    session.say(`Stored ${made.path}, ${made.size_bytes} bytes, ${made.checksum}.`);
    return exitCodes.ok;
  }
  const object = await find(session, pathOf(from));
  const isFolder = to.endsWith('/') || (await stat(to).catch(() => undefined))?.isDirectory() === true;
  const target = isFolder ? join(to, object.name) : to;
  await download(session, object, target, ownerOf(session));
  session.say(`Saved to ${target}.`);
  return exitCodes.ok;
};

/** A folder with everything in it. What is there already, with the same checksum, is not sent; nothing is deleted. */
export const sync: Run = async (session) => {
  const [from, to] = [session.arg(0), session.arg(1)];
  if (isRemote(from) === isRemote(to)) {
    throw usageFailure(
      'One side is a folder here, the other begins with storage:',
      'gpuaas sync data storage:datasets/a/',
    );
  }
  const remote = pathOf(isRemote(from) ? from : to).replace(/\/?$/, '/');
  const there = new Map<string, StorageObject>();
  for await (const object of listBelow(session, remote)) there.set(object.path.slice(remote.length), object);
  let sent = 0;
  if (isRemote(from)) {
    for (const [path, object] of there) {
      const target = join(to, ...path.split('/'));
      if ((await checksumOf(target, Math.max(object.part_bytes, 1))) === object.checksum) continue;
      await download(session, object, target, ownerOf(session));
      sent += 1;
    }
  } else {
    for await (const path of filesIn(from)) {
      const [source, known] = [join(from, ...path.split('/')), there.get(path)];
      if (known && (await checksumOf(source, Math.max(known.part_bytes, 1))) === known.checksum) continue;
      await upload(session, source, { path: `${remote}${path}`, ...ownerOf(session) });
      sent += 1;
    }
  }
  session.say(`${sent} files copied; the others were there already.`);
  return exitCodes.ok;
};

const find = async (session: Session, path: string): Promise<StorageObject> =>
  (await session.api()).storage.objectGet({ path, ...ownerOf(session) }, { project: await session.project() });

/** A folder that is not there yet has no files. */
async function* listBelow(session: Session, path: string): AsyncGenerator<StorageObject> {
  const input = { path, recursive: true, limit: 200, ...ownerOf(session) };
  try {
    yield* (await session.api()).storage.objectList(input, { project: await session.project() });
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'storage_object_not_found') throw error;
  }
}

/** Plain files below a folder, by path with slashes. Links are not followed: they could lead out of it. */
async function* filesIn(root: string, below = ''): AsyncGenerator<string> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch((cause: Error) => {
    throw usageFailure(`${root} cannot be read: ${cause.message}`);
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory()) yield* filesIn(root, `${below}${entry.name}/`);
    else if (entry.isFile()) yield `${below}${entry.name}`;
  }
}
