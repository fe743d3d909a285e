import { putAllocation } from '../../src/domains/allocations/testing.ts';
import { asking, putFile, sendParts, store } from '../../src/domains/storage/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import type { Tenant, World } from '../../src/testing/world.ts';
import type { MakeExample } from './examples.ts';
import { personOf } from './people-examples.ts';

const unique = (word: string) => `${word}-${systemIds.next().slice(-12)}`;
const at = (path: string) => `path=${encodeURIComponent(path)}`;
const aFile: MakeExample = async (world, tenant) => ({ query: at((await putFile(world, tenant)).path) });
const bytes = Buffer.from('an example');

/** An upload belongs to who began it, so callers without rights there get one of the owner. */
async function begun(
  world: World,
  tenant: Tenant,
  caller: string,
): Promise<{ id: string; part_bytes: number; part_count: number }> {
  const path = `shared/${unique('upload')}`;
  for (const as of [caller, tenant.token]) {
    const made = await asking(world, as, tenant.projectId)('POST', '/uploads', { path, size_bytes: bytes.length });
    if (made.status === 201) return made.body;
  }
  throw new Error('nobody could begin an upload');
}
const anUpload: MakeExample = async (...of) => ({ params: { storage_upload_id: (await begun(...of)).id } });
const inTrash: MakeExample = async (world, tenant) => {
  const { id, path } = await putFile(world, tenant);
  const gone = await asking(world, tenant.token, tenant.projectId)('DELETE', `/object?${at(path)}`);
  if (gone.status !== 200) throw new Error(gone.text);
  return { params: { storage_object_id: id } };
};
const fromTo: MakeExample = async (world, tenant) => ({
  body: { from: (await putFile(world, tenant)).path, to: `shared/${unique('there')}` },
});
/** The body of a grant to the owner, on a dataset that the caller manages. */
async function grantBody(world: World, tenant: Tenant, caller: string) {
  const path = `datasets/${unique('set')}/`;
  const person = { path, grantee_kind: 'user' };
  if (caller !== tenant.token) {
    const callerId = await personOf(world, caller).catch(() => undefined);
    const manage = { ...person, grantee_id: callerId, level: 'manage' };
    // The owner is refused where the caller belongs to another organization or is no person.
    if (callerId) await asking(world, tenant.token, tenant.projectId)('POST', '/grants', manage);
  }
  return { ...person, grantee_id: await personOf(world, tenant.token), level: 'read' };
}

async function granted(world: World, tenant: Tenant, caller: string): Promise<string> {
  const ask = asking(world, tenant.token, tenant.projectId);
  const made = await ask('POST', '/grants', await grantBody(world, tenant, caller));
  if (made.status !== 201) throw new Error(made.text);
  return made.body.id;
}

/** A link to a file of the caller, or of the owner where the caller may make none. */
async function shared(world: World, tenant: Tenant): Promise<string> {
  const ask = asking(world, tenant.token, tenant.projectId);
  const made = await ask('POST', '/links', { path: (await putFile(world, tenant)).path, hours: 1 });
  if (made.status !== 201) throw new Error(made.text);
  return made.body.id;
}
/** A file in a namespace that the caller manages: making links asks for that. */
async function shareable(world: World, tenant: Tenant, caller: string): Promise<string> {
  const { path } = await grantBody(world, tenant, caller);
  const ask = asking(world, tenant.token, tenant.projectId);
  return (await store(world, ask, `${path}file`, bytes)).path;
}
/** A storage token of a running allocation. */
async function aToken(world: World, tenant: Tenant) {
  const allocation_id = await putAllocation(world.root, tenant, 'active');
  const made = await world.call('POST', `/api/v1/allocations/${allocation_id}/storage-tokens`, {
    ...{ as: tenant.token, key: systemIds.next(), body: { level: 'read' } },
  });
  if (made.status !== 201) throw new Error(made.text);
  return { allocation_id, storage_token_id: made.body.id as string };
}

export const storageExamples: Readonly<Record<string, MakeExample>> = {
  storage_get: async () => ({}),
  storage_namespace_list: async () => ({}),
  storage_namespace_create: async () => ({ body: { kind: 'datasets', name: unique('set') } }),
  storage_object_list: async () => ({ query: at('shared/') }),
  storage_object_get: aFile,
  storage_download_get: aFile,
  storage_object_delete: aFile,
  storage_folder_create: async () => ({ body: { path: `shared/${unique('folder')}/` } }),
  storage_object_move: fromTo,
  storage_object_copy: fromTo,
  storage_trash_list: async (...of) => {
    await inTrash(...of);
    return {};
  },
  storage_trash_restore: inTrash,
  storage_trash_purge: inTrash,
  storage_upload_create: async () => ({ body: { path: `shared/${unique('upload')}`, size_bytes: 10 } }),
  storage_upload_get: anUpload,
  storage_upload_part: async (...of) => ({
    ...(await anUpload(...of)),
    query: `number=1&sha256=${'0'.repeat(64)}`,
  }),
  storage_upload_finish: async (world, tenant, caller) => {
    const upload = await begun(world, tenant, caller);
    for (const as of [caller, tenant.token]) {
      const sent = await sendParts(world, asking(world, as, tenant.projectId), upload, bytes).then(
        () => true,
        () => false,
      );
      if (sent) break;
    }
    return { params: { storage_upload_id: upload.id }, body: {} };
  },
  storage_upload_abort: anUpload,
  storage_link_create: async (...of) => ({ body: { path: await shareable(...of), hours: 1 } }),
  storage_link_list: async (world, tenant) => {
    await shared(world, tenant);
    return {};
  },
  storage_link_revoke: async (world, tenant, caller) => {
    const path = await shareable(world, tenant, caller);
    const made = await asking(world, tenant.token, tenant.projectId)('POST', '/links', { path, hours: 1 });
    if (made.status !== 201) throw new Error(made.text);
    return { params: { storage_link_id: made.body.id } };
  },
  storage_token_create: async (world, tenant) => ({
    params: { allocation_id: await putAllocation(world.root, tenant, 'active') },
    body: { level: 'write' },
  }),
  storage_token_list: async (world, tenant) => {
    const { allocation_id } = await aToken(world, tenant);
    return { params: { allocation_id } };
  },
  storage_token_revoke: async (world, tenant) => ({ params: await aToken(world, tenant) }),
  storage_grant_create: async (...of) => ({ body: await grantBody(...of) }),
  storage_grant_list: async (...of) => {
    await granted(...of);
    return { query: 'side=given' };
  },
  storage_grant_revoke: async (...of) => ({ params: { storage_grant_id: await granted(...of) } }),
};
