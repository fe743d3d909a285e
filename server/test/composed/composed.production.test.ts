import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenInvariants } from '../../../tools/chaos/invariants.ts';
import { makeCaller } from '../../src/bin/all/caller.ts';
import { processes } from '../../src/bin/processes.ts';
import { testManifest } from '../../src/domains/apps/testing.ts';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { mostConnections } from '../../src/ports/connections.ts';
import { connectClient } from '../../src/testing/terminal-peers.ts';
import type { AgentOrder } from '../chaos/agent-child.ts';
import { bringHost, openForBusiness } from '../chaos/capacity.ts';
import { startComposed } from './installation.ts';
import { type Servers, startServers } from './servers.ts';

/**
 * An installation as production runs it: PostgreSQL of the oldest promised version, NATS, Redis, Temporal, SMTP, S3 and
 * step-ca, two of each process, and two hosts. Allocations live and end, through both api processes, while one thing after the
 * other is killed, wiped or restarted; a terminal and an app are opened through both copies of their gateways. Nothing needs a hand, except that an operator has the events of a wiped bus sent again.
 */
const poolSize = 4;
const speed = 200;
const patience = 240_000;
const slice = { sku: 'h200-sxm-slice', region: 'local', gpus: 1 };
/** Containers run on hosts that are rented whole. */
const whole = { sku: 'h200-sxm-baremetal-8g', region: 'local', gpus: 8 };

let folder: string;
let servers: Servers;
let composed: Awaited<ReturnType<typeof startComposed>>;
let root: pg.Pool;
const agents: ChildProcess[] = [];
let [buyer, operator, project, organizationId] = ['', '', '', ''];
let mostSeen = 0;
const watching = new AbortController();
let turn = 0;
/** Answers to writes, by the api process that gave them. */
const answered = new Map<string, number>();

/** Through one api process and then the other, with one key, until there is an answer that is not about an outage. */
async function insist(method: string, path: string, token: string, body?: object | Buffer) {
  const key = systemIds.next();
  for (;;) {
    turn += 1;
    const url = composed.urls[turn % composed.urls.length];
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(method === 'GET' ? {} : { 'idempotency-key': key }),
          ...(project && { 'x-project-id': project }),
          ...(body && { 'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json' }),
        },
        ...(body && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
      const answer = (await response.json()) as any;
      if (response.status < 500 && answer.code !== 'idempotency_in_progress') {
        if (method !== 'GET') answered.set(`${url}`, (answered.get(`${url}`) ?? 0) + 1);
        return { status: response.status, answer };
      }
      expect(response.status, JSON.stringify(answer)).toBe(503);
    } catch (error) {
      if (error instanceof Error && error.name === 'AssertionError') throw error;
    }
    await systemClock.sleep(100);
  }
}

async function live(name: string): Promise<string> {
  const made = await insist('POST', '/api/v1/allocations', buyer, { ...slice, name });
  expect(made.status, JSON.stringify(made.answer)).toBe(201);
  const path = `/api/v1/allocations/${made.answer.id}`;
  const until = (...states: readonly string[]) =>
    eventually(async () => {
      const { answer } = await insist('GET', path, buyer);
      return states.includes(answer.state) ? (answer.state as string) : undefined;
    });
  if ((await until('active', 'failed')) === 'failed') return 'failed';
  expect((await insist('POST', `${path}/release`, buyer, {})).status).toBe(202);
  return (await until('released', 'failed')) ?? 'lost';
}
const underWay = async (name: string): Promise<boolean> => {
  const { rows } = await root.query(
    `select from allocations where name like $1 and state in ('requested', 'provisioning', 'active', 'releasing')`,
    [`${name}-%`],
  );
  return rows.length > 0;
};
/** Two allocations live and end, one after the other, from before the disaster until after it. */
const through = async (name: string, disaster: () => Promise<unknown>) => {
  let isOver = false;
  const lane = async (number: number) => {
    const ends: string[] = [];
    do ends.push(await live(`${name}-${number}-${ends.length}`));
    while (!isOver);
    return ends;
  };
  const lanes = Promise.all([lane(0), lane(1)]);
  await eventually(() => underWay(name));
  await disaster().finally(() => {
    isOver = true;
  });
  expect(new Set((await lanes).flat())).toEqual(new Set(['released']));
};

