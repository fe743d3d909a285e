import pg from 'pg';
import { type Act, makeAct, systemViewer } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { asSystem } from '../../testing/world.ts';

/** One host of a test's fleet. Slots are given by NUMA group: `[4, 4]` is a dual-socket host with eight. */
export interface NodePlan {
  readonly name?: string;
  readonly region?: string;
  readonly sku?: string;
  readonly groups?: readonly number[];
  readonly state?: 'active' | 'enrolling';
  readonly schedulable?: boolean;
  readonly reportedAt?: Date | 'never';
  readonly fabric?: boolean;
  readonly nvme?: boolean;
}
export interface Fleet {
  readonly root: pg.Client;
  addNode(plan?: NodePlan): Promise<{ readonly id: string; readonly slots: readonly string[] }>;
  removeNodes(): Promise<void>;
}

export const testRegion = 'test-region';
export const otherRegion = 'far-region';
export const sliceSku = 'test-slice';
export const metalSku = 'test-metal';
export const testImage = '0190a000-0000-7000-8000-00000000aaaa';

const deadlock = '40P01';
const mostTries = 10;

/** A catalog and hosts, put in from the outside: what their own domain does with them is tested there. */
export async function stockFleet(root: pg.Client): Promise<Fleet> {
  for (const slug of [testRegion, otherRegion]) {
    await asSystem(root, 'insert into regions (slug, name) values ($1, $1) on conflict do nothing', [slug]);
  }
  const profile = {
    fabric: 'ib',
    slice_vm_profiles: [1, 2, 4, 8].map((gpus) => ({
      name: `test_${gpus}g`,
      gpus,
      vcpus: 24 * gpus,
      memory_mib: 65_536 * gpus,
    })),
  };
  const addSku = (slug: string, shape: string, counts: number[], unit: string) =>
    asSystem(
      root,
      `insert into skus (slug, vendor, display_name, gpu_model, gpu_memory_mib, capacity_shape, gpus_total,
         allowed_gpu_counts, billing_unit, resource_profile)
       values ($1, 'NVIDIA', $1, 'NVIDIA H200', 143771, $2, 8, $3, $4, $5) on conflict do nothing`,
      [slug, shape, counts, unit, JSON.stringify(profile)],
    );
  await addSku(sliceSku, 'gpu_slice', [1, 2, 4, 8], 'gpu_hour');
  await addSku(metalSku, 'baremetal', [8], 'gpu_hour');
  for (const [sku, price] of [
    [sliceSku, 450],
    [metalSku, 400],
  ] as const) {
    await asSystem(
      root,
      `insert into sku_prices (id, sku, currency, unit_price_minor, effective_from)
       values ($1, $2, 'USD', $3, '2020-01-01') on conflict do nothing`,
      [systemIds.next(), sku, price],
    );
  }
  await asSystem(
    root,
    `insert into os_images (id, slug, display_name, digest, driver_strategy, size_bytes, skus)
     values ($1, 'test-image', 'Test image', 'sha256:' || repeat('a', 64), 'preinstalled', 1000, $2)
     on conflict do nothing`,
    [testImage, [sliceSku, metalSku]],
  );
  let made = 0;
  return {
    root,
    async addNode(plan = {}) {
      const id = systemIds.next();
      made += 1;
      const groups = plan.groups ?? [4, 4];
      const gpus = groups.reduce((sum, size) => sum + size, 0);
      const name = plan.name ?? `node-${made}-${id}`;
      const values = [id, name, plan.region ?? testRegion, plan.sku ?? sliceSku, gpus, plan.schedulable ?? true];
      await asSystem(
        root,
        'insert into nodes (id, name, region, sku, gpus_total, schedulable) values ($1, $2, $3, $4, $5, $6)',
        values,
      );
      await asSystem(root, `update nodes set state = 'enrolling', version = version + 1 where id = $1`, [id]);
      if ((plan.state ?? 'active') === 'active') {
        await asSystem(root, `update nodes set state = 'active', version = version + 1 where id = $1`, [id]);
      }
      if (plan.reportedAt !== 'never') {
        await root.query(
          `insert into node_reports (node_id, reported_at, boot_id, agent_version, clock_skew_ms, conditions, leases,
             running_tasks)
           values ($1, $2, $3, '1', 0, '[]', '[]', '[]')`,
          [id, plan.reportedAt ?? systemClock.now(), systemIds.next()],
        );
      }
      const numa = groups.flatMap((size, group) => Array.from({ length: size }, () => group));
      const slots = numa.map(() => systemIds.next());
      await asSystem(
        root,
        `insert into slots (id, node_id, slot_index, gpu_uuid, gpu_model, gpu_memory_mib, pci_address,
           fabric_vf_pci_address, nvme_device, mac_address, private_ip, numa_node)
         select s.id, $1, s.at - 1, 'GPU-' || gen_random_uuid(), 'NVIDIA H200', 143771,
           '0000:' || lpad(to_hex(s.at), 2, '0') || ':00.0',
           case when $4 then '0000:' || lpad(to_hex(s.at), 2, '0') || ':00.1' end,
           case when $5 then '/dev/nvme' || s.at || 'n1' end, null, null, s.numa
         from unnest($2::uuid[], $3::int[]) with ordinality as s (id, numa, at)`,
        [id, slots, numa, plan.fabric ?? true, plan.nvme ?? true],
      );
      await asSystem(root, `update slots set state = 'available', version = version + 1 where node_id = $1`, [id]);
      return { id, slots };
    },
    async removeNodes() {
      await root.query(`set session_replication_role = replica`);
      // Somebody who reads these tables in another order may be in the way: one of the two gives way, and this one goes on.
      for (let tries = 1; ; tries += 1) {
        try {
          await root.query(
            `truncate readiness_attestations, node_tasks, allocation_timeline, allocation_ssh_keys, placement_decisions,
               allocation_claims, allocations, allocation_groups, slots, node_reports, node_image_cache, nodes cascade`,
          );
          break;
        } catch (error) {
          if ((error as { code?: string }).code !== deadlock || tries === mostTries) throw error;
        }
      }
      await root.query('set session_replication_role = origin');
    },
  };
}

