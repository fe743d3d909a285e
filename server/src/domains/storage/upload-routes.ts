import { createHash } from 'node:crypto';
import {
  storageUploadAbort,
  storageUploadCreate,
  storageUploadFinish,
  storageUploadGet,
  storageUploadPart,
} from '@gpuaas/contract';
import { handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { hourMs, mebibyte } from '../../kernel/units.ts';
import { limits, type Part } from '../../ports/storage/port.ts';
import { denied, findPlace, includes, levelIn, type Place, pathIn } from './access.ts';
import { makeFoldersAbove, makeRoom, openNamespace, quotaOf, whyNotMore } from './change.ts';
import { anyContent, namedMissing } from './facts.ts';
import type { Reader, StorageParts } from './parts.ts';
import { partCount, showObject, showUpload, sizeOfPart } from './show.ts';
import { getNamespace, holdBucket, resizeBucket, resizeNamespace } from './stores/namespaces-store.ts';
import { findObject, insertObject } from './stores/objects-store.ts';
import {
  countUploads,
  findUpload,
  insertUpload,
  putBlob,
  removeUpload,
  type UploadRow,
} from './stores/uploads-store.ts';

const on = handlers<StorageParts>();
const target = (id: string) => ({ type: 'storage_upload', id });
const noUpload = () => new Fault('storage_upload_not_found', 'There is no such upload. Begin another one.');
const opened = ({ id, project_id, handle }: UploadRow) => ({ projectId: project_id, blobId: id, handle });

/** Parts as the policy says, or longer ones where a file would need too many of them. */
function partBytesOf({ policies }: Pick<StorageParts, 'policies'>, who: Reader, sizeBytes: number): number {
  const least = Math.ceil(sizeBytes / limits.mostParts / mebibyte) * mebibyte;
  return Math.max(policies.number('storage.part_mib', who) * mebibyte, least);
}

/** Why a file cannot be put at a place, as far as its path says. */
function whyNotThere(place: Place): Fault<'storage_access_denied' | 'storage_path_invalid'> | undefined {
  if (!includes(place.level, 'write')) return denied();
  if (place.path.isFolder) return new Fault('storage_path_invalid', 'Name the file that is uploaded, without a slash.');
  return undefined;
}

const create = on(storageUploadCreate, async (parts, act, { body }) => {
  const { db, ids, clock, policies, storage, money } = parts;
  const { size_bytes: sizeBytes, content_type: contentType = anyContent, replace = true } = body;
  const [place, spent] = await db.read(act, async (tx) => [
    await findPlace(tx, act, body),
    await money.whyNothingMore(tx, act),
  ]);
  if (place instanceof Fault) return place;
  const wrong = whyNotThere(place) ?? spent;
  if (wrong) return wrong;
  const partBytes = partBytesOf(parts, act, sizeBytes);
  const blob = { projectId: place.projectId, blobId: ids.next() };
  // The object store first: a row without an upload behind it could never be finished. A refusal below removes the upload again.
  const handle = await storage.begin(blob);
  const takeBack = () => storage.remove({ ...blob, handle });
  const writing = db.write(act, async (tx) => {
    const held = await openNamespace(tx, parts, act, place);
    if (held instanceof Fault) return tx.abandon(held);
    const { namespace, bucket, events } = held;
    const most = policies.number('storage.open_uploads_max', act);
    if ((await countUploads(tx, place.projectId)) >= most) {
      return tx.abandon(
        new Fault(
          'storage_limit_reached',
          `A project may have ${most} uploads under way: finish some, or give them up.`,
        ),
      );
    }
    const quota = quotaOf(parts, { organizationId: act.organizationId, projectId: place.projectId });
    const tooMuch = whyNotMore(quota, bucket, sizeBytes);
    if (tooMuch) return tx.abandon(tooMuch);
    const { folder, leaf: name } = place.path;
    const there = await findObject(tx, namespace.id, folder, name);
    if (there && (there.is_folder || !replace)) {
      return tx.abandon(
        new Fault('storage_path_occupied', `Something is at ${pathIn(namespace, { folder, name })} already.`),
      );
    }
    const expiresAt = new Date(clock.now().getTime() + policies.number('storage.upload_hours', act) * hourMs);
    await insertUpload(tx, {
      ...{ id: blob.blobId, organization_id: act.organizationId, project_id: place.projectId },
      ...{ namespace_id: namespace.id, folder, name, size_bytes: sizeBytes, part_bytes: partBytes },
      ...{ content_type: contentType, handle, replaces: replace, created_by: act.actorId, expires_at: expiresAt },
    });
    await resizeBucket(tx, place.projectId, { stored: 0, reserved: sizeBytes });
    const row = await findUpload(tx, blob.blobId);
    if (!row) throw new Error('an upload was not stored');
    return tx.commit(showUpload(namespace, row, []), {
      ...{ target: target(row.id), change: { namespace_id: namespace.id, size_bytes: sizeBytes } },
      events: events.length > 0 ? events : 'none',
    });
  });
  const written = await writing.catch(async (error: unknown) => {
    await takeBack();
    throw error;
  });
  if (written instanceof Fault) await takeBack();
  return written;
});

/** An upload in a namespace that the caller may enter; a right that was taken away in between ends it. */
async function findOpen(parts: StorageParts, who: Reader, id: string) {
  return parts.db.read(who, async (tx) => {
    const upload = await findUpload(tx, id);
    const namespace = upload && (await getNamespace(tx, upload.namespace_id));
    if (!upload || !namespace) return noUpload();
    const owner = { projectId: namespace.project_id, namespaceId: namespace.id };
    const level = await levelIn(tx, who, namespace, owner);
    return level === 'none' ? noUpload() : { upload, namespace, mayWrite: includes(level, 'write') };
  });
}

const get = on(storageUploadGet, async (parts, who, { params }) => {
  const found = await findOpen(parts, who, params.storage_upload_id);
  if (found instanceof Fault) return found;
  return showUpload(found.namespace, found.upload, await parts.storage.parts(opened(found.upload)));
});

const part = on(storageUploadPart, async (parts, who, { params, query }) => {
  const found = await findOpen(parts, who, params.storage_upload_id);
  if (found instanceof Fault) return found;
  const { upload, mayWrite } = found;
  if (!mayWrite) return denied();
  const spent = await parts.db.read(who, (tx) => parts.money.whyNothingMore(tx, who));
  if (spent) return spent;
  if (query.number > partCount(upload)) {
    return new Fault('validation_error', `The upload has ${partCount(upload)} parts.`, {
      fields: [{ in: 'query', field: 'number', message: 'is no part of this upload' }],
    });
  }
  const sizeBytes = sizeOfPart(upload, query.number);
  return parts.transfers.part(
    opened(upload),
    { number: query.number, sizeBytes, sha256: query.sha256 },
    parts.policies.number('storage.address_seconds', who),
  );
});

/** The parts that make up the file, or why they do not. */
function wholeOf(upload: UploadRow, arrived: readonly Part[]): readonly Part[] | Fault<'storage_upload_incomplete'> {
  const numbers = Array.from({ length: partCount(upload) }, (_, index) => index + 1);
  const byNumber = new Map(arrived.map((each) => [each.number, each]));
  const missing = numbers.filter((number) => byNumber.get(number)?.sizeBytes !== sizeOfPart(upload, number));
  if (missing.length === 0) return numbers.flatMap((number) => byNumber.get(number) ?? []);
  const first = missing.slice(0, namedMissing);
  return new Fault('storage_upload_incomplete', `${missing.length} of ${numbers.length} parts are missing.`, {
    missing: first,
  });
}

function checksumOf(parts: readonly Part[]): string {
  const [only] = parts;
  if (parts.length === 1 && only) return `sha256:${only.sha256}`;
  const digest = createHash('sha256');
  for (const { sha256 } of parts) digest.update(Buffer.from(sha256, 'hex'));
  return `sha256-parts:${digest.digest('hex')}`;
}

const finish = on(storageUploadFinish, async (parts, act, { params, body }) => {
  const { db, ids, storage } = parts;
  const found = await findOpen(parts, act, params.storage_upload_id);
  // A repeated request finds no upload any more, and is answered with the stored reply.
  if (found instanceof Fault) return parts.db.write(act, async (tx) => tx.abandon(found));
  const { upload, namespace } = found;
  if (!found.mayWrite) return denied();
  const whole = wholeOf(upload, await storage.parts(opened(upload)));
  if (whole instanceof Fault) return whole;
  const checksum = checksumOf(whole);
  if (body.checksum !== undefined && body.checksum !== checksum) {
    return new Fault('storage_checksum_mismatch', `What has arrived has the checksum ${checksum}.`, { checksum });
  }
  await storage.finish(opened(upload), whole);
  const sizeBytes = Number(upload.size_bytes);
  const of = { organizationId: upload.organization_id, projectId: upload.project_id, namespaceId: namespace.id };
  return db.write(act, async (tx) => {
    await holdBucket(tx, upload.project_id);
    if (!(await removeUpload(tx, upload.id))) return tx.abandon(noUpload());
    const { folder, name } = upload;
    const occupied = await makeFoldersAbove(tx, parts, act, namespace, folder);
    if (occupied) return tx.abandon(occupied);
    const room = await makeRoom(tx, parts, act, namespace, { folder, name, replace: upload.replaces });
    if (room instanceof Fault) return tx.abandon(room);
    await putBlob(tx, upload, 1);
    const file = {
      ...{ ...of, id: ids.next(), folder, name, sizeBytes, partBytes: Number(upload.part_bytes) },
      ...{ contentType: upload.content_type, checksum, blobId: upload.id, createdBy: act.actorId },
    };
    await insertObject(tx, file);
    await resizeNamespace(tx, of, { stored: sizeBytes, reserved: -sizeBytes });
    const row = await findObject(tx, namespace.id, folder, name);
    if (!row) throw new Error('a file was not stored');
    return tx.commit(showObject(namespace, row), {
      target: { type: 'storage_object', id: row.id },
      change: { namespace_id: namespace.id, size_bytes: sizeBytes, checksum, replaced: room.replaced?.id ?? null },
      events: 'none',
    });
  });
});

const abort = on(storageUploadAbort, async (parts, act, { params }) => {
  const found = await findOpen(parts, act, params.storage_upload_id);
  // A repeated request finds no upload any more, and is answered with the stored reply.
  if (found instanceof Fault) return parts.db.write(act, async (tx) => tx.abandon(found));
  const { upload, namespace } = found;
  if (!found.mayWrite) return denied();
  return parts.db.write(act, async (tx) => {
    await holdBucket(tx, upload.project_id);
    if (!(await removeUpload(tx, upload.id))) return tx.abandon(noUpload());
    await giveUp(tx, upload);
    return tx.commit(
      { id: upload.id, path: pathIn(namespace, upload) },
      { target: target(upload.id), change: { namespace_id: namespace.id }, events: 'none' },
    );
  });
});

/** What has arrived of an upload is due for removal, and its size counts no more. */
export async function giveUp(tx: Parameters<typeof putBlob>[0], upload: UploadRow): Promise<void> {
  await putBlob(tx, upload, 0);
  await resizeBucket(tx, upload.project_id, { stored: 0, reserved: -Number(upload.size_bytes) });
}

export const uploadRoutes = (parts: StorageParts): Mounted[] =>
  [create, get, part, finish, abort].map((bind) => bind(parts));
