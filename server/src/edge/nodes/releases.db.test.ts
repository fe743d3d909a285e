import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem } from '../../testing/world.ts';
import { type DoorWorld, openDoorWorld } from './testing.ts';

let world: DoorWorld;
beforeAll(async () => {
  world = await openDoorWorld();
});
afterAll(() => world.close());

const hexOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
async function offer(bytes: Buffer, named = hexOf(bytes)): Promise<string> {
  await world.objects.put(`agent-releases/${named}.mjs`, bytes);
  await asSystem(
    world.root,
    `insert into agent_releases (id, version, digest, size_bytes) values ($1, '2.0.0', $2, $3)`,
    [systemIds.next(), `sha256:${named}`, bytes.length],
  );
  return named;
}

describe('a release of the agent', () => {
  it('comes as it was handed over, to a node over its own connection alone', async () => {
    const [one, two] = [await world.agent(), await world.agent()];
    const hex = await offer(Buffer.from(JSON.stringify('console.log(1)\n'.repeat(20_000))));
    const reply = await one.client.call('GET', one.path(`releases/${hex}`));
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/octet-stream' } });
    expect(hexOf(Buffer.from(JSON.stringify(reply.body)))).toBe(hex);
    expect((await one.client.call('GET', two.path(`releases/${hex}`))).status).toBe(401);
    expect((await one.client.call('POST', one.path(`releases/${hex}`), { body: {} })).status).toBe(405);
  });

  it('is not there when nobody offers it, when it was withdrawn, or under any other name', async () => {
    const agent = await world.agent();
    const hex = await offer(Buffer.from('"withdrawn"'));
    await asSystem(world.root, 'update agent_releases set withdrawn_at = now() where digest = $1', [`sha256:${hex}`]);
    const unoffered = hexOf(Buffer.from('"unoffered"'));
    await world.objects.put(`agent-releases/${unoffered}.mjs`, Buffer.from('"unoffered"'));
    for (const name of [hex, unoffered, hex.toUpperCase(), `../${hex}`, '%2e%2e', `${hex}.mjs`]) {
      const reply = await agent.client.call('GET', agent.path(`releases/${name}`));
      expect({ name, status: reply.status }).toEqual({ name, status: 404 });
    }
  });
});