/** An allocation in a given state, walked there along the table; nothing of it is on any host. */
export async function putAllocation(
  root: pg.Client,
  of: { readonly organizationId: string; readonly projectId: string; readonly groupId?: string },
  state: 'requested' | 'provisioning' | 'active' | 'releasing' | 'release_failed' = 'requested',
): Promise<string> {
  const fleet = await stockFleet(root);
  const node = await fleet.addNode({ groups: [1] });
  const id = systemIds.next();
  await asSystem(
    root,
    `insert into allocations (id, organization_id, project_id, group_id, name, requested_by, placement_status, sku,
       capacity_shape, gpu_count, region, unit_price_minor, currency, node_id, generation, isolation_model, login,
       max_duration_seconds)
     values ($1, $2, $3, $4, 'A test', $7, 'reserved', $5, 'gpu_slice', 1, $6, 450, 'USD', $8, 1, 'user-revoke',
       '{"username": "tester", "uid": 20001, "gid": 20001}', 3600)`,
    [id, of.organizationId, of.projectId, of.groupId ?? null, sliceSku, testRegion, `nobody-${id}`, node.id],
  );
  await asSystem(
    root,
    `insert into placement_decisions (id, allocation_id, organization_id, outcome, document)
     values ($1, $2, $3, 'placed', $4)`,
    [systemIds.next(), id, of.organizationId, JSON.stringify(emptyDecision)],
  );
  const way = ['requested', 'provisioning', 'active', 'releasing', 'release_failed'];
  for (const next of way.slice(1, way.indexOf(state) + 1)) {
    await asSystem(
      root,
      `update allocations set state = $2, version = version + 1, active_at = now(), expires_at = now() + interval '1 hour'
       where id = $1`,
      [id, next],
    );
  }
  return id;
}
const emptyDecision = {
  ...{ outcome: 'placed', request: {}, chosen: null, considered: 0, feasible: 0, reasons: [], candidates: [] },
  ...{ omitted: 0, nearest_miss: null, would_fit: [] },
};

/** A fleet, and one organization that rents from it, over the connections of an api. */
export interface Yard extends Fleet {
  readonly schema: TestSchema;
  readonly port: DatabasePort;
  readonly organizationId: string;
  readonly projectId: string;
  act(action?: `${string}.${string}`): Act;
  close(): Promise<void>;
}
export async function openYard(options: { readonly poolSize?: number } = {}): Promise<Yard> {
  const schema = await openTestSchema();
  const root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  const fleet = await stockFleet(root);
  const port = await openPostgres({
    ...{ url: schema.as('gpuaas_api'), clock: systemClock, ids: systemIds, log: silentLog, name: 'test' },
    poolSize: options.poolSize ?? 8,
  });
  const organizationId = systemIds.next();
  const projectId = systemIds.next();
  await asSystem(root, `insert into organizations (id, name, slug) values ($1, 'Home', 'home')`, [organizationId]);
  await asSystem(root, `insert into projects (id, organization_id, name, slug) values ($1, $2, 'First', 'first')`, [
    projectId,
    organizationId,
  ]);
  return {
    ...fleet,
    schema,
    port,
    organizationId,
    projectId,
    act: (action = 'allocation.test') =>
      makeAct(
        systemViewer('tester', { correlationId: systemIds.next(), organizationId, projectId }),
        action,
        systemIds.next(),
      ),
    async close() {
      await port.close();
      await root.end();
      await schema.close();
    },
  };
}
