import type { Client } from 'pg';
import {
  claimSlots,
  insertAllocation,
  listNodeIds,
  makeCapacityIndex,
  makePlacer,
  readCandidates,
} from '../../server/src/domains/allocations/index.ts';
import { makeAct, systemViewer } from '../../server/src/kernel/act.ts';
import { systemClock } from '../../server/src/kernel/clock.ts';
import { Fault } from '../../server/src/kernel/fault.ts';
import { systemIds } from '../../server/src/kernel/id.ts';
import { silentLog } from '../../server/src/kernel/log.ts';
import { openPostgres } from '../../server/src/ports/database/postgres.ts';
import { openInstallation } from './installation.ts';
import type { Options } from './options.ts';
import { openPgbench } from './pgbench.ts';
import { type Report, short } from './report.ts';
import { interleaved, medianWithInterval, ratios } from './statistics.ts';

/**
 * Placements that are committed, beside the least that any placement has to do: one conditional UPDATE of one slot, with
 * the schema's own guards, by pgbench, on the same server in the same run. Ours looks at candidates, decides, takes the
 * slot, writes the allocation and its claim, and leaves an audit row.
 */
const nodes = 5_000;
const gpusOfHost = 8;
const clients = 16;
const goal = 0.6;
const organizationId = '00000000-0000-7000-9000-000000000001';
const projectId = '00000000-0000-7000-9000-000000000002';
const dummyId = '00000000-0000-7000-9000-000000000003';

const update = `
begin;
select set_config('gpuaas.act', uuidv7()::text, true) as act \\gset
select set_config('gpuaas.audited', :act, true);
update slots set state = 'reserved', version = version + 1, generation = generation + 1, allocation_id = '${dummyId}'
  where id = (select ('00000000-0000-7000-8000-' || lpad(nextval('bench_slots')::text, 12, '0'))::uuid)
    and state = 'available' and health_state = 'healthy';
commit;
`;

export async function measureDurable(options: Options, report: Report): Promise<void> {
  const installation = await openInstallation();
  try {
    const { admin } = installation;
    await stock(admin);
    const pgbench = await openPgbench(installation.folder);
    const port = await openPostgres({
      ...{ url: installation.urlFor('gpuaas_api'), clock: systemClock, ids: systemIds, log: silentLog },
      ...{ name: 'bench', poolSize: clients },
    });
    const rates: [number[], number[]] = [[], []];
    for (const [round, order] of interleaved([0, 1] as const, options.pairs).entries()) {
      for (const side of order) {
        await empty(admin);
        const perSecond =
          side === 0
            ? await placeFor(port.database, options.seconds)
            : (
                await pgbench.run({
                  ...{ name: 'conditional-update', text: update, url: installation.adminUrl(), clients },
                  ...{ seconds: options.seconds, warmupSeconds: options.warmupSeconds },
                })
              ).tps;
        rates[side].push(perSecond);
        report.sample({ benchmark: 'placement', round, side: side === 0 ? 'placements' : 'updates', perSecond });
        if (side === 0) await check(admin, report, round);
      }
    }
    await port.close();
    const [ours, theirs] = rates.map((side) => medianWithInterval(side));
    report.table({
      title: `Durable placements a second of one GPU, ${clients} at once, ${nodes} hosts`,
      columns: ['side', 'median', 'from', 'to'],
      rows: [
        ['placements', short(ours?.median ?? 0), short(ours?.low ?? 0), short(ours?.high ?? 0)],
        ['conditional UPDATE alone', short(theirs?.median ?? 0), short(theirs?.low ?? 0), short(theirs?.high ?? 0)],
      ],
    });
    report.verdict({
      claim: 'durable placements over bare conditional UPDATEs',
      found: medianWithInterval(ratios(rates[0], rates[1])),
      goal: { at: 'least', value: goal },
    });
  } finally {
    await installation.close();
  }
}