async function startAgent(seed: string, enrolment: NonNullable<AgentOrder['enrolment']>): Promise<void> {
  const own = join(folder, seed);
  await mkdir(own, { mode: 0o711 });
  const order: AgentOrder = { folder: own, url: composed.nodeUrl, speed, seed, enrolment };
  const agent = fork(join(import.meta.dirname, '../chaos/agent-child.ts'), [JSON.stringify(order)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  agents.push(agent);
  await new Promise((resolve) => agent.once('message', resolve));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-composed-'));
  // The accounts of shells pass through.
  await chmod(folder, 0o711);
  servers = await startServers(folder);
  composed = await startComposed(servers, folder, poolSize);
  const address = new URL(servers.postgres.url);
  address.pathname = '/gpuaas';
  // A pool: whoever looks on is cut off too when PostgreSQL is killed.
  root = new pg.Pool({ connectionString: address.href, application_name: 'test', max: 1 });
  root.on('error', () => undefined);
  operator = await composed.token('operator');
  const [url = ''] = composed.urls;
  const installation = { url, token: composed.token, schema: { url: address.href } };
  await openForBusiness(installation, root, (enrolment) => startAgent('chaos', enrolment));
  const call = makeCaller(url, async () => operator);
  await bringHost(call, { name: 'whole-1', sku: whole.sku }, (enrolment) => startAgent('whole', enrolment));
  buyer = await composed.token('buyer');
  const organization = await insist('POST', '/api/v1/organizations', buyer, { name: 'Composed', slug: 'composed' });
  organizationId = organization.answer.id;
  const own = await insist('POST', `/api/v1/organizations/${organizationId}/projects`, buyer, {
    ...{ name: 'Composed', slug: 'composed' },
  });
  project = own.answer.id;
  const watch = async () => {
    while (!watching.signal.aborted) {
      const { rows } = await root
        .query(
          `select count(*)::int as n from pg_stat_activity where datname = 'gpuaas' and application_name <> 'test'`,
        )
        .catch(() => ({ rows: [] as { n: number }[] }));
      mostSeen = Math.max(mostSeen, rows[0]?.n ?? 0);
      await systemClock.sleep(100, watching.signal).catch(() => undefined);
    }
  };
  watch().catch(() => undefined);
}, 15 * 60_000);
afterAll(async () => {
  watching.abort();
  for (const agent of agents) agent.kill('SIGKILL');
  await composed?.close();
  await root?.end().catch(() => undefined);
  await servers?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}, 120_000);

/** The answer of an app as one copy of the proxy passes it on; names of apps lead to it in production by DNS. */
const statusOf = (port: number, url: string, headers: Readonly<Record<string, string>>): Promise<number> => {
  const { host, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: pathname, headers: { host, ...headers } }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    asked.once('error', reject);
    asked.end();
  });
};
const memberOf = (name: string, copy: number) => {
  const found = composed.members.find((member) => member.name === name && member.copy === copy);
  if (!found) throw new Error(`there is no ${name} ${copy}`);
  return found;
};

