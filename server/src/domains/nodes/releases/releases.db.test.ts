import { createHash } from 'node:crypto';
import { largestReleaseBytes } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { openWorld, type World } from '../../../testing/world.ts';
import { insertNode, seedCatalog } from '../testing.ts';

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
const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const releaseOf = (bytes: Buffer, more: object = {}) => ({
  version: '1.4.0',
  digest: digestOf(bytes),
  bundle: bytes.toString('base64'),
  ...more,
});

describe('a release of the node agent', () => {
  it('is taken with the digest that was named, once, also when it is larger than other requests may be', async () => {
    const bytes = Buffer.alloc(3_000_000, 'x');
    const made = await send('POST', 'agent-releases', releaseOf(bytes));
    expect(made).toMatchObject({
      status: 201,
      body: { version: '1.4.0', digest: digestOf(bytes), size_bytes: 3_000_000, withdrawn_at: null },
    });
    expect((await send('POST', 'agent-releases', releaseOf(bytes))).body.code).toBe('agent_release_already_exists');
    const { body } = await send('GET', 'agent-releases');
    expect(body.data.map(({ id }: { id: string }) => id)).toContain(made.body.id);
  });

  it('is refused when it is not what it says it is', async () => {
    const bytes = Buffer.from('a program');
    for (const wrong of [{ digest: digestOf(Buffer.from('another')) }, { bundle: '&&&&' }, { bundle: 'YWFh====' }]) {
      const reply = await send('POST', 'agent-releases', releaseOf(bytes, wrong));
      expect(reply).toMatchObject({ status: 422, body: { code: 'agent_release_invalid' } });
    }
    const huge = await send('POST', 'agent-releases', releaseOf(Buffer.alloc(largestReleaseBytes + 1)));
    expect(huge).toMatchObject({ status: 422, body: { code: 'agent_release_invalid' } });
  });

  it('is given to a node by a signed task that names its digest, until it is withdrawn', async () => {
    const bytes = Buffer.from(systemIds.next());
    const { body: release } = await send('POST', 'agent-releases', releaseOf(bytes));
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
    expect((await send('POST', 'agent-releases', releaseOf(bytes))).status).toBe(201);
  });
});