async function placeFor(db: Awaited<ReturnType<typeof openPostgres>>['database'], seconds: number): Promise<number> {
  const index = makeCapacityIndex();
  const viewer = systemViewer('bench', { correlationId: 'bench', organizationId, projectId });
  const lostAfterSeconds = 1_000_000_000;
  const everyNode = await db.read(viewer, (tx) => listNodeIds(tx, undefined, nodes));
  index.learn(await db.read(viewer, (tx) => readCandidates(tx, everyNode, lostAfterSeconds)));
  const placer = makePlacer({
    index,
    ...{ lostAfterSeconds: () => lostAfterSeconds, candidates: () => 8, maxRepicks: () => 8 },
  });
  const request = { sku: 'bench', shape: 'gpu_slice', gpus: 1, region: 'here', fabric: false, nvme: false } as const;
  const one = async () => {
    const id = systemIds.next();
    const written = await db.write(makeAct(viewer, 'allocation.create', systemIds.next()), async (tx) => {
      const placed = await placer.place(tx, {
        request,
        allocationId: id,
        alternatives: async () => ({ counts: [], skus: [] }),
      });
      const { reservation } = placed;
      if (!reservation) return tx.abandon(new Fault('sku_unavailable', 'full'));
      await insertAllocation(tx, {
        ...{ id, organization_id: organizationId, project_id: projectId, group_id: null, name: 'bench', tags: {} },
        ...{ requested_by: 'bench', placement_status: 'reserved', sku: 'bench', capacity_shape: 'gpu_slice' },
        ...{ gpu_count: 1, region: 'here', profile: null, image_id: null, price_id: null, unit_price_minor: 1n },
        ...{ currency: 'USD', node_id: reservation.nodeId, generation: reservation.generation, login: null },
        ...{ isolation_model: 'user-revoke', max_duration_seconds: null, idle_minutes: null, idle_action: null },
        queue_deadline_at: null,
      });
      await claimSlots(tx, { ...reservation, ids: systemIds, allocationId: id, organizationId, kind: 'slot' });
      return tx.commit(undefined, { target: { type: 'allocation', id }, events: 'none' });
    });
    return !(written instanceof Fault);
  };
  const began = performance.now();
  const until = began + seconds * 1_000;
  let placed = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) if (await one()) placed += 1;
    }),
  );
  return (placed * 1_000) / (performance.now() - began);
}

async function stock(admin: Client): Promise<void> {
  await admin.query('set session_replication_role = replica');
  await admin.query(`insert into organizations (id, name, slug) values ($1, 'Bench', 'bench-placement')`, [
    organizationId,
  ]);
  await admin.query(
    `insert into projects (id, organization_id, department_id, name, slug) values ($2, $1, $2, 'Bench', 'bench')`,
    [organizationId, projectId],
  );
  await admin.query(`insert into regions (slug, name) values ('here', 'Here')`);
  await admin.query(
    `insert into skus (slug, vendor, display_name, gpu_model, gpu_memory_mib, capacity_shape, gpus_total,
       allowed_gpu_counts, billing_unit) values ('bench', 'v', 'b', 'm', 1, 'gpu_slice', 8, '{1,2,4,8}', 'gpu_hour')`,
  );
  await admin.query(
    `insert into nodes (id, name, region, sku, gpus_total, state, schedulable)
     select ('00000000-0000-7000-a000-' || lpad(n::text, 12, '0'))::uuid, 'host-' || n, 'here', 'bench', 8, 'active', true
     from generate_series(1, $1::int) n`,
    [nodes],
  );
  await admin.query(
    `insert into node_reports (node_id, reported_at, boot_id, agent_version, clock_skew_ms, conditions, leases,
       running_tasks) select id, now(), id, '1', 0, '[]', '[]', '[]' from nodes`,
  );
  await admin.query(
    `insert into slots (id, node_id, slot_index, state, gpu_uuid, gpu_model, gpu_memory_mib, pci_address, numa_node)
     select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
       ('00000000-0000-7000-a000-' || lpad(((n - 1) / 8 + 1)::text, 12, '0'))::uuid, (n - 1) % 8, 'available',
       'GPU-' || gen_random_uuid(), 'm', 1, '0000:0' || (n - 1) % 8 || ':00.0', ((n - 1) % 8) / 4
     from generate_series(1, $1::int) n`,
    [nodes * gpusOfHost],
  );
  await admin.query('create sequence bench_slots');
}

async function empty(admin: Client): Promise<void> {
  await admin.query(`truncate allocation_claims, readiness_attestations, node_tasks, allocation_timeline,
    allocation_ssh_keys, placement_decisions`);
  await admin.query('delete from allocations');
  await admin.query(`update slots set state = 'available', allocation_id = null where state <> 'available'`);
  await admin.query(
    `insert into allocations (id, organization_id, project_id, name, requested_by, placement_status, sku, capacity_shape,
       gpu_count, region, unit_price_minor, currency, isolation_model)
     values ($1, $2, $3, 'bench', 'bench', 'reserved', 'bench', 'gpu_slice', 1, 'here', 1, 'USD', 'user-revoke')`,
    [dummyId, organizationId, projectId],
  );
  await admin.query(`select setval('bench_slots', 1, false)`);
  await admin.query('vacuum analyze slots');
  await admin.query('analyze');
}

async function check(admin: Client, report: Report, round: number): Promise<void> {
  const { rows } = await admin.query<{ slots: number; claims: number; allocations: number }>(
    `select (select count(*)::int from slots where state = 'reserved') as slots,
       (select count(*)::int from allocation_claims where freed_at is null) as claims,
       (select count(*)::int from allocations where id <> $1) as allocations`,
    [dummyId],
  );
  const [found] = rows;
  if (!found || found.slots !== found.claims || found.slots !== found.allocations) {
    report.violated(`round ${round}: slots, claims and allocations differ: ${JSON.stringify(found)}`);
  }
}
