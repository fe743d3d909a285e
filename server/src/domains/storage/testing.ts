import { createHash } from 'node:crypto';
import { systemIds } from '../../kernel/id.ts';
import type { Tenant, World } from '../../testing/world.ts';

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const inProject = (projectId: string) => ({ 'x-project-id': projectId });

/** Asks as a person in a project. */
export const asking = (world: World, as: string, projectId: string) => (method: string, path: string, body?: object) =>
  world.call(method, `/api/v1/storage${path}`, {
    ...{ as, headers: inProject(projectId) },
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body && { body }),
  });
export type Ask = ReturnType<typeof asking>;

/** Where an address of ours leads, without the name of the host. */
export const local = (url: string): string => url.slice(new URL(url).origin.length);

/** Begins an upload and sends its parts, but does not finish it. */
export async function sendParts(
  world: World,
  ask: Ask,
  upload: { readonly id: string; readonly part_bytes: number; readonly part_count: number },
  bytes: Buffer,
): Promise<void> {
  for (let number = 1; number <= upload.part_count; number += 1) {
    const piece = bytes.subarray((number - 1) * upload.part_bytes, number * upload.part_bytes);
    const address = await ask('GET', `/uploads/${upload.id}/part?number=${number}&sha256=${sha256Of(piece)}`);
    if (address.status !== 200) throw new Error(address.text);
    const { url, headers } = address.body;
    const sent = await world.call('PUT', local(url), {
      headers: { 'content-length': String(piece.length), ...headers },
      body: piece,
    });
    if (sent.status !== 204) throw new Error(sent.text);
  }
}

/** Stores a file by the way that clients go. Answers the file. */
export async function store(world: World, ask: Ask, path: string, bytes: Buffer, more: object = {}) {
  const begun = await ask('POST', '/uploads', { path, size_bytes: bytes.length, ...more });
  if (begun.status !== 201) throw new Error(begun.text);
  await sendParts(world, ask, begun.body, bytes);
  const finished = await ask('POST', `/uploads/${begun.body.id}/finish`, {});
  if (finished.status !== 201) throw new Error(finished.text);
  return finished.body as { readonly id: string; readonly path: string; readonly checksum: string };
}

/** What a file holds, by the way that clients go. */
export async function fetchFile(world: World, ask: Ask, query: string, range?: string): Promise<string> {
  const address = await ask('GET', `/download?${query}`);
  if (address.status !== 200) return `${address.status} ${address.body.code}`;
  const got = await world.call('GET', local(address.body.url), { ...(range && { headers: { range } }) });
  return got.text;
}

/** A file of the tenant's in `shared/`. */
export async function putFile(world: World, tenant: Tenant, path = `shared/${systemIds.next()}.txt`) {
  const ask = asking(world, tenant.token, tenant.projectId);
  return store(world, ask, path, Buffer.from('an example'));
}
