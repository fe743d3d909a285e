import { routes } from '@gpuaas/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { makeLog } from '../../src/kernel/telemetry/log.ts';
import { openWorld, type Tenant, type World } from '../../src/testing/world.ts';
import { type Example, exampleOf } from '../routes/examples.ts';
import { bytesKeptEach } from './memory.ts';
import { expectPromised, operationOf } from './promises.ts';
import { type HostileRequest, hostileRequests, type Known, mostBytesKept, plantedSecrets } from './requests.ts';

/**
 * Requests that nobody in good faith would send, thousands of them, against the whole api over a real database. The seed
 * is printed with a failure, and `GPUAAS_HOSTILE_SEED` plays it again; `GPUAAS_HOSTILE_REQUESTS` asks for more of them, as `.ci/run` does.
 * They come a few at once: the api is then busy while the database is.
 */
const atOnce = 8;
const requests = Number(process.env['GPUAAS_HOSTILE_REQUESTS'] ?? 5_000);
const warmUp = 2_000;
const seed = Number(process.env['GPUAAS_HOSTILE_SEED'] ?? Date.now() % 2 ** 31);

let world: World;
let home: Tenant;
let foreign: Tenant;
let known: Known;
const tokens: Partial<Record<HostileRequest['who'], string>> = {};
/** Lines of the log that hold a secret or tell of a failure. The others are not kept: their memory would count. */
const badLines: string[] = [];
let lines = 0;
const read = (line: string) => {
  lines += 1;
  const isBad = plantedSecrets.some((secret) => line.includes(secret)) || /"level":"(?:error|fatal)"/.test(line);
  if (isBad) badLines.push(line);
};

beforeAll(async () => {
  world = await openWorld({ log: makeLog('test', 'debug', { write: read }) });
  home = await world.found('home');
  foreign = await world.found('foreign');
  tokens.owner = home.token;
  tokens.viewer = await world.join('viewer', home, 'viewer');
  tokens.operator = await world.operator();
  tokens.service = await world.token(home.subject, { principal_type: 'service_account' });
  tokens.garbage = 'not.a.token';
  const examples: Record<string, Example[]> = {};
  for (const route of routes) {
    // Several of each, because a good request uses its example up.
    const made: Example[] = [];
    for (let n = 0; n < 4; n += 1) made.push(await exampleOf(route, world, home));
    examples[route.id] = made;
  }
  known = {
    ids: {
      organizationId: home.organizationId,
      projectId: home.projectId,
      foreignOrganizationId: foreign.organizationId,
      foreignProjectId: foreign.projectId,
    },
    examples,
  };
});
afterAll(() => world.close());

const send = ({ method, url, who, headers, body }: HostileRequest) =>
  world.call(method, url, {
    ...(tokens[who] && { as: tokens[who] }),
    headers,
    ...(body !== undefined && { body }),
  });

describe('whatever is sent', () => {
  it(
    `is answered as promised, ${requests} times (seed ${seed})`,
    async () => {
      const statuses = new Map<number, number>();
      const reached = new Set<string>();
      const sendOne = async (request: HostileRequest) => {
        const reply = await send(request);
        expectPromised(request.method, request.url, reply, plantedSecrets);
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        const operation = operationOf(request.method, request.url);
        if (operation) reached.add(operation.id);
      };
      const some = fc.array(hostileRequests(known), { minLength: atOnce, maxLength: atOnce });
      const sendMany = (count: number, from: number) =>
        fc.assert(
          fc.asyncProperty(some, async (batch) => void (await Promise.all(batch.map(sendOne)))),
          { numRuns: Math.ceil(count / atOnce), seed: from, endOnFailure: false },
        );
      // The first ones fill what is kept on purpose, which is bounded: caches, statements, compiled functions.
      await sendMany(warmUp, seed);
      const measured = requests - warmUp;
      const kept = await bytesKeptEach(measured, () => sendMany(measured, seed + 1));
      // What is filled late counts too, so that a short run has the allowance of the run in CI.
      const allowed = mostBytesKept * Math.max(1, 18_000 / measured);
      expect(kept, 'bytes in memory that each request left behind').toBeLessThan(allowed);
      // A generator that only ever knocks at the first door proves nothing about the house.
      expect([...reached].sort()).toEqual(routes.map(({ id }) => id).sort());
      for (const status of [200, 201, 202, 400, 401, 403, 404, 405, 409, 413, 415]) {
        expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(0);
      }
    },
    120_000 + requests * 20,
  );

  it('leaves an api that still answers, and prototypes as they were', async () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const reply = await world.call('POST', `/api/v1/organizations/${home.organizationId}/projects`, {
      as: home.token,
      key: systemIds.next(),
      body: { name: 'Still here', slug: 'still-here' },
    });
    expect(reply.status, reply.text).toBe(201);
  });

  it('leaves no planted secret in logs, audit rows, events or problem records', async () => {
    // A payload repeats what somebody chose as the name of their own thing; all around it is ours to keep clean.
    const { rows } = await world.root.query(
      `select coalesce(json_agg(a), '[]')::text as audit,
         (select coalesce(json_agg(to_jsonb(e) #- '{envelope,payload}'), '[]')::text from outbox_events e) as events
       from audit_logs a`,
    );
    expect(lines).toBeGreaterThan(0);
    const kept = { log: badLines.join(''), ...(rows[0] as { audit: string; events: string }) };
    expect(kept.audit).toContain('authz.deny');
    for (const [place, text] of Object.entries(kept)) {
      for (const secret of plantedSecrets) expect(text.includes(secret), `${place} holds ${secret}`).toBe(false);
    }
  });

  it('leaves nothing in the log that calls itself a failure of ours', () => {
    expect(badLines).toEqual([]);
  });
});
