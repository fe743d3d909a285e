import { generateKeyPairSync } from 'node:crypto';
import { makeTasks, openTaskSigners } from '../../server/src/domains/nodes/index.ts';
import { actsOf } from '../../server/src/kernel/act.ts';
import { systemClock } from '../../server/src/kernel/clock.ts';
import { Fault } from '../../server/src/kernel/fault.ts';
import { systemIds } from '../../server/src/kernel/id.ts';
import { openKeyring } from '../../server/src/kernel/secrets/keyring.ts';
import { silentLog } from '../../server/src/kernel/telemetry/log.ts';
import { openEmbeddedAuthority } from '../../server/src/ports/certificates/embedded.ts';
import { makeRequest } from '../../server/src/ports/certificates/request.ts';
import { openPostgres } from '../../server/src/ports/database/postgres.ts';
import { type CapacitySetup, setUpCapacity } from './capacity-setup.ts';
import { type Installation, openInstallation } from './installation.ts';
import { durableSettings } from './machine.ts';
import type { Collected, ConnectionsOrder } from './node-connections.ts';
import type { Options } from './options.ts';
import { cpuSeconds, memoryOf } from './processes.ts';
import { interval, type Report, short } from './report.ts';
import { median, medianWithInterval, quantile } from './statistics.ts';
import { startWorker } from './worker.ts';

/**
 * How many nodes one api holds, and how fast a task gets to one of them: each node has a certificate of its own, a
 * connection with TLS on both sides and a question that waits. Memory is the slope between half of them and all of them,
 * so that what the process has anyhow cancels out. A task counts from the commit that queued it to its arrival.
 */
const restMs = 3_000;
const looks = 5;
const certificateMs = 24 * 3_600_000;
const goals = { kbEach: 55, dispatchMs: 20, idleShare: 0.05, stormSeconds: 30 };
/** Hosts that are announced together: one that waits longer for its turn than the silence limit counts as lost. */
const announcedTogether = 500;
/** Seconds that a task may take before it counts as lost. */
const patience = 20;
/** Long enough for every node to report twice. */
const idleMs = 30_000;

