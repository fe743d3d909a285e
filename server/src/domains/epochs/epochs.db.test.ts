import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem } from '../../testing/world.ts';
import { makeIdentities } from '../nodes/index.ts';
import { type NodesWorld, openNodesWorld } from '../nodes/testing.ts';
import { beginEpoch } from './index.ts';

describe('a new epoch', () => {
  let world: NodesWorld;
  beforeAll(async () => {
    world = await openNodesWorld();
  });
  afterAll(() => world.close());

  const begin = (skippedNumbers = 1_000) =>
    beginEpoch(world.database.database, world.begin('installation.restore', { correlationId: systemIds.next() }), {
      ...{ id: systemIds.next(), takenAt: new Date(Date.now() - 3_600_000), skippedNumbers },
    });
  const renew = async (nodeId: string, serial: string) => {
    const life = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
    const certificates = {
      certifyNode: async () => ({ serial: systemIds.next().replaceAll('-', ''), chain: 'PEM', ...life }),
      authority: async () => ({ roots: 'PEM' }),
    };
    const identities = makeIdentities({
      ...{ db: world.database.database, signers: world.signers, ids: systemIds, clock: world.clock },
      ...{ certificates: certificates as never, certificateHours: () => 24, heartbeatSeconds: () => 15 },
    });
    return identities.renew(world.actOf(nodeId, 'node.renew'), { nodeId, serial }, '');
  };

  it('keeps every host from selling, raises generations, and skips numbers of series that were begun', async () => {
    const [one, other] = [await world.node('active'), await world.node('quarantined')];
    await asSystem(world.root, `update billing_series set last = 7 where series = 'invoice'`, []);
    const epoch = await begin();
    expect(epoch).toMatchObject({ number: 2, generationFloor: 1_000_000n, series: { invoice: '1007' }, nodes: 2 });
    const { rows } = await world.root.query(
      `select node_id, source, kind, effect from alerts where node_id = any ($1) order by node_id`,
      [[one.id, other.id]],
    );
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(row).toMatchObject({ source: 'drift', kind: 'restored_unchecked', effect: 'blocks_sale' });
    }
    const audited = await world.root.query(
      `select count(*)::int as n from audit_logs where action = 'installation.restore'`,
    );
    expect(audited.rows).toEqual([{ n: 1 }]);
    expect(await begin(0)).toMatchObject({ number: 3, generationFloor: 2_000_000n, series: { invoice: '1007' } });
  });

  it('is never changed or taken back', async () => {
    for (const text of ['delete from installation_epochs', 'update installation_epochs set generation_floor = 1']) {
      await expect(asSystem(world.root, text, [])).rejects.toMatchObject({ code: 'GP003' });
    }
  });

  it('takes a certificate of a node that no row knows, and none that was revoked', async () => {
    const node = await world.node('active');
    expect(await renew(node.id, 'ff00')).toMatchObject({ node_id: node.id });
    expect(await renew(node.id, '')).toMatchObject({ code: 'node_certificate_invalid' });
    await asSystem(
      world.root,
      `insert into node_certificates (serial, node_id, not_before, not_after, revoked_at, revoke_reason)
       values ('ff01', $1, now() - interval '1 minute', now() + interval '1 day', now(), 'a test')`,
      [node.id],
    );
    expect(await renew(node.id, 'ff01')).toMatchObject({ code: 'node_certificate_invalid' });
  });
});
