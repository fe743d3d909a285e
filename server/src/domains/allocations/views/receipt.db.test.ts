import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { sliceSku, stockFleet, testRegion } from '../testing.ts';

let world: World;
let home: Tenant;
let id: string;
beforeAll(async () => {
  world = await openWorld();
  const fleet = await stockFleet(world.root);
  home = await world.found('home');
  await fleet.addNode();
  const made = await world.call('POST', '/api/v1/allocations', {
    as: home.token,
    key: systemIds.next(),
    body: { sku: sliceSku, gpus: 1, region: testRegion },
    headers: { 'x-project-id': home.projectId },
  });
  id = made.body.id;
});
afterAll(() => world.close());

async function prove(passed: boolean, driver: string): Promise<string> {
  const proof = systemIds.next();
  await asSystem(
    world.root,
    `insert into readiness_attestations (id, allocation_id, organization_id, node_id, task_id, generation, passed, problems,
       document, signed_result, taken_at)
     select $1, a.id, a.organization_id, a.node_id, $1, a.generation, $3, '{}', $4, '{}', now()
     from allocations a where a.id = $2`,
    [proof, id, passed, { gpus: [], driver_version: driver, cuda_version: '13.0' }],
  );
  return proof;
}
const look = async () => (await world.call('GET', `/api/v1/allocations/${id}`, { as: home.token })).body;

describe('the receipt of an allocation', () => {
  it('is the proof that made it active, and later ones stand beside it', async () => {
    expect(await look()).toMatchObject({ receipt: null, last_attestation: null });
    const first = await prove(true, 'first');
    expect(await look()).toMatchObject({ receipt: { attestation_id: first }, last_attestation: null });
    await prove(true, 'second');
    const last = await prove(false, 'third');
    expect(await look()).toMatchObject({
      receipt: { attestation_id: first, passed: true, driver_version: 'first' },
      last_attestation: { attestation_id: last, passed: false },
    });
  });
});
