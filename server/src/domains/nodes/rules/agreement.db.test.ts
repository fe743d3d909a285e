import { type NodeAction, nodeActions, nodeMachine, type SlotAction, slotMachine } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { cacheImages, passProbe, placeNode, topologyOf } from '../../inventory/testing.ts';

/**
 * What a node or a slot says can be done with it, compared with what its routes do: in every state, with every effect that
 * an alert can have, and with everything else that a rule asks for.
 */
let world: World;
let operator: string;
let home: Tenant;
let image: string;
const sku = 'h200-sxm-slice';
beforeAll(async () => {
  world = await openWorld();
  operator = await world.operator();
  home = await world.found('home');
  await admin('POST', 'catalog/defaults', { reason: 'a test' });
  await asSystem(world.root, `update os_images set active = true where $1 = any (skus)`, [sku]);
  const { rows } = await world.root.query('select slug from os_images where $1 = any (skus) limit 1', [sku]);
  image = rows[0].slug;
});
afterAll(() => world.close());

const admin = (method: string, path: string, body?: object) =>
  world.call(method, `/api/v1/admin/${path}`, {
    as: operator,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body && { body }),
  });
const inReplica = async (text: string, values: unknown[]) => {
  await world.root.query('set session_replication_role = replica');
  try {
    await world.root.query(text, values);
  } finally {
    await world.root.query('set session_replication_role = origin');
  }
};
const effects = [undefined, 'informs', 'blocks_sale', 'blocks_transition'] as const;
const alarm = async (nodeId: string, effect: (typeof effects)[number]) => {
  if (effect === undefined) return;
  await asSystem(
    world.root,
    `insert into alerts (id, source, kind, effect, node_id, message) values ($1, 'operator', 'example', $2, $3, 'a rack')`,
    [systemIds.next(), effect, nodeId],
  );
};
const allocate = async (nodeId: string): Promise<string> => {
  const id = systemIds.next();
  await inReplica(
    `insert into allocations (id, organization_id, project_id, name, requested_by, state, placement_status, sku,
       capacity_shape, gpu_count, region, unit_price_minor, currency, node_id, generation, isolation_model, created_at,
       updated_at)
     values ($1, $2, $3, 'a', 'u', 'release_failed', 'reserved', $4, 'gpu_slice', 1, 'test', 450, 'USD', $5, 1,
       'user-revoke', now(), now())`,
    [id, home.organizationId, home.projectId, sku, nodeId],
  );
  return id;
};
const claim = async (nodeId: string, allocationId: string) => {
  await inReplica(
    `insert into allocation_claims (id, allocation_id, organization_id, slot_id, node_id, kind, generation, claimed_at)
     select $1, $2, $3, s.id, s.node_id, 'slot', 1, now() from slots s where s.node_id = $4 limit 1`,
    [systemIds.next(), allocationId, home.organizationId, nodeId],
  );
};

/** Everything besides state and alerts that a rule looks at. */
const circumstances: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
  'as it is': async () => undefined,
  cordoned: (id) => inReplica(`update nodes set schedulable = false, cordon_reason = 'a test' where id = $1`, [id]),
  'never published': (id) => inReplica('update nodes set schedulable = false where id = $1', [id]),
  'never published, without its images': async (id) => {
    await inReplica('update nodes set schedulable = false where id = $1', [id]);
    await asSystem(world.root, 'delete from node_image_cache where node_id = $1', [id]);
  },
  'never published, and simulated': (id) =>
    inReplica('update nodes set schedulable = false, topology = $2, topology_at = now() where id = $1', [
      id,
      { ...topologyOf(1), simulated: true },
    ]),
  'never published, and unable to make slices': (id) =>
    inReplica('update nodes set schedulable = false, topology = $2, topology_at = now() where id = $1', [
      id,
      { ...topologyOf(1), capabilities: [{ ability: 'slices', able: false, why_not: 'The IOMMU is off.' }] },
    ]),
  'never published, without slots': async (id) => {
    await inReplica('update nodes set schedulable = false where id = $1', [id]);
    await inReplica(`update slots set state = 'disabled' where node_id = $1`, [id]);
  },
  probed: (id) => passProbe(world.root, id),
  'probed, and being imaged': async (id) => {
    await passProbe(world.root, id);
    await asSystem(
      world.root,
      `insert into node_tasks (id, node_id, task_type, generation, envelope, correlation_id, issued_at, expires_at)
       values ($1, $2, 'node.reimage_prepare', 1, '{}', 'imaging', now(), now() + interval '1 hour')`,
      [systemIds.next(), id],
    );
  },
  'with an allocation that has not ended': allocate,
  'with a claim that was not given back': async (id) => claim(id, await allocate(id)),
  'with a blocked slot': (id) => inReplica(`update slots set state = 'cleanup_blocked' where node_id = $1`, [id]),
};

