import { createHash } from 'node:crypto';
import { discover, passProbe, placeNode, type TestSlot, topologyOf } from '../../src/domains/inventory/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, type World } from '../../src/testing/world.ts';
import type { MakeExample } from './examples.ts';
import { logExamples } from './log-examples.ts';
import { maasExamples } from './maas-examples.ts';

/** Examples of the routes about what is sold and about the hosts that it is sold from. */
const unique = (word: string) => `${word}-${systemIds.next().slice(-12)}`;
const digest = `sha256:${'a'.repeat(64)}`;
const because = { reason: 'an example' };

const freshRegion = async (world: World): Promise<string> => {
  const slug = unique('region');
  await asSystem(world.root, `insert into regions (slug, name) values ($1, 'An example')`, [slug]);
  return slug;
};
const freshSku = async (world: World): Promise<string> => {
  const slug = unique('sku');
  await asSystem(
    world.root,
    `insert into skus (slug, vendor, display_name, gpu_model, gpu_memory_mib, capacity_shape, gpus_total,
       allowed_gpu_counts, billing_unit, resource_profile)
     values ($1, 'V', 'An example', 'NVIDIA H200', 143771, 'baremetal', 8, '{8}', 'gpu_hour', '{"fabric":"none","slice_vm_profiles":[]}')`,
    [slug],
  );
  return slug;
};
const freshImage = async (world: World, sku?: string): Promise<string> => {
  const slug = unique('image');
  await asSystem(
    world.root,
    `insert into os_images (id, slug, display_name, digest, driver_strategy, size_bytes, skus)
     values ($1, $2, 'An example', $3, 'preinstalled', 1, $4)`,
    [systemIds.next(), slug, digest, [sku ?? (await freshSku(world))]],
  );
  return slug;
};
const sha256 = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const freshRelease = async (world: World): Promise<string> => {
  const id = systemIds.next();
  await asSystem(
    world.root,
    `insert into agent_releases (id, version, digest, size_bytes) values ($1, '1.0.0', $2, 1)`,
    [id, sha256(Buffer.from(id))],
  );
  return id;
};
const freshNode = async (world: World, state = 'active', slots: readonly TestSlot[] = []): Promise<string> =>
  placeNode(world.root, { sku: await freshSku(world), region: await freshRegion(world), slots, state });
/** An active host that was never published, or was cordoned for a reason. */
const takesNoWork = async (world: World, cordonReason: string | null): Promise<string> => {
  const node = await freshNode(world, 'active', [{}]);
  await asSystem(
    world.root,
    'update nodes set schedulable = false, cordon_reason = $2, version = version + 1 where id = $1',
    [node, cordonReason],
  );
  return node;
};
const byNode =
  (state: string, body?: Readonly<Record<string, unknown>>, slots: readonly TestSlot[] = []): MakeExample =>
  async (world) => ({ params: { node_id: await freshNode(world, state, slots) }, ...(body && { body }) });
/** A host with one slot in a given state. */
const bySlot =
  (state: string): MakeExample =>
  async (world) => {
    const node = await freshNode(world, 'active', [{ state }]);
    const { rows } = await world.root.query('select id from slots where node_id = $1', [node]);
    return { params: { node_id: node, slot_id: rows[0].id }, body: because };
  };
const cachedImage = async (world: World): Promise<Record<string, string>> => {
  const [node, image] = [await freshNode(world), await freshImage(world)];
  await asSystem(
    world.root,
    `insert into node_image_cache (node_id, image_id, digest, verified_at)
     select $1, id, digest, now() from os_images where slug = $2`,
    [node, image],
  );
  return { node_id: node, os_image: image };
};
const offer = (sku: string) => ({
  sku,
  vendor: 'V',
  display_name: 'An example',
  gpu_model: 'M',
  gpu_memory_mib: 1024,
  capacity_shape: 'baremetal',
  gpus_total: 8,
});
const nothing: MakeExample = async () => ({});

