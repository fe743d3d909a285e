import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { StorageObject, StorageUpload } from '@gpuaas/sdk';
import type { Session } from '../command.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { ask, progress } from './addresses.ts';

const shaOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
/** How often a part is sent before the upload is left to be resumed. */
const attempts = 4;

/** Sends a file part by part, one part in memory at a time. Parts that have arrived are not sent again. */
export async function upload(
  session: Session,
  from: string,
  to: { readonly path: string; readonly owner_project_id?: string },
  resume?: string,
): Promise<StorageObject> {
  const [{ storage }, project] = [await session.api(), await session.project()];
  const file = await open(from, 'r').catch((cause: Error) => {
    throw usageFailure(`${from} cannot be read: ${cause.message}`);
  });
  try {
    const { size } = await file.stat();
    const begun: StorageUpload = resume
      ? await storage.uploadGet({ storage_upload_id: resume }, { project })
      : await storage.uploadCreate({ ...to, size_bytes: size }, { project });
    if (begun.size_bytes !== size) throw usageFailure(`${from} has ${size} bytes, the upload ${begun.size_bytes}.`);
    const there = new Map(begun.parts.map((part) => [part.number, part.sha256]));
    const show = progress(session, to.path, size);
    const digests: Buffer[] = [];
    for (let number = 1; number <= begun.part_count; number += 1) {
      const start = (number - 1) * begun.part_bytes;
      const bytes = Buffer.alloc(Math.min(begun.part_bytes, size - start));
      await readFully(file, bytes, start, from);
      const sha256 = shaOf(bytes);
      digests.push(Buffer.from(sha256, 'hex'));
      if (there.get(number) !== sha256) await sendPart(session, begun.id, { number, sha256, bytes });
      show(start + bytes.length);
    }
    const [only] = digests;
    const checksum =
      digests.length === 1 && only ? `sha256:${only.toString('hex')}` : `sha256-parts:${shaOf(Buffer.concat(digests))}`;
    return await storage.uploadFinish({ storage_upload_id: begun.id, checksum }, { project });
  } finally {
    await file.close();
  }
}

async function readFully(
  file: Awaited<ReturnType<typeof open>>,
  bytes: Buffer,
  position: number,
  name: string,
): Promise<void> {
  for (let read = 0; read < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, read, bytes.length - read, position + read);
    if (bytesRead === 0) throw new Failure(exitCodes.failed, `${name} became shorter while it was read.`);
    read += bytesRead;
  }
}

/** Each attempt asks for an address of its own: the last one may have expired while the line was away. */
async function sendPart(
  session: Session,
  id: string,
  { number, sha256, bytes }: { readonly number: number; readonly sha256: string; readonly bytes: Buffer },
): Promise<void> {
  const [{ storage }, project] = [await session.api(), await session.project()];
  let why = '';
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const address = await storage.uploadPart({ storage_upload_id: id, number, sha256 }, { project });
    const answer = await ask(session, address, { body: bytes }).catch((error: unknown) => error as Failure);
    if (answer instanceof Response && answer.ok) return;
    why = answer instanceof Response ? `the store answered ${answer.status}` : answer.message;
  }
  throw new Failure(exitCodes.server, `Part ${number} did not arrive: ${why}.`, {
    next: `Go on with: gpuaas cp --resume ${id} SOURCE TARGET`,
  });
}