const states = Object.keys(nodeMachine.states);
const cells = states.flatMap((state) =>
  Object.keys(circumstances).flatMap((how) =>
    (how === 'as it is' || how === 'probed' || how === 'cordoned' ? effects : [undefined]).map((effect) => ({
      ...{ state, how, effect: effect ?? 'none', alert: effect },
    })),
  ),
);

describe('a node', () => {
  const make = async ({ state, how, alert }: (typeof cells)[number]) => {
    const id = await placeNode(world.root, { sku, region: 'test', slots: [{}], state });
    await cacheImages(world.root, id);
    await alarm(id, alert);
    await circumstances[how]?.(id);
    return id;
  };
  const send = (id: string, action: (typeof nodeActions)[number]) => {
    const because = { reason: 'a test' };
    if (action === 'remove') return admin('DELETE', `nodes/${id}`, because);
    if (action === 'probe') return admin('POST', `nodes/${id}/health-probe`);
    return admin('POST', `nodes/${id}/${action}`, action === 'reimage' ? { ...because, image } : because);
  };
  const actionsOf = async (id: string): Promise<NodeAction[]> => (await admin('GET', `nodes/${id}`)).body.actions;

  it.each(cells)('that is $state, $how, with an alert that $effect, does what it says it can', async (cell) => {
    let id = await make(cell);
    let said = await actionsOf(id);
    for (const action of nodeActions) {
      const { allowed, why_not } = said.find((each) => each.action === action) as NodeAction;
      const reply = await send(id, action);
      expect({ action, allowed: reply.status < 300 }, `${why_not} ${reply.text}`).toEqual({ action, allowed });
      if (!allowed && cell.state !== 'deleted') expect(reply.body.message, action).toBe(why_not);
      if (!allowed) continue;
      id = await make(cell);
      said = await actionsOf(id);
    }
  });

  it('that was put aside comes back into service by no way without a fresh probe', async () => {
    const id = await placeNode(world.root, { sku, region: 'test', slots: [{}] });
    // Asked for before the quarantine, and answered after it.
    const { rows } = await world.root.query('select now() as now');
    await passProbe(world.root, id, rows[0].now);
    expect((await admin('POST', `nodes/${id}/quarantine`, { reason: 'a test' })).body.state).toBe('quarantined');
    for (const way of [['clear'], ['retire', 'readmit']]) {
      const replies = [];
      for (const step of way) replies.push(await admin('POST', `nodes/${id}/${step}`, { reason: 'a test' }));
      expect(replies.at(-1)?.body.code, way.join(', ')).toBe('probe_required');
    }
    await passProbe(world.root, id);
    expect((await admin('POST', `nodes/${id}/readmit`, { reason: 'a test' })).body.state).toBe('active');
  });
});

describe('a slot', () => {
  const of = Object.keys(slotMachine.states).flatMap((state) =>
    effects.flatMap((effect) =>
      [false, true].flatMap((probed) => [false, true].map((claimed) => ({ state, effect, probed, claimed }))),
    ),
  );
  const make = async ({ state, effect, probed, claimed }: (typeof of)[number]) => {
    const node = await placeNode(world.root, { sku, region: 'test', slots: [{ state }] });
    await alarm(node, effect);
    if (probed) await passProbe(world.root, node);
    if (claimed) await claim(node, await allocate(node));
    return node;
  };
  it.each(of)('$state, alert $effect, probed $probed, claimed $claimed, does what it says it can', async (cell) => {
    const look = async (id: string): Promise<{ id: string; actions: SlotAction[] }> =>
      (await admin('GET', `nodes/${id}/resource-slots`)).body.data[0];
    let node = await make(cell);
    for (const action of ['enable', 'disable', 'quarantine', 'clear', 'clear_unproven'] as const) {
      const slot = await look(node);
      const { allowed, why_not } = slot.actions.find((each) => each.action === action) as SlotAction;
      const reply = await admin('POST', `nodes/${node}/slots/${slot.id}/${action.replace('_', '-')}`, {
        reason: 'a test',
      });
      expect({ action, allowed: reply.status < 300 }, `${why_not} ${reply.text}`).toEqual({ action, allowed });
      if (!allowed) expect(reply.body.message, action).toBe(why_not);
      if (allowed) node = await make(cell);
    }
  });
});
