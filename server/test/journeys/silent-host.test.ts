import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCaller } from '../../src/bin/all/caller.ts';
import { makeAccrue } from '../../src/domains/billing/accrual.ts';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { actsOf } from '../../src/kernel/act.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { silentLog } from '../../src/kernel/telemetry/log.ts';
import type { DatabasePort } from '../../src/ports/database/port.ts';
import { openPostgres } from '../../src/ports/database/postgres.ts';
import type { AgentOrder } from '../chaos/agent-child.ts';
import { openForBusiness } from '../chaos/capacity.ts';
import { type Child, freePort, type Installation, openInstallation } from '../chaos/children.ts';

/**
 * A host whose agent is stopped while a tenant rents there. Processes are the real ones; charging is done by the code of the
 * billing-worker, when the test says so, so that "not charged" needs no waiting.
 */
const patience = 240_000;
const lookEveryMs = 200;
const windowSeconds = 3;
let folder: string;
let installation: Installation;
let root: pg.Pool;
let billing: DatabasePort;
let agent: Child;
let order: AgentOrder;
let tenant: { readonly token: string; readonly project: string };

const operator = async (method: string, path: string, body: object) => {
  const token = await installation.token('operator');
  return makeCaller(installation.url, async () => token)(method, path, body);
};
const startAgent = async (enrolment?: AgentOrder['enrolment']) => {
  agent = await installation.fork('agent-child.ts', JSON.stringify({ ...order, ...(enrolment && { enrolment }) }));
};
const stopAgent = async () => {
  agent.kill('SIGKILL');
  await agent.ended;
};
const policy = (key: string, value: number) =>
  operator('PUT', `/api/v1/admin/policies/${key}`, { level: 'global', value, reason: 'a journey' });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-silence-'));
  const nodePort = await freePort();
  installation = await openInstallation({
    GPUAAS_SECRETS_KEY: randomBytes(32).toString('base64'),
    GPUAAS_NODE_PORT: String(nodePort),
    GPUAAS_REQUESTS_PER_MINUTE: '100000',
  });
  root = new pg.Pool({ connectionString: installation.schema.url, max: 2 });
  billing = await openPostgres({
    ...{ url: installation.schema.as('gpuaas_billing'), clock: systemClock, ids: systemIds, log: silentLog },
    ...{ name: 'billing', poolSize: 2 },
  });
  order = {
    ...{ folder, url: `https://127.0.0.1:${nodePort}`, speed: 200, usageEveryMs: 500 },
    // The process is stopped and started, the machine under it is not.
    bootId: systemIds.next(),
  };
  for (const name of ['api', 'outbox-relay', 'provisioning-worker'] as const) await installation.start(name);
  // A host reports every second, so that it is missed after five.
  await openForBusiness(installation, root, startAgent);
  await policy('node.lost_after_seconds', 5);
  const token = await installation.token('buyer');
  const buyer = makeCaller(installation.url, async () => token);
  const { id } = (await buyer('POST', '/api/v1/organizations', { name: 'Silence', slug: 'silence' })) as { id: string };
  const made = await buyer('POST', `/api/v1/organizations/${id}/projects`, { name: 'Silence', slug: 'silence' });
  tenant = { token, project: (made as { id: string }).id };
}, patience);
afterAll(async () => {
  await billing?.close();
  await root?.end();
  await installation?.close();
  if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}, patience);

