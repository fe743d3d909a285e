import { largestReleaseBytes } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { openWorld, type World } from '../../../testing/world.ts';
import { insertNode, seedCatalog } from '../testing.ts';
import { digestOf, uploadPath } from './testing.ts';

let world: World;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  operator = await world.operator();
  await seedCatalog(world.root);
});
afterAll(() => world.close());

const send = (method: string, path: string, body?: object) =>
  world.call(method, `/api/v1/admin/${path}`, { as: operator, key: systemIds.next(), ...(body && { body }) });
const upload = (bytes: Buffer, declared: { readonly digest?: string; readonly size?: number } = {}) =>
  world.call('POST', uploadPath({ digest: digestOf(bytes), size: bytes.length, ...declared }), {
    ...{ as: operator, key: systemIds.next(), body: bytes },
    // A size that differs is declared by the query alone.
    ...(declared.size !== undefined && { headers: { 'transfer-encoding': 'chunked' } }),
  });

describe('a release of the node agent', () => {
  it('is taken with the digest that was named, once, also when it is larger than other requests may be', async () => {
    const bytes = Buffer.alloc(3_000_000, 'x');
    const made = await upload(bytes);
    expect(made).toMatchObject({
      status: 201,
      body: { version: '1.4.0', digest: digestOf(bytes), size_bytes: 3_000_000, withdrawn_at: null },
    });
    expect((await upload(bytes)).body.code).toBe('agent_release_already_exists');
    const { body } = await send('GET', 'agent-releases');
    expect(body.data.map(({ id }: { id: string }) => id)).toContain(made.body.id);
  });

  it('is refused when it is not what it says it is', async () => {
    const bytes = Buffer.from('a program');
    const other = await upload(bytes, { digest: digestOf(Buffer.from('another')) });
    expect(other).toMatchObject({ status: 422, body: { code: 'agent_release_invalid' } });
    const huge = await upload(bytes, { size: largestReleaseBytes + 1 });
    expect(huge).toMatchObject({ status: 400, body: { code: 'validation_error' } });
    const json = await world.call('POST', uploadPath({ digest: digestOf(bytes), size: bytes.length }), {
      ...{ as: operator, key: systemIds.next(), body: { bundle: bytes.toString('base64') } },
    });
    expect(json).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  it('is given to a node by a signed task that names its digest, until it is withdrawn', async () => {
    const bytes = Buffer.from(systemIds.next());
    const { body: release } = await upload(bytes);
    const { id: nodeId } = await insertNode(world.root);
    const update = () => send('POST', `nodes/${nodeId}/agent-update`, { release_id: release.id });
    const { status, body } = await update();
    expect(status).toBe(202);
    const { rows } = await world.root.query('select task_type, envelope from node_tasks where id = $1', [body.task_id]);
    expect(rows[0]).toMatchObject({
      task_type: 'node.self_update',
      envelope: { params: { version: '1.4.0', digest: digestOf(bytes) }, node_id: nodeId },
    });
    const withdrawn = await send('POST', `agent-releases/${release.id}/withdraw`, { reason: 'it leaks' });
    expect(withdrawn.body.withdrawn_at).not.toBeNull();
    expect((await update()).body.code).toBe('agent_release_not_found');
    // The same bundle may be offered again: it is the offer that was withdrawn.
    expect((await upload(bytes)).status).toBe(201);
  });
});
