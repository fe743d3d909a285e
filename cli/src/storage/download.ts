import { createHash } from 'node:crypto';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StorageObject } from '@gpuaas/sdk';
import type { Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { ask, progress } from './addresses.ts';

/** The checksum of bytes as they pass, the way StorageObject describes it. */
export function makeChecksum(partBytes: number) {
  const digests: Buffer[] = [];
  let [hash, inPart] = [createHash('sha256'), 0];
  const close = () => {
    digests.push(hash.digest());
    [hash, inPart] = [createHash('sha256'), 0];
  };
  return {
    add(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length; ) {
        if (inPart === partBytes) close();
        const piece = bytes.subarray(at, at + partBytes - inPart);
        hash.update(piece);
        inPart += piece.length;
        at += piece.length;
      }
    },
    end(): string {
      close();
      const [only] = digests;
      if (digests.length === 1 && only) return `sha256:${only.toString('hex')}`;
      return `sha256-parts:${createHash('sha256').update(Buffer.concat(digests)).digest('hex')}`;
    },
  };
}

/** The checksum of a file that lies here; undefined where there is none. */
export async function checksumOf(path: string, partBytes: number): Promise<string | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  const checksum = makeChecksum(partBytes);
  for await (const bytes of file.createReadStream()) checksum.add(bytes as Buffer);
  return checksum.end();
}

/**
 * Fetches into `TARGET.part`, goes on where an earlier call was cut, and names the file only when its checksum is right.
 */
export async function download(
  session: Session,
  from: StorageObject,
  to: string,
  owner: { readonly owner_project_id?: string },
): Promise<void> {
  const [{ storage }, project] = [await session.api(), await session.project()];
  const partial = `${to}.part`;
  await mkdir(dirname(to), { recursive: true });
  const start = Math.min((await stat(partial).catch(() => undefined))?.size ?? 0, from.size_bytes);
  const file = await open(partial, start === 0 ? 'w' : 'a', 0o600);
  const show = progress(session, from.path, from.size_bytes);
  try {
    if (start < from.size_bytes) {
      const address = await storage.downloadGet({ path: from.path, ...owner }, { project });
      const answer = await ask(session, address, { ...(start > 0 && { range: `bytes=${start}-` }) });
      if (answer.status !== (start > 0 ? 206 : 200) || !answer.body) {
        throw new Failure(exitCodes.server, `The store answered ${answer.status} for ${from.path}.`);
      }
      let done = start;
      for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
        await file.writeFile(bytes);
        done += bytes.length;
        show(done);
      }
    }
    await file.sync();
  } finally {
    await file.close();
  }
  const found = await checksumOf(partial, Math.max(from.part_bytes, 1));
  if (found !== from.checksum) {
    await rename(partial, `${to}.damaged`);
    throw new Failure(exitCodes.failed, `${from.path} arrived damaged, or was changed meanwhile: fetch it again.`);
  }
  await rename(partial, to);
}
