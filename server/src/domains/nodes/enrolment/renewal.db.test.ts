import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import type { Certificates } from '../../../ports/certificates/port.ts';
import { asSystem } from '../../../testing/world.ts';
import { type NodesWorld, openNodesWorld } from '../testing.ts';
import { hashEnrolmentToken } from './enrolment-tokens-store.ts';
import { makeIdentities, revokeNode } from './identities.ts';

/** Certificates that are made at once, or when the test says so. */
function makeAuthority(issued: () => Promise<void> = async () => undefined): Certificates {
  const life = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  return {
    certifyNode: async () => {
      await issued();
      return { serial: systemIds.next().replaceAll('-', ''), chain: 'PEM', ...life };
    },
    authority: async () => ({ roots: 'PEM' }),
  } as unknown as Certificates;
}

describe('a renewal and a revocation at the same time', () => {
  let world: NodesWorld;
  beforeAll(async () => {
    world = await openNodesWorld();
  });
  afterAll(() => world.close());

  const identities = (authority = makeAuthority()) =>
    makeIdentities({
      ...{ db: world.database.database, certificates: authority, signers: world.signers, ids: systemIds },
      ...{ clock: world.clock, certificateHours: () => 24, heartbeatSeconds: () => 15 },
    });
  const nodeWithCertificate = async () => {
    const node = await world.node('active');
    const serial = systemIds.next().replaceAll('-', '');
    await asSystem(
      world.root,
      `insert into node_certificates (serial, node_id, not_before, not_after)
       values ($1, $2, now() - interval '1 minute', now() + interval '1 day')`,
      [serial, node.id],
    );
    return { nodeId: node.id, serial };
  };
  const revoke = (nodeId: string) =>
    world.database.database.write(world.begin('test.revoke', { correlationId: 'c' }), async (tx) => {
      await revokeNode(tx, nodeId, 'a test');
      return tx.commit(undefined, { target: { type: 'node', id: nodeId }, events: 'none' });
    });
  const good = async (nodeId: string): Promise<number> => {
    const text = 'select count(*)::int as n from node_certificates where node_id = $1 and revoked_at is null';
    return (await world.root.query(text, [nodeId])).rows[0].n;
  };

  it('gives nothing to a node that was revoked while its certificate was being issued', async () => {
    const shown = await nodeWithCertificate();
    const act = world.actOf(shown.nodeId, 'node.renew');
    const renewed = await identities(makeAuthority(async () => void (await revoke(shown.nodeId)))).renew(
      act,
      shown,
      '',
    );
    expect(renewed).toBeInstanceOf(Fault);
    expect(renewed).toMatchObject({ code: 'node_certificate_invalid' });
    expect(await good(shown.nodeId)).toBe(0);
  });

  it('gives nothing for a certificate that is another node’s, unknown or expired', async () => {
    const [mine, other] = [await nodeWithCertificate(), await nodeWithCertificate()];
    const act = () => world.actOf(mine.nodeId, 'node.renew');
    for (const serial of [other.serial, 'ff', '']) {
      expect(await identities().renew(act(), { nodeId: mine.nodeId, serial }, '')).toBeInstanceOf(Fault);
    }
    await asSystem(world.root, `update node_certificates set not_after = not_before where serial = $1`, [mine.serial]);
    expect(await identities().renew(act(), mine, '')).toBeInstanceOf(Fault);
    expect(await identities().renew(world.actOf(other.nodeId, 'node.renew'), other, '')).not.toBeInstanceOf(Fault);
  });

  it('leaves no good certificate behind, whoever is first', async () => {
    for (let round = 0; round < 25; round += 1) {
      const shown = await nodeWithCertificate();
      const renew = () => identities().renew(world.actOf(shown.nodeId, 'node.renew'), shown, '');
      const all = [renew(), renew(), revoke(shown.nodeId), renew(), renew()];
      await Promise.all(round % 2 === 0 ? all : all.toReversed());
      expect({ round, left: await good(shown.nodeId) }).toEqual({ round, left: 0 });
    }
  });

  it('voids the tokens that are open: an invitation from before is no way back', async () => {
    const { nodeId } = await nodeWithCertificate();
    const token = `gpuaas_node_${systemIds.secret(24)}`;
    await asSystem(
      world.root,
      `insert into node_enrolments (id, node_id, purpose, token_hash, expires_at)
       values ($1, $2, 'recover', $3, now() + interval '1 hour')`,
      [systemIds.next(), nodeId, hashEnrolmentToken(token)],
    );
    await revoke(nodeId);
    const order = { token, csr: '', result_key: 'A'.repeat(43), agent_version: '1', boot_id: systemIds.next() };
    expect(await identities().enrol(world.actOf(nodeId, 'node.enrol'), order)).toMatchObject({
      code: 'node_token_invalid',
    });
    expect(await good(nodeId)).toBe(0);
  });
});
