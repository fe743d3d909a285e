import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { openTestSchema } from '../../src/testing/schema.ts';
import { type DatabaseGate, openDatabaseGate } from '../../src/testing/servers/database-gate.ts';
import { type Child, type ChildName, type Installation, openInstallation } from './children.ts';

/**
 * PostgreSQL goes away while everything runs: everybody is cut off, and whoever comes is told that there are too many
 * clients. Processes ask again at a pace that a server survives, hold no more sockets than before, say 503, go on by
 * themselves when it is back, and end on SIGTERM also while it is away.
 */
const names: readonly ChildName[] = [
  'api',
  'provisioning-worker',
  'email-worker',
  'billing-worker',
  'notification-relay',
  'webhook-worker',
  'outbox-relay',
];
const awayMs = 6_000;

let gate: DatabaseGate;
let installation: Installation;
const children = new Map<ChildName, Child>();
let token: string;

beforeAll(async () => {
  const schema = await openTestSchema();
  gate = await openDatabaseGate(schema.url);
  const env = {
    GPUAAS_SECRETS_KEY: randomBytes(32).toString('base64'),
    GPUAAS_PUBLIC_URL: 'https://gpuaas.test',
    GPUAAS_SHUTDOWN_SECONDS: '5',
    GPUAAS_REQUESTS_PER_MINUTE: '100000',
  };
  installation = await openInstallation(env, gate.through, schema);
  for (const name of names) children.set(name, await installation.start(name));
  token = await installation.token('owner');
}, 120_000);
afterAll(async () => {
  await installation?.close();
  await gate?.close();
});

const descriptors = async (child: Child) => (await readdir(`/proc/${child.pid}/fd`)).length;
const make = (slug: string, key: string) =>
  installation.call('POST', '/api/v1/organizations', { as: token, key, body: { name: slug, slug } });

describe('while PostgreSQL is away', () => {
  it('processes ask at a bounded pace, hold no more sockets, answer 503, and go on by themselves', async () => {
    expect(await make('before', systemIds.next())).toMatchObject({ status: 201 });
    const before = new Map<ChildName, number>();
    for (const [name, child] of children) before.set(name, await descriptors(child));
    gate.shut();
    const statuses = new Set<number | undefined>();
    const began = performance.now();
    const key = systemIds.next();
    let requests = 0;
    while (performance.now() - began < awayMs) {
      statuses.add((await make('meanwhile', key))?.status);
      requests += 1;
      await systemClock.sleep(100);
    }
    const seconds = (performance.now() - began) / 1_000;
    // A request may need a few connections; everything that asks by itself asks a few times a second at most.
    const allowed = requests * 4 + seconds * 12 * names.length;
    expect(gate.refused()).toBeLessThan(allowed);
    expect([...statuses]).toEqual([503]);
    for (const [name, child] of children) {
      expect(await descriptors(child), name).toBeLessThanOrEqual((before.get(name) ?? 0) + 20);
    }
    gate.open();
    await eventually(async () => (await make('meanwhile', key))?.status === 201);
    expect(await make('before', systemIds.next())).toMatchObject({ status: 409 });
    // The whole way works again: outbox, bus, consumer, saga.
    const organization = (await make('meanwhile', key))?.body;
    const project = await installation.call('POST', `/api/v1/organizations/${organization.id}/projects`, {
      ...{ as: token, key: systemIds.next(), body: { name: 'Doomed', slug: 'doomed' } },
    });
    const path = `/api/v1/projects/${project?.body.id}`;
    expect(await installation.call('DELETE', path, { as: token, key: systemIds.next() })).toMatchObject({
      status: 202,
    });
    await eventually(async () => {
      const seen = await installation.call('GET', path, { as: token });
      return seen?.status === 404 || seen?.body.state === 'deleted';
    });
  }, 120_000);

  it('every process ends on SIGTERM within its deadline', async () => {
    gate.shut();
    for (const child of children.values()) child.kill('SIGTERM');
    for (const [name, child] of children) {
      const { signal } = await child.ended;
      expect(signal, `${name}: ${child.output().slice(-500)}`).toBeNull();
    }
  }, 60_000);
});
