import { events } from '@gpuaas/contract';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { type Family, openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { families } from './roles.ts';

/** What a thief with the login of a process could try at the end of a write, and what the database says to it. */
let schema: TestSchema;
const clients = new Map<Family, Client>();
const thieves = families.filter((family) => family !== 'gpuaas_api');
const own = {
  gpuaas_api: 'identity',
  gpuaas_worker: 'nodes',
  gpuaas_relay: 'outbox-relay',
  gpuaas_mailer: 'email-worker',
  gpuaas_billing: 'billing-worker',
  gpuaas_notifier: 'notification-relay',
  gpuaas_webhooks: 'webhook-worker',
} as const;
/** Which processes use the login of a family. */
const programs: Readonly<Record<Family, readonly string[]>> = {
  gpuaas_api: ['api'],
  gpuaas_worker: ['provisioning-worker', 'app-runtime-worker'],
  gpuaas_relay: ['outbox-relay'],
  gpuaas_mailer: ['email-worker'],
  gpuaas_billing: ['billing-worker'],
  gpuaas_notifier: ['notification-relay'],
  gpuaas_webhooks: ['webhook-worker'],
};
/** Families that came after the function of the release before. */
const came: ReadonlySet<Family> = new Set(['gpuaas_notifier', 'gpuaas_webhooks']);
const person = '01900000-0000-7000-8000-00000000ada0';

beforeAll(async () => {
  schema = await openTestSchema();
  for (const family of families) {
    const client = new Client({ connectionString: schema.as(family) });
    await client.connect();
    clients.set(family, client);
  }
});
afterAll(async () => {
  for (const client of clients.values()) await client.end();
  await schema?.close();
});

interface Attempt {
  readonly actor?: string;
  readonly kind?: string;
  readonly role?: string;
  readonly subject?: string;
  readonly envelope?: object;
  readonly key?: string;
}
/** The row as it was written, or the code of the refusal. */
async function commit(family: Family, attempt: Attempt): Promise<Record<string, unknown> | string> {
  const client = clients.get(family) as Client;
  const id = systemIds.next();
  const { subject, envelope = {}, key } = attempt;
  const event = subject
    ? [[systemIds.next()], ['m'], [subject], ['k'], [JSON.stringify(envelope)]]
    : Array(5).fill(null);
  const stored = key ? [person, 'project_create', key, 'f', 201, '{}', '2999-01-01'] : Array(7).fill(null);
  await client.query('begin');
  try {
    const system = { actor: own[family], kind: 'system', role: 'system', ...attempt };
    await client.query(`select act_open($1, $2, 'platform', null, now()::text, null, null, null)`, [id, system.actor]);
    await client.query(
      `select act_commit($1, null, null, $2, $3, $4, 'thing.change', 'thing', 'x', 'success', 'c', '{}', null, null,
         $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, null, null)`,
      [id, system.actor, system.kind, system.role, ...event, ...stored],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    return String((error as { code?: unknown }).code);
  }
  const root = new Client({ connectionString: schema.url });
  await root.connect();
  try {
    return (await root.query('select actor_id, actor_kind, committed_by from audit_logs where id = $1', [id])).rows[0];
  } finally {
    await root.end();
  }
}

describe('the end of a write', () => {
  it.each(families)('says that %s committed it, whatever the caller says', async (family) => {
    expect(await commit(family, {})).toEqual({ actor_id: own[family], actor_kind: 'system', committed_by: family });
  });

  it('lets the api act for people, nodes and service accounts', async () => {
    for (const kind of ['user', 'node', 'service_account']) {
      const written = await commit('gpuaas_api', { actor: person, kind, role: 'owner', key: systemIds.next() });
      expect(written).toMatchObject({ actor_kind: kind, committed_by: 'gpuaas_api' });
    }
  });

  it.each(thieves)('refuses a stolen %s that acts for somebody else', async (family) => {
    for (const kind of ['user', 'node', 'service_account']) {
      expect(await commit(family, { actor: person, kind, role: 'owner' })).toBe('GP007');
    }
    expect(await commit(family, { role: 'platform_superadmin' })).toBe('GP007');
    expect(await commit(family, { actor: 'identity' })).toBe('GP007');
    for (const other of thieves.filter((each) => each !== family && each !== 'gpuaas_worker')) {
      expect(await commit(family, { actor: own[other] })).toBe('GP007');
    }
  });

  it.each(thieves)('refuses a stolen %s that plants an answer for a request of somebody else', async (family) => {
    expect(await commit(family, { key: 'planted' })).toBe('GP007');
  });

  it.each(events.map((kind) => [kind.type, kind] as const))(
    'takes the event %s from its producers and the api alone',
    async (subject, kind) => {
      for (const family of thieves) {
        const producers: readonly string[] = [kind.producer, ...(kind.alsoFrom ?? [])];
        const isOwn = programs[family].some((program) => producers.includes(program));
        const written = await commit(family, { subject });
        if (isOwn) expect(written).toMatchObject({ committed_by: family });
        else expect({ family, written }).toEqual({ family, written: 'GP007' });
      }
    },
  );

  it('refuses an event of the worker that names a person as its actor', async () => {
    const subject = 'provisioning.active';
    expect(await commit('gpuaas_worker', { subject, envelope: { actor_id: person } })).toBe('GP007');
  });

  it.each(thieves)('holds for %s in the function of the release before, too', async (family) => {
    const client = clients.get(family) as Client;
    const id = systemIds.next();
    const old = `select act_commit($1, null, null, $2, 'user', 'owner', 'thing.change', 'thing', 'x', 'success', 'c', '{}',
      null, null, null, null, null, null, null, null, null, null, null, null, null, null)`;
    await client.query('begin');
    await client.query(`select act_open($1, $2, 'platform', null, now()::text, null, null, null)`, [id, person]);
    // A family that came later was never given that function.
    const code = came.has(family) ? '42501' : 'GP007';
    await expect(client.query(old, [id, person])).rejects.toMatchObject({ code });
    await client.query('rollback');
  });
});
