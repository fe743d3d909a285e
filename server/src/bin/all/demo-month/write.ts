import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeResultSigner } from '@gpuaas/agent';
import type { NodeUsageRecord } from '@gpuaas/contract/node';
import { makePastRuns } from '../../../domains/allocations/index.ts';
import { openEvidenceDesk } from '../../../domains/billing/index.ts';
import { actsOf } from '../../../kernel/act.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { clockIds, systemIds } from '../../../kernel/id.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { openPostgres } from '../../../ports/database/postgres.ts';
import { planMonth } from './plan.ts';

/**
 * A month of usage for the demo. The runs are made up, and tagged so; their evidence is signed with the keys of the simulated
 * hosts and taken as any other, so the billing-worker charges it and every line of it can be proven.
 */
export async function writeDemoMonth(spec: {
  readonly databaseUrl: string;
  readonly dataDir: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly sku: string;
  readonly region: string;
  readonly people: Readonly<Record<'member' | 'admin', string>>;
  readonly log: Log;
}): Promise<void> {
  const [host] = await readHosts(join(spec.dataDir, 'fleet'));
  if (!host) throw new Error('There is no simulated host to have usage of.');
  const planned = planMonth(systemClock.now().getTime()).map((run) => ({
    ...{ ...run, id: idOf(run.fromMs), uuids: Array.from({ length: run.gpus }, () => `GPU-${randomUUID()}`) },
    ...{ fromAt: new Date(run.fromMs).toISOString(), toAt: new Date(run.toMs).toISOString() },
  }));
  const database = await openPostgres({
    ...{ url: spec.databaseUrl, clock: systemClock, ids: systemIds, log: spec.log, name: 'demo', poolSize: 2 },
  });
  try {
    const parts = { db: database.database, begin: actsOf('start', systemIds), ids: systemIds };
    await makePastRuns(parts)(
      spec,
      planned.map(({ id, name, login, uuids, fromAt, toAt }) => ({
        ...{ id, name, requestedBy: spec.people[login], nodeId: host.nodeId, gpus: uuids, fromAt, toAt },
      })),
    );
    const records = planned.map(({ id, uuids, fromAt, toAt }) =>
      host.sign({
        ...{ kind: 'usage' as const, node_id: host.nodeId, allocation_id: id, generation: 1, sequence: 1 },
        ...{ from: fromAt, to: toAt, gpus: uuids, final: true },
      }),
    );
    const desk = openEvidenceDesk({
      ...{ ...parts, clock: systemClock, log: spec.log, metrics: makeMetrics('demo', '0.0.0') },
      speed: () => 1,
    });
    try {
      const { outcomes } = await desk.take(host.nodeId, records satisfies NodeUsageRecord[]);
      const refused = outcomes.filter((outcome) => outcome !== 'stored').length;
      if (refused > 0) throw new Error(`${refused} of ${records.length} records of the demo were not taken`);
    } finally {
      await desk.close();
    }
  } finally {
    await database.close();
  }
}

/** The hosts that let slices, with what they sign with. */
async function readHosts(folder: string) {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('local-slice-')).sort();
  return Promise.all(
    names.map(async (name) => {
      const own = join(folder, name, 'agent');
      const { node_id: nodeId } = JSON.parse(await readFile(join(own, 'identity.json'), 'utf8')) as { node_id: string };
      return { nodeId, sign: makeResultSigner(await readFile(join(own, 'result.key'), 'utf8')) };
    }),
  );
}

/** Ids sort by birth, and so do lists: a run of last week has an id of last week. */
const idOf = (atMs: number): string => clockIds({ ...systemClock, now: () => new Date(atMs) }).next();
