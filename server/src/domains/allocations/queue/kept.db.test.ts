import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemViewer } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem } from '../../../testing/world.ts';
import { metalSku, openYard, sliceSku, testImage, testRegion, type Yard } from '../testing.ts';
import { readLine } from './line.ts';
import { isKept } from './plan.ts';

let yard: Yard;
beforeAll(async () => {
  yard = await openYard();
});
afterAll(() => yard.close());

const hourMs = 3_600_000;
const provisionSeconds = 3_600;
const slot = fc.record({
  numa: fc.nat(1),
  state: fc.constantFrom('available', 'available', 'available', 'quarantined'),
  health: fc.constantFrom('healthy', 'healthy', 'healthy', 'failed'),
  nvme: fc.constantFrom(true, true, false),
  fabric: fc.constantFrom(true, true, false),
});
const host = fc.record({ slots: fc.array(slot, { minLength: 1, maxLength: 10 }), hasImage: fc.boolean() });
const waiter = fc.record({
  gpus: fc.constantFrom(1, 2, 4, 8),
  image: fc.boolean(),
  hours: fc.option(fc.integer({ min: 1, max: 6 })),
  /** On which of the hosts its launch has failed. */
  failedOn: fc.option(fc.nat(1)),
});
const scene = fc.record({
  sku: fc.constantFrom(sliceSku, sliceSku, metalSku),
  hosts: fc.array(host, { minLength: 1, maxLength: 2 }),
  waiters: fc.array(waiter, { maxLength: 3 }),
  reservation: fc.option(
    fc.record({
      ...{ host: fc.nat(1), waiter: fc.nat(2), startsInHours: fc.option(fc.integer({ min: 1, max: 6 })) },
      /** Which slots of the host; none is what the release before wrote, and means all of them. */
      slots: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
    }),
  ),
  endsInHours: fc.option(fc.integer({ min: 1, max: 6 })),
  /** Which slots of a host the newcomer reaches for. */
  reaches: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
  imageRequired: fc.boolean(),
});
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;

/** Puts the scene into the tables; answers the hosts. */
async function build({ sku, hosts, waiters, reservation }: Scene, now: Date): Promise<string[]> {
  const { root } = yard;
  await yard.removeNodes();
  await asSystem(root, 'delete from queue_reservations', []);
  const ids: string[] = [];
  for (const { slots, hasImage } of hosts) {
    const sorted = [...slots].sort((a, b) => a.numa - b.numa);
    const node = await yard.addNode({
      sku,
      groups: [0, 1].map((numa) => sorted.filter((one) => one.numa === numa).length),
    });
    ids.push(node.id);
    for (const [at, one] of sorted.entries()) {
      await asSystem(
        root,
        `update slots set state = $2, health_state = $3, version = version + 1,
           nvme_device = case when $4 then nvme_device end,
           fabric_vf_pci_address = case when $5 then fabric_vf_pci_address end where id = $1`,
        [node.slots[at], one.state, one.health, one.nvme, one.fabric],
      );
    }
    if (hasImage) {
      await asSystem(
        root,
        `insert into node_image_cache (node_id, image_id, digest, verified_at) values ($1, $2, 'sha256:' || repeat('a', 64), now())`,
        [node.id, testImage],
      );
    }
  }
  const queued: string[] = [];
  for (const { gpus, image, hours, failedOn } of waiters) {
    const id = systemIds.next();
    queued.push(id);
    await asSystem(
      root,
      `insert into allocations (id, organization_id, project_id, name, requested_by, placement_status, sku, capacity_shape,
         gpu_count, region, unit_price_minor, currency, isolation_model, image_id, max_duration_seconds, queue_deadline_at)
       values ($1, $2, $3, 'test', 'tester', 'queued', $4, $5, $6, $7, 450, 'USD', 'user-revoke', $8, $9,
         now() + interval '1 day')`,
      [
        ...[
          id,
          yard.organizationId,
          yard.projectId,
          sku,
          sku === metalSku ? 'baremetal' : 'gpu_slice',
          gpus,
          testRegion,
        ],
        ...[image ? testImage : null, hours === null ? null : hours * 3_600],
      ],
    );
    const failed = failedOn === null ? undefined : ids[failedOn];
    if (failed) {
      await asSystem(
        root,
        `insert into allocation_attempts (allocation_id, organization_id, attempt, node_id, generation, failure_code,
           failure_reason) values ($1, $2, 1, $3, 1, 'gpu_missing', 'A test.')`,
        [id, yard.organizationId, failed],
      );
    }
  }
  const reserved = reservation && { node: ids[reservation.host], allocation: queued[reservation.waiter] };
  if (reserved?.node && reserved.allocation) {
    const startsAt =
      reservation?.startsInHours == null ? null : new Date(now.getTime() + (reservation.startsInHours + 0.5) * hourMs);
    await asSystem(
      root,
      `insert into queue_reservations (allocation_id, node_id, sku, region, expected_start_at, slot_ids)
       select $1, $2, $3, $4, $5, array(select id from slots where node_id = $2 and ($6::boolean[])[slot_index + 1])`,
      [reserved.allocation, reserved.node, sku, testRegion, startsAt, reservation?.slots],
    );
  }
  return ids;
}

describe('what is kept for those who wait', () => {
  it('is the same for the database, which takes slots, and for the plan of the queue', async () => {
    const seen = { kept: 0, free: 0 };
    await fc.assert(
      fc.asyncProperty(scene, async (one) => {
        const now = new Date();
        const hosts = await build(one, now);
        const endsAt = one.endsInHours === null ? undefined : new Date(now.getTime() + one.endsInHours * hourMs);
        const viewer = systemViewer('test', { correlationId: systemIds.next() });
        const view = await yard.port.database.read(viewer, (tx) =>
          readLine(
            tx,
            { sku: one.sku, region: testRegion, fabric: true },
            {
              ...{ now, ageingSeconds: 3_600, provisionSeconds, lostAfterSeconds: 3_600 },
              ...{ imageRequired: one.imageRequired, batch: 50 },
            },
          ),
        );
        for (const id of hosts) {
          const { node } = view.hosts.find((each) => each.node.id === id) ?? {};
          if (!node) throw new Error('a host is not in its line');
          const slotIds = node.slots.flatMap((each, at) => (one.reaches[at] ? [each.id] : []));
          const planned = isKept(node, { endsAt, slotIds }, view);
          const { rows } = await yard.root.query('select capacity_kept($1, $2, $3, $4, $5) as kept', [
            ...[id, endsAt ?? null, one.imageRequired, provisionSeconds, slotIds],
          ]);
          expect(rows[0].kept, JSON.stringify(one)).toBe(planned);
          seen[planned ? 'kept' : 'free'] += 1;
        }
      }),
      { numRuns: 120 },
    );
    // Both answers came up: the comparison compared something.
    expect(Math.min(seen.kept, seen.free)).toBeGreaterThan(5);
  }, 240_000);
});
