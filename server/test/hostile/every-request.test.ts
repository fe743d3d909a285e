import { routes } from '@gpuaas/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { openWorld, type Tenant, type World } from '../../src/testing/world.ts';
import { type Example, exampleOf } from '../routes/examples.ts';
import { expectPromised, operationOf } from './promises.ts';
import { type HostileRequest, hostileRequests, type Known, plantedSecrets } from './requests.ts';

/**
 * Requests that nobody in good faith would send, thousands of them, against the whole api over a real database. The seed
 * is printed with a failure, and `GPUAAS_HOSTILE_SEED` plays it again; `GPUAAS_HOSTILE_REQUESTS` asks for more of them.
 */
const requests = Number(process.env['GPUAAS_HOSTILE_REQUESTS'] ?? 6_000);
const seed = Number(process.env['GPUAAS_HOSTILE_SEED'] ?? Date.now() % 2 ** 31);

let world: World;
let home: Tenant;
let foreign: Tenant;
let known: Known;
const tokens: Partial<Record<HostileRequest['who'], string>> = {};
const lines: string[] = [];

beforeAll(async () => {
  world = await openWorld({ log: makeLog('test', 'debug', { write: (line) => void lines.push(line) }) });
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
    for (let n = 0; n < 6; n += 1) made.push(await exampleOf(route, world, home));
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
      await fc.assert(
        fc.asyncProperty(hostileRequests(known), async (request) => {
          const reply = await send(request);
          expectPromised(request.method, request.url, reply, plantedSecrets);
          statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
          const operation = operationOf(request.method, request.url);
          if (operation) reached.add(operation.id);
        }),
        { numRuns: requests, seed, endOnFailure: false },
      );
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
    const kept = { log: lines.join(''), ...(rows[0] as { audit: string; events: string }) };
    expect(kept.audit).toContain('authz.deny');
    for (const [place, text] of Object.entries(kept)) {
      for (const secret of plantedSecrets) expect(text.includes(secret), `${place} holds ${secret}`).toBe(false);
    }
  });

  it('leaves nothing in the log that calls itself a failure of ours', () => {
    const failures = lines.filter((line) => ['error', 'fatal'].includes(JSON.parse(line).level));
    expect(failures).toEqual([]);
  });
});
