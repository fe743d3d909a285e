import { type CallOptions, GpuaasError, type StorageObject, type StorageUpload } from '@gpuaas/sdk';
import { api } from '../api.ts';
import { sendBytes } from './bytes.ts';
import { checksumOf, hexOf, sha256Of } from './digest.ts';
import { began, ended, knownUpload } from './unfinished.ts';

/** How often a part is sent before the upload is left to be resumed. */
const attempts = 4;

export interface Goal {
  readonly project: string;
  readonly path: string;
  /** The project that owns the path, where a grant opens it. */
  readonly owner: string | undefined;
}

/** Sends a file part by part, one part in memory at a time. What has arrived of an earlier attempt is not sent again. */
export async function sendFile(
  file: File,
  goal: Goal,
  tell: { begun(uploadId: string): void; sent(bytes: number): void },
  signal: AbortSignal,
): Promise<StorageObject> {
  const options = { project: goal.project, signal };
  const upload = (await resumed(file, goal, options)) ?? (await begin(file, goal, options));
  tell.begun(upload.id);
  const there = new Map(upload.parts.map((part) => [part.number, part.sha256]));
  const digests: Uint8Array[] = [];
  for (const number of Array.from({ length: upload.part_count }, (_, index) => index + 1)) {
    const start = (number - 1) * upload.part_bytes;
    const bytes = await file.slice(start, Math.min(start + upload.part_bytes, file.size)).arrayBuffer();
    const digest = await sha256Of(bytes);
    digests.push(digest);
    const sha256 = hexOf(digest);
    if (there.get(number) !== sha256) {
      const part = { storage_upload_id: upload.id, number, sha256 };
      await sendPart(part, bytes, options, (sent) => tell.sent(start + sent));
    }
    tell.sent(start + bytes.byteLength);
  }
  const made = await api.storage.uploadFinish(
    { storage_upload_id: upload.id, checksum: await checksumOf(digests) },
    options,
  );
  ended(file, goal);
  return made;
}

/** The upload that was begun for this very file and then cut; undefined where there is none any more. */
async function resumed(file: File, goal: Goal, options: CallOptions): Promise<StorageUpload | undefined> {
  const id = knownUpload(file, goal);
  if (id === undefined) return undefined;
  try {
    return await api.storage.uploadGet({ storage_upload_id: id }, options);
  } catch (error) {
    if (!(error instanceof GpuaasError) || error.status !== 404) throw error;
    ended(file, goal);
    return undefined;
  }
}

async function begin(file: File, { path, owner, project }: Goal, options: CallOptions): Promise<StorageUpload> {
  const upload = await api.storage.uploadCreate(
    {
      ...{ path, size_bytes: file.size },
      ...(file.type !== '' && { content_type: file.type }),
      ...(owner !== undefined && { owner_project_id: owner }),
    },
    options,
  );
  began(file, { path, owner, project }, upload.id);
  return upload;
}

/** Each attempt asks for an address of its own: the last one may have expired while the line was away. */
async function sendPart(
  part: { readonly storage_upload_id: string; readonly number: number; readonly sha256: string },
  bytes: ArrayBuffer,
  options: CallOptions & { readonly signal: AbortSignal },
  sent: (bytes: number) => void,
): Promise<void> {
  let why = '';
  for (let attempt = 0; attempt < attempts; attempt++) {
    const address = await api.storage.uploadPart(part, options);
    const status = await sendBytes(address, bytes, options.signal, sent);
    if (status >= 200 && status < 300) return;
    why = status === 0 ? 'the store cannot be reached' : `the store answered ${status}`;
  }
  throw new Error(`Part ${part.number} did not arrive: ${why}. Try again: what has arrived is kept.`);
}