const call = async (method: string, path: string, body?: object) => {
  const answer = await installation.call(method, `/api/v1/${path}`, {
    ...{ as: tenant.token, project: tenant.project },
    ...(body && { key: systemIds.next(), body }),
  });
  if (!answer || answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer.body;
};
const get = (id: string) => call('GET', `allocations/${id}`);
const until = <T>(work: () => Promise<T | undefined | false>): Promise<T> =>
  eventually(async () => {
    await systemClock.sleep(lookEveryMs);
    return work();
  }) as Promise<T>;
const untilShown = (id: string, fits: (it: { state: string; reachable: boolean }) => boolean) =>
  until(async () => {
    const it = await get(id);
    return fits(it) ? it : undefined;
  });
const launch = async (name: string) => {
  const { id } = await call('POST', 'allocations', { sku: 'h200-sxm-slice', region: 'local', gpus: 1, name });
  await untilShown(id, ({ state }) => state === 'active');
  return id as string;
};
/** Charges all that is due, as the billing-worker does. */
const charge = async () => {
  const accrue = makeAccrue({ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds });
  while (await accrue(windowSeconds));
};
const billOf = async (id: string) => {
  const { rows } = await root.query(
    `select (select count(*)::int from usage_windows where resource_id = $1) as windows,
       (select max(to_at) from usage_windows where resource_id = $1) as charged_to,
       m.evidence_to, extract(epoch from now() - m.evidence_to)::float8 as silent_seconds
     from usage_meters m where m.resource_id = $1`,
    [id],
  );
  return rows[0] as { windows: number; charged_to: Date | null; evidence_to: Date; silent_seconds: number } | undefined;
};
const untilCharged = (id: string, beyond: Date | undefined) =>
  until(async () => {
    await charge();
    const bill = await billOf(id);
    return bill?.charged_to && (!beyond || bill.charged_to > beyond) ? bill : undefined;
  });

describe('a host that falls silent', () => {
  it(
    'ends nothing and charges nothing that it did not prove; what it kept is charged when it returns',
    async () => {
      const id = await launch('goes on');
      const before = await get(id);
      expect(before).toMatchObject({ reachable: true, concerns: [] });
      await untilCharged(id, undefined);

      await stopAgent();
      const silent = await untilShown(id, ({ reachable }) => !reachable);
      expect(silent).toMatchObject({ state: 'active', ended_at: null, expires_at: null });
      expect(silent.concerns).toMatchObject([
        { kind: 'unreachable', message: expect.stringContaining('does not answer') },
      ]);
      // Silent for longer than a window: there is a window that nobody has proven.
      const unproven = await until(async () => {
        const bill = await billOf(id);
        return bill && bill.silent_seconds > 2 * windowSeconds ? bill : undefined;
      });
      await charge();
      const meanwhile = await billOf(id);
      expect(meanwhile?.evidence_to).toEqual(unproven.evidence_to);
      expect(meanwhile?.charged_to?.getTime()).toBeLessThanOrEqual(unproven.evidence_to.getTime());
      expect(await get(id)).toMatchObject({ state: 'active', reachable: false });

      await startAgent();
      const returned = await untilShown(id, ({ reachable }) => reachable);
      expect(returned).toMatchObject({ id, state: 'active', concerns: [], active_at: before.active_at });
      // The same machine: the same way in, the same lease, and no second launch.
      expect(returned.access).toEqual(before.access);
      const { rows: held } = await root.query(
        `select a.generation::int, a.attempt, r.leases -> 0 ->> 'allocation_id' as on_host,
           (r.leases -> 0 ->> 'generation')::int as on_host_generation
         from allocations a join node_reports r on r.node_id = a.node_id where a.id = $1`,
        [id],
      );
      expect(held).toEqual([{ generation: 1, attempt: 1, on_host: id, on_host_generation: 1 }]);

      // The machine ran all the while, and its host says so now: what was silent is charged late, without a gap.
      const stopped = unproven.evidence_to;
      await untilCharged(id, new Date(stopped.getTime() + 2 * windowSeconds * 1_000));
      const { rows: gaps } = await root.query(
        `select from_at, before from (select from_at, lag(to_at) over (order by from_at) as before from usage_windows
           where resource_id = $1) w where before is not null and from_at <> before`,
        [id],
      );
      expect(gaps).toEqual([]);
      await call('POST', `allocations/${id}/release`, {});
      await untilShown(id, ({ state }) => state === 'released');
    },
    patience,
  );

  it(
    'fails what it holds after a time where an operator has asked for that, and its GPUs come back clean',
    async () => {
      const id = await launch('is given up');
      await policy('allocation.node_lost_seconds', 1);
      await stopAgent();
      const failed = await untilShown(id, ({ state }) => state !== 'active');
      expect(failed).toMatchObject({ state: 'failed', failure: { code: 'node_lost' } });
      await startAgent();
      await until(async () => {
        const { rows } = await root.query(`select count(*)::int as n from slots where state = 'available'`);
        return rows[0].n === 8;
      });
    },
    patience,
  );
});