export async function measureAgents(options: Options, report: Report): Promise<void> {
  const installation = await openInstallation();
  try {
    report.sample({ settings: await durableSettings(installation.admin) });
    const setup = await setUpCapacity(installation, { poolSize: options.poolSize });
    const nodes = installation.keep(await startWorker('node-connections', { pin: true }));
    const hosts = await openHosts(installation, setup);
    installation.keep({ stop: hosts.close });
    const half = Math.ceil(options.agents / 2);
    const rssKb: number[][] = [];
    const nodeIds: string[] = [];
    for (const count of [half, options.agents - half]) {
      for (const goal = nodeIds.length + count; nodeIds.length < goal; ) {
        const some = Math.min(announcedTogether, goal - nodeIds.length);
        const { ids, order } = await hosts.announce(nodeIds.length, some);
        nodeIds.push(...ids);
        const { connected, failures, firstFailure } = await nodes.ask<Collected>(order);
        if (connected === nodeIds.length && failures === 0) continue;
        report.violated(`${connected} of ${nodeIds.length} are connected, ${failures} failed: ${firstFailure}`);
      }
      rssKb.push(await lookAt(setup.api.pid));
    }
    const before = cpuSeconds([setup.api.pid]);
    await systemClock.sleep(idleMs);
    const idleShare = (cpuSeconds([setup.api.pid]) - before) / (idleMs / 1_000);
    const [atHalf = [], atWhole = []] = rssKb;
    const each = atWhole.map((kb, look) => (kb - (atHalf[look] ?? Number.NaN)) / (options.agents - half));
    report.sample({ benchmark: 'agents', agents: options.agents, rssKb, idleShare });
    report.say(
      `${options.agents} nodes: ${interval(medianWithInterval(each))} KB each, ${short(median(atWhole) / 1_024)} MB in all, ${short(idleShare * 100)} % of a core while nothing happens.`,
    );
    const claim = `memory per node, ${options.agents} nodes`;
    report.verdict({ claim, unit: 'KB', found: medianWithInterval(each), goal: { at: 'most', value: goals.kbEach } });
    report.verdict({
      ...{ claim: 'share of a core while nothing happens', unit: '', found: medianWithInterval([idleShare]) },
      goal: { at: 'most', value: goals.idleShare },
    });

    const queue = await openTaskQueue(installation, setup);
    const p99: number[] = [];
    const p50: number[] = [];
    const cpuMs: number[] = [];
    try {
      for (let round = 0; round < options.pairs; round += 1) {
        const cpuBefore = cpuSeconds([setup.api.pid]);
        const queued = await queue.run(nodeIds, options.rate, options.seconds);
        const ms: number[] = [];
        let [failures, firstFailure]: [number, string | undefined] = [0, undefined];
        for (let look = 0; look < patience && ms.length < queued.size; look += 1) {
          await systemClock.sleep(1_000);
          const collected = await nodes.ask<Collected>({ kind: 'collect' });
          ({ failures, firstFailure } = collected);
          for (const [id, atMs] of collected.arrivals) {
            const queuedAtMs = queued.get(id);
            if (queuedAtMs !== undefined) ms.push(atMs - queuedAtMs);
          }
        }
        if (ms.length !== queued.size) report.violated(`${queued.size} tasks were queued, ${ms.length} came`);
        if (failures > 0) report.violated(`${failures} nodes failed: ${firstFailure}`);
        cpuMs.push(((cpuSeconds([setup.api.pid]) - cpuBefore) * 1_000) / queued.size);
        p50.push(median(ms));
        p99.push(quantile(ms, 0.99));
        report.sample({ benchmark: 'agents-dispatch', round, rate: options.rate, count: ms.length, ms });
      }
    } finally {
      await queue.close();
    }
    report.table({
      title: `From the commit of a task to its node, ${options.rate} tasks a second to ${options.agents} nodes`,
      columns: ['p50 ms', 'p99 ms', 'api CPU ms per task'],
      rows: [[p50, p99, cpuMs].map((found) => interval(medianWithInterval(found)))],
    });
    report.verdict({
      ...{ claim: `dispatch p99 at ${options.rate}/s`, unit: 'ms', found: medianWithInterval(p99) },
      goal: { at: 'most', value: goals.dispatchMs },
    });

    const stormBegan = performance.now();
    const stormCpu = cpuSeconds([setup.api.pid]);
    await nodes.ask<Collected>({ kind: 'storm' });
    const stormSeconds = (performance.now() - stormBegan) / 1_000;
    const apiSeconds = cpuSeconds([setup.api.pid]) - stormCpu;
    report.say(
      `All hung up at once: heard again after ${short(stormSeconds)} s, ${short(apiSeconds)} s of it the api.`,
    );
    report.verdict({
      ...{ claim: 'all are back after a storm', unit: 's', found: medianWithInterval([stormSeconds]) },
      goal: { at: 'most', value: goals.stormSeconds },
    });
    const { rows } = await installation.admin.query<{ lost: number }>(
      `select count(*)::int as lost from audit_logs where action = 'node.lose'`,
    );
    if (rows[0]?.lost !== 0) report.violated(`${rows[0]?.lost} nodes were given up though they were there`);
  } finally {
    await installation.close();
  }
}

/** Several looks after a rest: a heap that was just filled is larger than what it holds. */
async function lookAt(pid: number): Promise<number[]> {
  const seen: number[] = [];
  for (let look = 0; look < looks; look += 1) {
    await systemClock.sleep(restMs / looks);
    seen.push((memoryOf([pid])[0]?.rssMb ?? Number.NaN) * 1_024);
  }
  return seen;
}

/**
 * Nodes in service with certificates of their own, put in from the outside: neither the budget of operators, nor
 * enrolment, nor the sagas that take a host in are what is measured. They share their keys; nobody looks at them.
 */
