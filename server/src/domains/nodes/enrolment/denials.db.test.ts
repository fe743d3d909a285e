import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { asSystem } from '../../../testing/world.ts';
import { openDenials, revokeNode } from '../index.ts';
import { type NodesWorld, openNodesWorld } from '../testing.ts';

describe('certificates that were revoked', () => {
  let world: NodesWorld;
  beforeAll(async () => {
    world = await openNodesWorld();
  });
  afterAll(() => world.close());
  const open = (deaf: boolean) =>
    openDenials({
      db: world.database.database,
      ids: systemIds,
      clock: world.clock,
      log: silentLog,
      listen: deaf ? async () => ({ close: async () => undefined }) : world.database.listen,
      onLook: () => undefined,
    });
  async function certify() {
    const node = await world.node();
    const serial = systemIds.secret(16);
    await asSystem(
      world.root,
      `insert into node_certificates (serial, node_id, not_before, not_after)
       values ($1, $2, now() - interval '1 hour', now() + interval '1 day')`,
      [serial, node.id],
    );
    return { nodeId: node.id, serial };
  }
  const revoke = (nodeId: string) =>
    world.database.database.write(world.begin('test.revoke', { correlationId: 'c' }), async (tx) => {
      const revoked = await revokeNode(tx, nodeId, 'a test');
      return tx.commit(revoked, { target: { type: 'node', id: nodeId }, events: 'none' });
    });

  it('are refused as soon as the word comes', async () => {
    const denials = await open(false);
    const shown = await certify();
    expect(denials.denies(shown)).toBe(false);
    await revoke(shown.nodeId);
    await expect.poll(() => denials.denies(shown), { timeout: 10_000 }).toBe(true);
    await denials.close();
  });

  it('are refused within five seconds, should the word get lost', async () => {
    const denials = await open(true);
    const shown = await certify();
    await revoke(shown.nodeId);
    expect(denials.denies(shown)).toBe(false);
    await world.clock.advance(5_000);
    await expect.poll(() => denials.denies(shown), { timeout: 10_000 }).toBe(true);
    await denials.close();
  });
});
