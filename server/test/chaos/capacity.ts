import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Mode, Victim } from '../../../tools/chaos/cells.ts';
import { type Call, makeCaller } from '../../src/bin/all/caller.ts';
import { onboardFleet } from '../../src/bin/all/simulated/onboarding.ts';
import type { LocalFleet } from '../../src/bin/all/simulated/simulated-fleet.ts';
import { makeIdentities } from '../../src/domains/identity/index.ts';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { actsOf } from '../../src/kernel/act.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { silentLog } from '../../src/kernel/telemetry/log.ts';
import { openPostgres } from '../../src/ports/database/postgres.ts';
import { openTestServer } from '../../src/testing/postgres.ts';
import { openTestSchema } from '../../src/testing/schema.ts';
import type { AgentOrder } from './agent-child.ts';
import { type Child, freePort, type Installation, openInstallation } from './children.ts';

/** An installation that sells GPUs, all of it in processes that can be killed, with one host and somebody who buys. */
export interface Capacity {
  /** Reads the tables over all walls; asks again while PostgreSQL is away. */
  look(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
  /** Asks for a GPU, has it, gives it back; through whatever happens meanwhile. Answers how it ended. */
  live(name: string): Promise<'released' | 'failed'>;
  /** Resolves when the process has died at the place and stands again. */
  killAt(victim: Victim, place: string): Promise<void>;
  /** What a process said last, for whoever wonders why. */
  output(victim: Process): string;
  close(): Promise<void>;
}

type Process = Exclude<Victim, 'postgres'>;

const slice = { sku: 'h200-sxm-slice', region: 'local', gpus: 1 };
/** Slow enough for phases that are worth a word. */
const speed = 200;
const againMs = 100;
/** A process that cannot start gets this many attempts, with this much time between them. */
const mostStarts = 20;
const restartMs = 500;
/** Nobody notices a lost hand-out sooner than this, and the matrix waits for it in every cell that loses one. */
const policies = {
  ...{ 'node.task_redispatch_seconds': 2, 'node.heartbeat_seconds': 1 },
  // The buyers of these installations have no money.
  'billing.enforce_balance': false,
};

export async function openCapacity(mode: Mode): Promise<Capacity> {
  // Through sagas the short cut is closed, and stays so when a place to die at is armed.
  const shortCuts = mode === 'usual' ? [] : ['life.ahead=skip'];
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-capacity-'));
  const nodePort = await freePort();
  const compiled = await compileOnce(join(folder, 'compiled'));
  const env = {
    NODE_COMPILE_CACHE: compiled,
    GPUAAS_SECRETS_KEY: randomBytes(32).toString('base64'),
    GPUAAS_NODE_PORT: String(nodePort),
    GPUAAS_REQUESTS_PER_MINUTE: '100000',
  };
  // A server of its own, because it is killed.
  const database = await openTestServer();
  const installation = await openInstallation(env, undefined, await openTestSchema(database));
  // A pool: whoever looks on is cut off too when PostgreSQL is killed.
  const root = new pg.Pool({ connectionString: installation.schema.url, max: 4 });
  root.on('error', () => undefined);
  const look = (text: string, values: readonly unknown[] = []) =>
    eventually(() => root.query(text, [...values]).catch(() => undefined));
  const agentOrder: AgentOrder = { folder, url: `https://127.0.0.1:${nodePort}`, speed };
  const children = new Map<Process, Child>();
  const startAs = (victim: Process): Promise<Child> =>
    victim === 'agent'
      ? installation.fork('agent-child.ts', JSON.stringify(agentOrder))
      : installation.start(victim, shortCuts[0] ?? 'none');
  /** As a supervisor does it: a process that ends while it starts, because the database is away, is started again. */
  const startAgain = async (victim: Process): Promise<Child> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await startAs(victim);
      } catch (fault) {
        if (attempt === mostStarts) throw fault;
        await systemClock.sleep(restartMs);
      }
    }
  };
  const childOf = (victim: Process): Child => {
    const child = children.get(victim);
    if (!child) throw new Error(`${victim} does not run`);
    return child;
  };

  for (const victim of ['api', 'outbox-relay', 'provisioning-worker'] as const) {
    children.set(victim, await startAs(victim));
  }
  await openForBusiness(installation, root, async (enrolment) => {
    const order: AgentOrder = { ...agentOrder, enrolment };
    children.set('agent', await installation.fork('agent-child.ts', JSON.stringify(order)));
  });
  const token = await installation.token('buyer');
  const buyer = makeCaller(installation.url, async () => token);
  const { id: organizationId } = (await buyer('POST', '/api/v1/organizations', {
    ...{ name: 'Chaos', slug: 'chaos' },
  })) as { id: string };
  const { id: project } = (await buyer('POST', `/api/v1/organizations/${organizationId}/projects`, {
    ...{ name: 'Chaos', slug: 'chaos' },
  })) as { id: string };

  /** With one key until there is an answer. What is refused because it was done before is done. */
  const insist = async (path: string, body: object) => {
    const key = systemIds.next();
    for (;;) {
      const answer = await installation.call('POST', path, { as: token, key, project, body });
      if (answer && answer.status < 500 && answer.body.code !== 'idempotency_in_progress') return answer;
      await systemClock.sleep(againMs);
    }
  };
  const stateOf = async (id: string) =>
    (await look('select state from allocations where id = $1', [id])).rows[0]?.state ?? 'gone';
  const sagasOf = async (id: string): Promise<{ readonly begun: number; readonly open: number }> =>
    (
      await look(
        `select count(*)::int as begun, count(*) filter (where state = 'open')::int as open from gpuaas_sagas.runs
         where name like 'allocation.%/' || $1 || '.%'`,
        [id],
      )
    ).rows[0];
  /** Events of the allocation that the relay has not published, or the worker has not consumed. */
  const eventsLeft = async (id: string): Promise<number> =>
    (
      await look(
        `select (select count(*) from outbox_events e left join relay_watermarks m on true where e.key = $1
             and (m.position is null or (e.transaction_id >= m.transaction_from
               and not (e.transaction_id < m.transaction_to and e.position <= m.position))))::int
           + (select count(*) from bus.job where name = 'provisioning-worker' and singleton_key = $1
               and state < 'completed')::int as left_over`,
        [id],
      )
    ).rows[0].left_over;
  const until = (id: string, ...states: readonly string[]) =>
    eventually(async () => {
      const state = await stateOf(id);
      return states.includes(state) ? state : undefined;
    });

  return {
    look,
    async live(name) {
      const made = await insist('/api/v1/allocations', { ...slice, name });
      if (made.status !== 201) throw new Error(`${name} was refused: ${JSON.stringify(made.body)}`);
      const id = made.body.id as string;
      if ((await until(id, 'active', 'failed')) === 'failed') return 'failed';
      const left = await insist(`/api/v1/allocations/${id}/release`, {});
      if (left.status !== 202) throw new Error(`${name} could not be given back: ${JSON.stringify(left.body)}`);
      await until(id, 'released');
      // Its sagas come behind, and are a part of its life: one makes it and one ends it where all goes through sagas; as
      // usual there is one only where a death made something late. So are its events, which relay and worker pass on.
      await eventually(async () => {
        const { begun, open } = await sagasOf(id);
        return open === 0 && (mode === 'usual' || begun === 2) && (await eventsLeft(id)) === 0;
      });
      return 'released';
    },
    async killAt(victim, place) {
      if (victim === 'postgres') {
        const state = place.split('@')[1];
        const text = `select count(*)::int as moves from allocation_timeline where kind = 'transition' and to_state = $1`;
        const moves = async () => (await look(text, [state])).rows[0]?.moves as number;
        const before = await moves();
        await eventually(async () => (await moves()) > before);
        database.kill();
        // Whoever looks now waits until it answers again.
        await look('select 1');
        return;
      }
      const child = childOf(victim);
      // An agent knows no short cuts, and refuses an order with a part that it does not know.
      await child.arm([`${place}=kill`, ...(victim === 'agent' ? [] : shortCuts)].join(','));
      const { signal, code } = await child.ended;
      if (signal !== 'SIGKILL') throw new Error(`${victim} ended with ${signal ?? code}: ${child.output()}`);
      children.set(victim, await startAgain(victim));
    },
    output: (victim) => childOf(victim).output(),
    async close() {
      await root.end();
      await installation.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * Processes start dozens of times here, and half of what a start costs is reading the same files. Who is killed leaves no
 * cache behind, so each program is started once with no settings, at which it ends by itself.
 */
async function compileOnce(folder: string): Promise<string> {
  const programs = [
    ...['api', 'outbox-relay', 'provisioning-worker'].map((name) => join('../../src/bin', name, 'main.ts')),
    'agent-child.ts',
  ];
  for (const program of programs) {
    const path = join(import.meta.dirname, program);
    await new Promise<void>((resolve) =>
      execFile(process.execPath, [path], { env: { NODE_COMPILE_CACHE: folder } }, () => resolve()),
    );
  }
  return folder;
}

/** What operators do on the first day: a catalog, one host in service, and settings for an impatient installation. */
export async function openForBusiness(
  installation: Pick<Installation, 'url' | 'token'> & { readonly schema: { readonly url: string } },
  root: Pick<pg.Client, 'query'>,
  startAgent: (enrolment: NonNullable<AgentOrder['enrolment']>) => Promise<void>,
): Promise<void> {
  const token = await installation.token('operator');
  const database = await openPostgres({
    ...{ url: installation.schema.url, clock: systemClock, ids: systemIds, log: silentLog, name: 'chaos', poolSize: 2 },
  });
  try {
    const begin = actsOf('start', systemIds);
    const identities = makeIdentities({ db: database.database, begin, ids: systemIds, clock: systemClock });
    const known = { issuer: 'https://issuer.test', subject: 'operator', kind: 'user' } as const;
    const { id } = await identities.recognise(known, systemIds.next());
    await identities.bindPlatformRole(id, 'platform_superadmin', systemIds.next());
  } finally {
    await database.close();
  }
  const operator = makeCaller(installation.url, async () => token);
  await operator('POST', '/api/v1/admin/catalog/defaults', { reason: 'something to sell' });
  for (const [key, value] of Object.entries(policies)) {
    await operator('PUT', `/api/v1/admin/policies/${key}`, { level: 'global', value, reason: 'nobody waits' });
  }
  await bringHost(operator, { name: 'chaos-1', sku: slice.sku }, startAgent);
  const { rows } = await root.query(`select from slots where state = 'available'`);
  if (rows.length !== 8) throw new Error(`the host has ${rows.length} slots to sell`);
}

/** A simulated host as operators bring one into service: enrolled, looked at, its slots approved, published. */
export async function bringHost(
  call: Call,
  { name, sku }: { readonly name: string; readonly sku: string },
  startAgent: (enrolment: NonNullable<AgentOrder['enrolment']>) => Promise<void>,
): Promise<void> {
  let isStarted = false;
  const member = {
    plan: { name, region: slice.region, sku, model: 'H200' },
    isEnrolled: () => isStarted,
    agent: () => isStarted,
    async startAgent(enrolment: NonNullable<AgentOrder['enrolment']>) {
      await startAgent(enrolment);
      isStarted = true;
    },
  };
  await onboardFleet({
    fleet: { members: [member] } as unknown as LocalFleet,
    ...{ call, log: silentLog, signal: new AbortController().signal, answerWithinMs: 20_000 },
  });
}