async function openHosts(installation: Installation, setup: CapacitySetup) {
  const seal = openKeyring(setup.secretsKey, 'the bench').seal('authority');
  const authority = await openEmbeddedAuthority({ url: installation.adminUrl() }, { clock: systemClock, seal });
  const { roots } = await authority.authority();
  const { pem: csr, privateKey } = await makeRequest(undefined);
  const { publicKey, privateKey: resultKey } = generateKeyPairSync('ed25519');
  const { admin } = installation;
  return {
    async announce(from: number, count: number) {
      const hosts = await Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const nodeId = systemIds.next();
          const issued = await authority.certifyNode({ nodeId, csr, ttlMs: certificateMs });
          if (issued instanceof Fault) throw issued;
          return { nodeId, name: `bench-${from + index}`, ...issued };
        }),
      );
      const column = (of: (host: (typeof hosts)[number]) => unknown) => hosts.map(of);
      const ids = hosts.map(({ nodeId }) => nodeId);
      await admin.query('set session_replication_role = replica');
      await admin.query(
        `insert into nodes (id, name, region, sku, gpus_total, state, result_key, enrolled_at)
         select n.id, n.name, 'local', 'h200-sxm-slice', 8, 'active', $3, now()
         from unnest($1::uuid[], $2::text[]) as n (id, name)`,
        [ids, column(({ name }) => name), publicKey.export({ format: 'jwk' }).x],
      );
      await admin.query(
        `insert into node_certificates (serial, node_id, not_before, not_after)
         select c.serial, c.node_id, now() - interval '1 minute', now() + interval '1 day'
         from unnest($1::text[], $2::uuid[]) as c (serial, node_id)`,
        [column(({ serial }) => serial), ids],
      );
      await admin.query('set session_replication_role = origin');
      await admin.query('analyze');
      const order: ConnectionsOrder = {
        kind: 'connect',
        port: Number(new URL(setup.doorUrl).port),
        roots,
        key: privateKey,
        resultKey: resultKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        hosts: hosts.map(({ nodeId, chain }) => ({ nodeId, certificate: chain })),
      };
      return { ids, order };
    },
    close: () => authority.close(),
  };
}

/** Queues tasks as a saga would, each in a transaction of its own, at fixed times. */
async function openTaskQueue(installation: Installation, setup: CapacitySetup) {
  const common = { clock: systemClock, ids: systemIds, log: silentLog };
  const url = installation.urlFor('gpuaas_worker');
  const database = await openPostgres({ url, ...common, name: 'bench', poolSize: 8 });
  const db = database.database;
  const begin = actsOf('nodes', systemIds);
  const signer = await openTaskSigners({
    ...{ db, begin, ...common, listen: database.listen },
    seal: openKeyring(setup.secretsKey, 'the bench').seal('task-signers'),
    overlapSeconds: () => 120,
    graceHours: () => 24,
  });
  const tasks = makeTasks({ ...common, signer });
  const queueOne = async (nodeId: string): Promise<string> => {
    const correlationId = systemIds.next();
    const { value } = await db.write(begin('node_task.queue', { correlationId }), async (tx) => {
      const order = { nodeId, type: 'diag.health_probe' as const, params: {}, generation: 1, ttlSeconds: 120 };
      const id = await tasks.queueTask(tx, { ...order, correlationId });
      return tx.commit(id, { target: { type: 'node_task', id }, events: 'none' });
    });
    return value;
  };
  return {
    /** When each was committed, by the clock of the machine. */
    async run(nodeIds: readonly string[], rate: number, seconds: number): Promise<ReadonlyMap<string, number>> {
      const queued = new Map<string, number>();
      const beganAt = performance.now();
      const underway: Promise<void>[] = [];
      for (let at = 0; at < rate * seconds; at += 1) {
        const dueMs = beganAt + (at * 1_000) / rate - performance.now();
        if (dueMs > 1) await systemClock.sleep(dueMs);
        // Spread by a stride, so that no node gets two in a row.
        const nodeId = nodeIds[(at * 7_919) % nodeIds.length] ?? '';
        underway.push(queueOne(nodeId).then((id) => void queued.set(id, performance.timeOrigin + performance.now())));
      }
      await Promise.all(underway);
      return queued;
    },
    async close() {
      await signer.close();
      await database.close();
    },
  };
}
