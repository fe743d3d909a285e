import type { Client } from 'pg';
import {
  listNodeIds,
  makeCapacityIndex,
  makePlacer,
  makeReserveForNew,
  readCandidates,
} from '../../server/src/domains/allocations/index.ts';
import { makeAct, systemViewer } from '../../server/src/kernel/act.ts';
import { systemClock } from '../../server/src/kernel/clock.ts';
import { Fault } from '../../server/src/kernel/fault.ts';
import { systemIds } from '../../server/src/kernel/id.ts';
import { silentLog } from '../../server/src/kernel/telemetry/log.ts';
import { openPostgres } from '../../server/src/ports/database/postgres.ts';
import { openInstallation } from './installation.ts';
import type { Options } from './options.ts';
import { openPgbench } from './pgbench.ts';
import { cpuSeconds } from './processes.ts';
import { type Report, short } from './report.ts';
import { interleaved, medianWithInterval, ratios } from './statistics.ts';

/**
 * Placements that are committed, beside the least that any placement has to do: one conditional UPDATE of one slot, with
 * the schema's own guards, by pgbench, on the same server in the same run. Ours decides, takes the slot, writes the
 * allocation and its claim, and leaves an audit row: one by one, as single requests do, and many in one transaction, as a
 * group does. CPU counts both ends of the connection; on a machine that is busy with others it says more than the clock.
 */
const nodes = 5_000;
const gpusOfHost = 8;
const clients = 16;
/** As many as a large group has. */
const together = 16;
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

const sides = ['one by one', `${together} in one transaction`, 'conditional UPDATE alone'] as const;
const ceiling = 2;
const spread = ({ low, high }: { readonly low: number; readonly high: number }) => `${short(low)} to ${short(high)}`;

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
    const found = sides.map(() => ({ rates: [] as number[], cpuMs: [] as number[] }));
    for (const [round, order] of interleaved([0, 1, 2] as const, options.pairs).entries()) {
      for (const side of order) {
        await empty(admin);
        const before = { own: ownCpuMs(), postgres: cpuSeconds([installation.postgresPid]) };
        const done =
          side === ceiling
            ? await pgbench
                .run({
                  ...{ name: 'conditional-update', text: update, url: installation.adminUrl(), clients },
                  ...{ seconds: options.seconds, warmupSeconds: options.warmupSeconds },
                })
                .then((run) => ({
                  perSecond: run.tps,
                  placed: run.transactions,
                  clientMs: run.clientCpuSeconds * 1_000,
                }))
            : await placeFor(port.database, options.seconds, side === 0 ? 1 : together).then((run) => ({
                ...{ ...run, clientMs: ownCpuMs() - before.own },
              }));
        const clientMs = done.clientMs / done.placed;
        const postgresMs = ((cpuSeconds([installation.postgresPid]) - before.postgres) * 1_000) / done.placed;
        found[side]?.rates.push(done.perSecond);
        found[side]?.cpuMs.push(clientMs + postgresMs);
        const { perSecond } = done;
        report.sample({ benchmark: 'placement', round, side: sides[side], perSecond, clientMs, postgresMs });
        if (side !== ceiling) await check(admin, report, round);
      }
    }
    await port.close();
    report.table({
      title: `Durable placements a second of one GPU, ${clients} clients, ${nodes} hosts`,
      columns: ['side', 'a second', '95 %', 'CPU ms each', '95 %'],
      rows: found.map(({ rates, cpuMs }, side) => {
        const [rate, cpu] = [medianWithInterval(rates), medianWithInterval(cpuMs)];
        return [sides[side] ?? '', short(rate.median), spread(rate), short(cpu.median), spread(cpu)];
      }),
    });
    for (const side of [0, 1] as const) {
      const goalOf = { goal: { at: 'least', value: goal } } as const;
      const [ours, theirs] = [found[side], found[ceiling]];
      if (!ours || !theirs) continue;
      report.verdict({
        claim: `${sides[side]}, over bare conditional UPDATEs`,
        ...{ found: medianWithInterval(ratios(ours.rates, theirs.rates)), ...goalOf },
      });
      report.verdict({
        claim: `${sides[side]}, the same by CPU`,
        ...{ found: medianWithInterval(ratios(theirs.cpuMs, ours.cpuMs)), ...goalOf },
      });
    }
  } finally {
    await installation.close();
  }
}

async function placeFor(db: Awaited<ReturnType<typeof openPostgres>>['database'], seconds: number, count: number) {
  const index = makeCapacityIndex();
  const viewer = systemViewer('bench', { correlationId: 'bench', organizationId, projectId });
  const lostAfterSeconds = 1_000_000_000;
  const everyNode = await db.read(viewer, (tx) => listNodeIds(tx, undefined, nodes));
  index.update(await db.read(viewer, (tx) => readCandidates(tx, everyNode, lostAfterSeconds)));
  const placer = makePlacer({
    index,
    ...{ lostAfterSeconds: () => lostAfterSeconds, candidates: () => 8, maxRepicks: () => 8 },
  });
  const request = { sku: 'bench', shape: 'gpu_slice', gpus: 1, region: 'here', fabric: false, nvme: false } as const;
  const some = async () => {
    const ids = Array.from({ length: count }, () => systemIds.next());
    const written = await db.write(makeAct(viewer, 'allocation.create', systemIds.next()), async (tx) => {
      const claim = makeReserveForNew(
        tx,
        systemIds,
        ids.map((id) => ({
          ...{ id, organization_id: organizationId, project_id: projectId, group_id: null, name: 'bench', tags: {} },
          ...{ requested_by: 'bench', sku: 'bench', capacity_shape: 'gpu_slice', gpu_count: 1, region: 'here' },
          ...{ profile: null, image_id: null, price_id: null, unit_price_minor: 1n, currency: 'USD', login: null },
          ...{
            isolation_model: 'user-revoke',
            max_duration_seconds: null,
            max_spend_minor: null,
            idle_minutes: null,
            idle_action: null,
          },
          ...{ queue_deadline_at: null, max_attempts: 1 },
        })),
      );
      const wanted = { request, alternatives: async () => ({ counts: [], skus: [] }) };
      const places = await placer.reserve(
        tx,
        ids.map(() => wanted),
        claim,
      );
      if (places.some(({ reservation }) => !reservation)) return tx.abandon(new Fault('sku_unavailable', 'full'));
      return tx.commit(undefined, { target: { type: 'allocation', id: ids[0] ?? '' }, events: 'none' });
    });
    return written instanceof Fault ? 0 : count;
  };
  const began = performance.now();
  const until = began + seconds * 1_000;
  let placed = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) {
        // Added afterwards: others add too while this one waits.
        const more = await some();
        placed += more;
      }
    }),
  );
  return { perSecond: (placed * 1_000) / (performance.now() - began), placed };
}
const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

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
