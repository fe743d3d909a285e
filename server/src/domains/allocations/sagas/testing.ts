import { generateKeyPairSync } from 'node:crypto';
import type { NodeTask, ReadinessAttestation } from '@gpuaas/contract/node';
import { actsOf } from '../../../kernel/act.ts';
import { type Clock, systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { openPostgres } from '../../../ports/database/postgres.ts';
import { asSystem } from '../../../testing/world.ts';
import { makeTasks, openTaskSigners, type TaskAnswer, type TaskSigners } from '../../nodes/index.ts';
import { testSeal } from '../../nodes/testing.ts';
import type { LifeParts } from '../life/parts.ts';
import { metalSku, sliceSku, testImage, testRegion, type Yard } from '../testing.ts';

/** An allocation on a host of its own, and somebody who answers for that host. */
export interface Bench {
  readonly parts: LifeParts;
  readonly signers: TaskSigners;
  allocation(plan?: AllocationPlan): Promise<TestAllocation>;
  close(): Promise<void>;
}
export interface AllocationPlan {
  readonly shape?: 'gpu_slice' | 'baremetal';
  readonly gpus?: number;
  readonly state?: 'requested' | 'provisioning' | 'active' | 'releasing';
  readonly isolation?: 'user-revoke' | 'full-reimage';
  readonly maxDurationSeconds?: number;
  /** How often its launch may be tried in all; once when left out. */
  readonly maxAttempts?: number;
  /** Until when its owner is willing to wait. */
  readonly waitsUntil?: Date;
}
export interface TestAllocation {
  readonly id: string;
  readonly generation: number;
  readonly nodeId: string;
  /** The last task that was queued for it. */
  task(): Promise<NodeTask>;
  /** Settles the last task as its node would, and answers what its saga is told. */
  settle(outcome: { readonly output?: object; readonly failure?: string }): Promise<TaskAnswer>;
  attestation(change?: Partial<ReadinessAttestation>): Promise<ReadinessAttestation>;
  look(): Promise<{
    readonly state: string;
    readonly failure: string | null;
    readonly slots: Readonly<Record<string, number>>;
    readonly liveClaims: number;
    readonly openTasks: number;
    readonly events: readonly string[];
  }>;
}

const waysTo = {
  requested: [],
  provisioning: ['provisioning'],
  active: ['provisioning', 'active'],
  releasing: ['provisioning', 'active', 'releasing'],
} as const;
export const proven = { passed: true, detail: 'seen' };
export const unproven = { passed: false, detail: 'not seen' };

export async function openBench(yard: Yard, clock: Clock = systemClock): Promise<Bench> {
  const { root, organizationId, projectId } = yard;
  // Sagas run in the worker, with its rights.
  const port = await openPostgres({
    ...{ url: yard.schema.as('gpuaas_worker'), clock, ids: systemIds, log: silentLog, name: 'worker' },
    poolSize: 4,
  });
  const db = port.database;
  const signers = await openTaskSigners({
    db,
    begin: actsOf('nodes', systemIds),
    ids: systemIds,
    clock,
    log: silentLog,
    seal: testSeal(),
    overlapSeconds: () => 120,
    graceHours: () => 24,
    listen: port.listen,
  });
  const parts: LifeParts = {
    db,
    ids: systemIds,
    clock,
    tasks: makeTasks({ ids: systemIds, clock, signer: signers }),
    taskSeconds: () => 600,
    gpuTimeSpeed: () => 1,
    graceSeconds: () => 30,
    failureMemoryMinutes: () => 30,
    placing: () => ({ lostAfterSeconds: 3_600, candidates: 8, imageRequired: false }),
  };
  const move = (table: 'allocations' | 'slots', state: string, where: string, id: string) =>
    asSystem(root, `update ${table} set state = $2, version = version + 1 where ${where} = $1`, [id, state]);

  return {
    ...{ parts, signers },
    async allocation(plan = {}) {
      const shape = plan.shape ?? 'gpu_slice';
      const gpus = shape === 'baremetal' ? 8 : (plan.gpus ?? 2);
      const sku = shape === 'baremetal' ? metalSku : sliceSku;
      const node = await yard.addNode({ sku });
      const { publicKey } = generateKeyPairSync('ed25519');
      await asSystem(root, 'update nodes set result_key = $2, version = version + 1 where id = $1', [
        node.id,
        publicKey.export({ format: 'jwk' }).x,
      ]);
      const id = systemIds.next();
      await asSystem(
        root,
        `insert into allocations (id, organization_id, project_id, name, requested_by, placement_status, sku,
           capacity_shape, gpu_count, region, profile, image_id, unit_price_minor, currency, node_id, generation,
           isolation_model, login, max_duration_seconds, max_attempts, queue_deadline_at)
         values ($1, $2, $3, 'test', 'tester', 'reserved', $4, $5, $6, $7, $8, $9, 450, 'USD', $10, 1, $11, $12, $13, $14, $15)`,
        [
          ...[id, organizationId, projectId, sku, shape, gpus, testRegion],
          ...[JSON.stringify({ name: `test_${gpus}g`, vcpus: 24, memory_mib: 65_536 }), testImage, node.id],
          ...[plan.isolation ?? 'user-revoke', JSON.stringify({ username: 'tester', uid: 2000, gid: 2000 })],
          ...[plan.maxDurationSeconds ?? null, plan.maxAttempts ?? 1, plan.waitsUntil ?? null],
        ],
      );
      const slots = node.slots.slice(0, gpus);
      await asSystem(
        root,
        `update slots set state = 'reserved', version = version + 1, generation = 1, allocation_id = $2
         where id = any ($1)`,
        [slots, id],
      );
      await asSystem(
        root,
        `insert into allocation_claims (id, allocation_id, organization_id, slot_id, node_id, kind, generation)
         select gen_random_uuid(), $1, $2, s, $3, $5, 1 from unnest($4::uuid[]) s`,
        [id, organizationId, node.id, slots, shape === 'baremetal' ? 'node_exclusive' : 'slot'],
      );
      for (const state of waysTo[plan.state ?? 'requested']) {
        await move('allocations', state, 'id', id);
        if (state === 'active') await move('slots', 'in_use', 'allocation_id', id);
      }

      const one = async <T>(text: string): Promise<T> => (await root.query(text, [id])).rows[0] as T;
      const task = async () =>
        (
          await one<{ envelope: NodeTask }>(
            'select envelope from node_tasks where allocation_id = $1 order by id desc limit 1',
          )
        ).envelope;
      return {
        id,
        generation: 1,
        nodeId: node.id,
        task,
        async settle({ output, failure }) {
          const { task_id } = await task();
          const state = failure === undefined ? 'succeeded' : 'failed';
          const open = await root.query(`select from node_tasks where id = $1 and state = 'queued'`, [task_id]);
          if (open.rowCount === 1) {
            const settle = (to: string) =>
              asSystem(
                root,
                `update node_tasks set state = $2, version = version + 1, dispatched_at = coalesce(dispatched_at, now())
                 where id = $1`,
                [task_id, to],
              );
            await settle('dispatched');
            await settle(state);
          }
          return {
            task_id,
            outcome: state,
            ...(output && { output }),
            ...(failure !== undefined && { failure: { code: failure, message: `the host says: ${failure}` } }),
            signed_result: {},
          };
        },
        async attestation(change = {}) {
          const { rows } = await root.query(
            `select s.gpu_uuid, s.pci_address from slots s join allocations a on a.id = s.allocation_id
               and a.generation = s.generation where a.id = $1 order by s.slot_index`,
            [id],
          );
          return {
            allocation_id: id,
            taken_at: systemClock.now().toISOString(),
            gpus: rows.map(({ gpu_uuid, pci_address }) => ({
              uuid: gpu_uuid as string,
              model: 'NVIDIA H200',
              pci_address: pci_address as string,
              memory_mib: 143_771,
              healthy: true,
            })),
            driver_version: '570.133.20',
            cuda_version: '12.8',
            nvidia_smi: proven,
            disk_clean: proven,
            isolation: proven,
            ssh: {
              reachable: true,
              address: '10.0.0.1',
              port: 22,
              username: 'tester',
              host_key_fingerprint: 'SHA256:x',
            },
            durations_ms: {},
            ...change,
          };
        },
        async look() {
          const { state, failure_code } = await one<{ state: string; failure_code: string | null }>(
            'select state, failure_code from allocations where id = $1',
          );
          const { rows } = await root.query(
            'select state, count(*)::int as n from slots where node_id = $1 group by state order by state',
            [node.id],
          );
          const { claims } = await one<{ claims: number }>(
            'select count(*)::int as claims from allocation_claims where allocation_id = $1 and freed_at is null',
          );
          const { tasks } = await one<{ tasks: number }>(
            `select count(*)::int as tasks from node_tasks
             where allocation_id = $1 and state in ('queued', 'dispatched')`,
          );
          const events = await root.query('select subject from outbox_events where key = $1 order by position', [id]);
          return {
            state,
            failure: failure_code,
            slots: Object.fromEntries(rows.map((row) => [row.state, row.n])),
            liveClaims: claims,
            openTasks: tasks,
            events: events.rows.map(({ subject }) => subject as string),
          };
        },
      };
    },
    async close() {
      await signers.close();
      await port.close();
    },
  };
}
