import { createHash } from 'node:crypto';
import { actsOf } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openMaas } from '../../ports/maas/open.ts';
import { startSimulatedMaas } from '../../ports/maas/simulated/server.ts';
import { asSystem, keyringOfWorlds, openWorld, type World } from '../../testing/world.ts';
import { makeMaasCommission, makeMaasPower } from './sagas/commission-and-power.ts';
import { makeMaasDecommission } from './sagas/decommission.ts';
import { makeMaasOnboard } from './sagas/onboard.ts';
import type { MaasSagaParts } from './sagas/parts.ts';
import { makeMaasReimage } from './sagas/reimage.ts';
import type { NewJob } from './store.ts';
import { makeMaasJobs } from './watch/jobs.ts';
import { makeMaasWatch } from './watch/watch.ts';

const longMs = 600_000;

/** An api, a worker's parts, and a region whose time passes when a test says so. */
export async function openMaasWorld() {
  const world = await openWorld();
  const operator = await world.operator();
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + aheadMs) };
  const server = await startSimulatedMaas({
    ...{ apiKey: 'aaaa:bbbb:cccc', clock },
    times: { commissionMs: longMs, deployMs: longMs, eraseMs: longMs },
  });
  const worker = await openPostgres({
    ...{
      url: world.schema.as('gpuaas_worker'),
      clock: systemClock,
      ids: systemIds,
      log: silentLog,
      name: 'test',
      poolSize: 6,
    },
  });
  const maas = await openMaas({ kind: 'simulated', timeoutMs: 1_000 });
  const db = worker.database;
  const seal = keyringOfWorlds.seal('maas');
  const parts: MaasSagaParts = { db, ids: systemIds, clock: systemClock, maas, seal };
  /** What runs were answered, by token. */
  const answered = new Map<string, unknown>();
  const sagas = {
    async answer(token: string, value: unknown) {
      answered.set(token, value);
      return 'accepted' as const;
    },
  };
  const begin = actsOf('maas', systemIds);
  const started: string[] = [];
  const served = {
    onboard: makeMaasOnboard(parts),
    reimage: makeMaasReimage(parts),
    decommission: makeMaasDecommission(parts),
    commission: makeMaasCommission(parts),
    power_on: makeMaasPower(parts, 'on'),
    power_off: makeMaasPower(parts, 'off'),
  };
  const watch = makeMaasWatch({ ...parts, begin, log: silentLog, sagas });
  const jobs = makeMaasJobs({
    ...{ db, begin, ids: systemIds, served },
    sagas: { ...sagas, start: async (_saga, id) => void started.push(id) },
  });
  const signal = new AbortController().signal;
  const call = (method: string, path: string, body?: object) =>
    world.call(method, `/api/v1/admin/${path}`, { as: operator, key: systemIds.next(), ...(body && { body }) });
  const row = async (text: string, values: unknown[]) => (await world.root.query(text, values)).rows[0];
  return {
    world,
    call,
    row,
    region: server.region,
    apiKey: server.apiKey,
    url: server.url,
    parts,
    served,
    answered,
    started,
    watch: () => watch.round(signal),
    begin: () => jobs.round(signal),
    pass: (ms = longMs) => {
      aheadMs += ms;
    },
    stop: () => server.close(),
    /** What the agent of a deployed host does: it enrols with the token of its document, and reports. */
    async boot(jobId: string): Promise<boolean> {
      const job = await row('select system_id, node_id, enrolment_id from maas_jobs where id = $1', [jobId]);
      const document = server.region.find(job.system_id)?.userData ?? '';
      const token = /gpuaas_node_[A-Za-z0-9_-]+/.exec(document)?.[0] ?? '';
      const hash = createHash('sha256').update(token).digest();
      const good = await row(
        'select id from node_enrolments where id = $1 and token_hash = $2 and revoked_at is null and used_at is null',
        [job.enrolment_id, hash],
      );
      if (!good) return false;
      const useIt = `update node_enrolments set used_at = now() - interval '1 second' where id = $1`;
      await asSystem(world.root, useIt, [good.id]);
      await asSystem(
        world.root,
        `update nodes set state = 'enrolling', version = version + 1 where id = $1 and state = 'bootstrap_issued'`,
        [job.node_id],
      );
      await world.root.query(
        `insert into node_reports (node_id, reported_at, boot_id, agent_version, clock_skew_ms, conditions, leases, running_tasks)
         values ($1, now(), gen_random_uuid(), '1', 0, '[]', '[]', '[]')
         on conflict (node_id) do update set reported_at = now()`,
        [job.node_id],
      );
      return true;
    },
    async close() {
      await maas.close();
      await worker.close();
      await server.close().catch(() => undefined);
      await world.close();
    },
  };
}
export type MaasTestWorld = Awaited<ReturnType<typeof openMaasWorld>>;
export type JobKind = NewJob['kind'];
export type { World };