export const fleetExamples: Readonly<Record<string, MakeExample>> = {
  catalog_list: nothing,
  catalog_get: async (world) => {
    // Offered through the api, which remembers for a moment what was offered before.
    const sku = unique('sku');
    await world.call('POST', '/api/v1/admin/skus', {
      as: await world.operator(),
      key: systemIds.next(),
      body: offer(sku),
    });
    return { params: { sku } };
  },
  region_list: nothing,
  os_image_list: nothing,
  admin_region_list: nothing,
  admin_region_create: async () => ({ body: { slug: unique('region'), name: 'An example' } }),
  admin_region_update: async (world) => ({
    params: { region: await freshRegion(world) },
    body: { name: 'Another name' },
  }),
  admin_sku_list: nothing,
  admin_sku_get: async (world) => ({ params: { sku: await freshSku(world) } }),
  admin_sku_create: async () => ({ body: offer(unique('sku')) }),
  admin_sku_update: async (world) => ({
    params: { sku: await freshSku(world) },
    body: { display_name: 'Another name' },
  }),
  admin_sku_retire: async (world) => ({ params: { sku: await freshSku(world) }, body: because }),
  sku_price_list: async (world) => ({ params: { sku: await freshSku(world) } }),
  sku_price_add: async (world) => ({
    params: { sku: await freshSku(world) },
    body: { unit_price: { amount_minor: '450', currency: 'USD' }, ...because },
  }),
  admin_os_image_list: nothing,
  admin_os_image_create: async (world) => ({
    body: {
      slug: unique('image'),
      display_name: 'An example',
      digest,
      driver_strategy: 'preinstalled',
      size_bytes: 1,
      skus: [await freshSku(world)],
    },
  }),
  admin_os_image_update: async (world) => ({
    params: { os_image: await freshImage(world) },
    body: { display_name: 'Another name' },
  }),
  admin_os_image_retire: async (world) => ({ params: { os_image: await freshImage(world) }, body: because }),
  catalog_defaults: async () => ({ body: because }),
  node_image_list: async (world) => ({ params: { node_id: await freshNode(world) } }),
  node_image_set: async (world) => ({
    params: { node_id: await freshNode(world), os_image: await freshImage(world) },
    body: { digest },
  }),
  node_image_forget: async (world) => ({ params: await cachedImage(world) }),
  node_create: async (world) => ({
    body: {
      name: unique('host'),
      region: await freshRegion(world),
      sku: await freshSku(world),
      labels: { rack: 'a1' },
    },
  }),
  node_list: nothing,
  node_get: byNode('active', undefined, [{}]),
  node_update: byNode('active', { labels: { rack: 'b2' } }),
  node_enrolment_token: byNode('bootstrap_issued', { purpose: 'enrol' }),
  node_publish: async (world) => ({ params: { node_id: await takesNoWork(world, null) }, body: {} }),
  node_cordon: byNode('active', because),
  node_uncordon: async (world) => ({ params: { node_id: await takesNoWork(world, 'an example') }, body: {} }),
  node_drain: byNode('active', because),
  node_resume: byNode('draining', {}),
  node_quarantine: byNode('active', because),
  node_clear: async (world) => {
    const node = await freshNode(world, 'quarantined');
    await passProbe(world.root, node);
    return { params: { node_id: node }, body: because };
  },
  alert_list: nothing,
  alert_raise: async (world) => ({
    body: { node_id: await freshNode(world), effect: 'blocks_sale', message: 'An example' },
  }),
  alert_clear: async (world) => {
    const id = systemIds.next();
    await asSystem(
      world.root,
      `insert into alerts (id, source, kind, effect, node_id, message)
       values ($1, 'operator', 'example', 'informs', $2, 'An example')`,
      [id, await freshNode(world)],
    );
    return { params: { alert_id: id }, body: because };
  },
  breaker_list: nothing,
  breaker_reset: async (world) => {
    const id = systemIds.next();
    await asSystem(
      world.root,
      `insert into automation_breakers (id, kind, region, sku, tripped_at) values ($1, 'quarantine', $2, 'example', now())`,
      [id, id],
    );
    return { params: { breaker_id: id }, body: because };
  },
  node_revoke: byNode('active', because),
  node_retire: byNode('active', because, [{}]),
  node_readmit: async (world) => {
    const node = await freshNode(world, 'retired');
    await passProbe(world.root, node);
    return { params: { node_id: node }, body: because };
  },
  node_reimage: async (world) => {
    const node = await freshNode(world, 'retired');
    const { rows } = await world.root.query('select sku from nodes where id = $1', [node]);
    return {
      params: { node_id: node },
      body: { ...because, image: await freshImage(world, rows[0].sku as string) },
    };
  },
  node_remove: byNode('retired', because),
  node_task_list: byNode('active'),
  node_topology_discover: byNode('active'),
  node_health_probe: byNode('active'),
  node_agent_update: async (world) => ({
    params: { node_id: await freshNode(world) },
    body: { release_id: await freshRelease(world) },
  }),
  agent_release_list: async () => ({}),
  agent_release_add: async () => {
    const file = Buffer.from(`// ${systemIds.next()}`);
    return { file, query: `version=1.0.0&digest=${sha256(file)}&size_bytes=${file.length}` };
  },
  agent_release_withdraw: async (world) => ({ params: { release_id: await freshRelease(world) }, body: because }),
  resource_slot_list: byNode('active', undefined, [{}]),
  slots_approve: async (world) => {
    const node = await freshNode(world);
    await discover(world.root, node, topologyOf(8));
    return { params: { node_id: node }, body: {} };
  },
  slot_disable: bySlot('available'),
  slot_enable: bySlot('disabled'),
  slot_quarantine: bySlot('available'),
  slot_clear: async (world, ...rest) => {
    const example = await bySlot('quarantined')(world, ...rest);
    await passProbe(world.root, example.params?.['node_id'] as string);
    return example;
  },
  slot_clear_unproven: async (world, ...rest) => {
    const example = await bySlot('available')(world, ...rest);
    const slot = example.params?.['slot_id'];
    await asSystem(
      world.root,
      `update slots set state = 'quarantined', version = version + 1, wipe_owed_since = now() - interval '1 hour',
         updated_at = now() - interval '1 hour' where id = $1`,
      [slot],
    );
    await passProbe(world.root, example.params?.['node_id'] as string);
    return example;
  },
  fleet_health: nothing,
  fleet_metrics: nothing,
  fleet_metrics_export: nothing,
  node_metrics: byNode('active'),
  allocation_stuck_list: nothing,
  ...logExamples,
  ...maasExamples,
};