describe('production, composed', () => {
  it('runs on the oldest PostgreSQL, and nothing of it lives in PostgreSQL that has a server of its own', async () => {
    expect(servers.database.describe()).toMatch(/^PostgreSQL 15\./);
    // Their schemas are made with their roles; an adapter that lived here would have made its tables.
    const { rows } = await root.query(`select schemaname || '.' || tablename as name from pg_tables where schemaname in
      ('bus', 'gpuaas_sagas', 'gpuaas_mail', 'gpuaas_pki', 'gpuaas_oidc', 'gpuaas_cache', 'gpuaas_payments')`);
    expect(rows).toEqual([]);
    const connected = await root.query(`select distinct application_name as name from pg_stat_activity
      where datname = 'gpuaas' and application_name !~ '^(test|gpuaas (listen|lease [a-z-]+|api|app-runtime-worker|billing-worker|email-worker|notification-relay|outbox-relay|provisioning-worker|webhook-worker))$'`);
    expect(connected.rows).toEqual([]);
  });

  it.each(processes.map(({ spec }) => spec))(
    'has no embedded adapter in any copy of $name, by what each reports of its ports',
    async ({ name, needs }) => {
      const isApi = name === 'api';
      const ports: string[] = [...needs, ...(isApi ? ['identity-provider'] : [])];
      ports.sort();
      for (const copy of [0, 1]) {
        const reported = await memberOf(name, copy).adapters();
        expect(reported.map(({ port }) => port).sort()).toEqual(ports);
        // Nothing takes payments here: an installation may do without.
        const kinds = reported.map(({ port, kind }) => (port === 'payments' ? `payments ${kind}` : kind));
        expect([...new Set(kinds)].sort()).toEqual(
          ports.length === 0 ? [] : ports.includes('payments') ? ['payments none', 'production'] : ['production'],
        );
      }
    },
  );

  it(
    'launches and releases through both api processes',
    async () => {
      answered.clear();
      await through('calm', async () => undefined);
      expect([...answered.keys()].sort()).toEqual([...composed.urls].sort());
    },
    patience,
  );

  it(
    'sends mail by SMTP and keeps objects in S3',
    async () => {
      const invited = await insist('POST', `/api/v1/organizations/${organizationId}/invitations`, buyer, {
        ...{ email: 'colleague@example.test', role: 'member' },
      });
      expect(invited.status, JSON.stringify(invited.answer)).toBe(201);
      await eventually(async () => servers.smtp.delivered.find(({ to }) => to === 'colleague@example.test'));
      const bundle = Buffer.from('#!/usr/bin/env node\n');
      const digest = `sha256:${createHash('sha256').update(bundle).digest('hex')}`;
      const declared = `version=9.9.9&digest=${digest}&size_bytes=${bundle.length}`;
      const added = await insist('POST', `/api/v1/admin/agent-releases?${declared}`, operator, bundle);
      expect(added.status, JSON.stringify(added.answer)).toBe(201);
      const keys = await servers.s3.list('gpuaas');
      expect(keys.filter((key) => key.includes(digest.slice('sha256:'.length)))).toHaveLength(1);
    },
    patience,
  );

  it.each(processes.map(({ spec }) => spec.name))(
    'goes on while %s is killed, one copy after the other',
    async (name) => {
      await through(name, async () => {
        await memberOf(name, 0).kill();
        await memberOf(name, 1).kill();
      });
    },
    patience,
  );

  it(
    'opens terminals through each copy of the gateway, and again after both were killed',
    async () => {
      const made = await insist('POST', '/api/v1/allocations', buyer, { ...slice, name: 'shell' });
      const path = `/api/v1/allocations/${made.answer.id}`;
      await eventually(async () => (await insist('GET', path, buyer)).answer.state === 'active');
      const open = async (port: number) => {
        const asked = { mode: 'open', columns: 80, rows: 24 };
        const { status, answer } = await insist('POST', `${path}/terminal-token`, buyer, asked);
        expect(status, JSON.stringify(answer)).toBeLessThan(300);
        const client = connectClient(port, { allocationId: made.answer.id }, answer.token);
        const refused = client.closed.then(({ code, reason }) => {
          throw new Error(`the terminal was closed before it was ready: ${code} ${reason}`);
        });
        refused.catch(() => undefined);
        await Promise.race([eventually(async () => client.frames.some(({ type }) => type === 'ready')), refused]);
        client.type('echo sum=$((40+2))\r');
        await eventually(async () => client.received.toString('latin1').includes('sum=42'));
        client.socket.close();
      };
      for (const port of composed.terminalPorts) await open(port);
      await memberOf('terminal-gateway', 0).kill();
      await memberOf('terminal-gateway', 1).kill();
      for (const port of composed.terminalPorts) await open(port);
      expect((await insist('POST', `${path}/release`, buyer, {})).status).toBe(202);
      await eventually(async () => (await insist('GET', path, buyer)).answer.state === 'released');
    },
    patience,
  );

  it(
    'launches an app and answers for it through each copy of the proxy, and again after its processes were killed',
    async () => {
      const app = await insist('POST', `/api/v1/projects/${project}/apps`, buyer, { slug: 'echo', name: 'Echo' });
      expect(app.status, JSON.stringify(app.answer)).toBe(201);
      const versions = `/api/v1/apps/${app.answer.id}/versions`;
      const published = await insist('POST', versions, buyer, { manifest: testManifest() });
      expect(published.status, JSON.stringify(published.answer)).toBe(201);
      const run = async () => {
        const wanted = { app: app.answer.reference, parameters: { greeting: 'Hi' }, allocation: whole };
        const made = await insist('POST', '/api/v1/app-instances', buyer, wanted);
        expect(made.status, JSON.stringify(made.answer)).toBe(201);
        const path = `/api/v1/app-instances/${made.answer.id}`;
        await eventually(async () => (await insist('GET', path, buyer)).answer.state === 'running');
        return { path, allocation: `/api/v1/allocations/${made.answer.allocation_id}` };
      };
      const answerThroughEach = async (path: string) => {
        const { routes } = (await insist('GET', path, buyer)).answer;
        const url: string = routes.find(({ family }: { family: string }) => family === 'api').url;
        for (const port of composed.appPorts) {
          const headers = { authorization: `Bearer ${buyer}` };
          await eventually(async () => (await statusOf(port, `${url}/v1/models`, headers)) === 200);
          expect(await statusOf(port, `${url}/v1/models`, {})).toBe(401);
        }
      };
      const end = async ({ path, allocation }: Awaited<ReturnType<typeof run>>) => {
        expect((await insist('POST', `${path}/release`, buyer, {})).status).toBeLessThan(300);
        await eventually(async () => (await insist('GET', allocation, buyer)).answer.state === 'released');
      };
      const before = await run();
      await answerThroughEach(before.path);
      for (const name of ['app-proxy', 'app-runtime-worker']) {
        for (const copy of [0, 1]) await memberOf(name, copy).kill();
      }
      await answerThroughEach(before.path);
      await end(before);
      const after = await run();
      await answerThroughEach(after.path);
      await end(after);
    },
    patience,
  );

  it(
    'keeps the logs of the host, also when both copies of their gateway were killed',
    async () => {
      const linesSince = async (since: Date) =>
        (await root.query(`select from node_log_lines where stream = 'agent' and at > $1`, [since])).rows.length > 0;
      await eventually(() => linesSince(new Date(0)));
      await memberOf('node-log-gateway', 0).kill();
      await memberOf('node-log-gateway', 1).kill();
      const killed = new Date();
      await through('logs', async () => undefined);
      await eventually(() => linesSince(killed));
    },
    patience,
  );

  it(
    'goes on after PostgreSQL was killed and started again',
    async () => {
      await through('postgres', async () => {
        await servers.postgres.kill();
        await systemClock.sleep(3_000);
        await servers.postgres.start();
      });
    },
    patience,
  );

  it(
    'goes on after Redis was emptied, and after Temporal was restarted',
    async () => {
      await through('redis', async () => {
        await servers.redis.kill();
        await servers.redis.start();
      });
      await through('temporal', async () => {
        await servers.temporal.kill();
        await servers.temporal.start();
      });
    },
    patience,
  );

  it(
    'goes on after NATS lost everything, once an operator has had the events sent again',
    async () => {
      await through('nats', async () => {
        await servers.nats.kill();
        await servers.nats.wipe();
        await servers.nats.start();
        const answer = await insist('POST', '/api/v1/admin/outbox/rewind', operator, {
          reason: 'the bus lost everything',
        });
        expect(answer.status, JSON.stringify(answer.answer)).toBeLessThan(300);
      });
    },
    patience,
  );

  it(
    'leaves nothing behind, and held no more connections than documented',
    async () => {
      const ask = async (text: string) => (await root.query(text)).rows as object[];
      await eventually(async () => (await ask(`select id from slots where state <> 'available'`)).length === 0);
      expect(await ask(`select id from node_tasks where state in ('queued', 'dispatched')`)).toEqual([]);
      expect(await ask('select * from dead_letters')).toEqual([]);
      // After the rewind the relay sends the whole history again; how far it is it notes from time to time.
      await eventually(async () => (await brokenInvariants(ask)).every(({ name }) => !name.startsWith('I8 ')));
      expect(await brokenInvariants(ask)).toEqual([]);
      const elsewhere = [
        'bus',
        'cache',
        'sagas',
        'certificates',
        'mail',
        'objects',
        'payments',
        'identity-provider',
      ] as const;
      const bound = processes
        .map(({ spec }) => mostConnections(spec, { poolSize, elsewhere: new Set(elsewhere) }))
        // Two of each, and one more for each that is starting.
        .reduce((sum, each) => sum + 2 * each, 1);
      expect(mostSeen).toBeGreaterThan(processes.length);
      expect(mostSeen).toBeLessThanOrEqual(bound);
    },
    patience,
  );
});
