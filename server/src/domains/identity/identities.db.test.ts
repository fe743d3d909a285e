import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { asSystem } from '../../testing/world.ts';
import { makeIdentities } from './index.ts';

const clock = makeTestClock(new Date('2026-06-01T12:00:00Z'));
let schema: TestSchema;
let port: DatabasePort;
let root: pg.Client;
beforeAll(async () => {
  schema = await openTestSchema();
  root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  port = await openPostgres({
    url: schema.as('gpuaas_api'),
    clock,
    ids: systemIds,
    log: silentLog,
    name: 'test',
    poolSize: 8,
  });
});
afterAll(async () => {
  await port.close();
  await root.end();
  await schema.close();
});
/** Each is a process of its own: they share the tables and nothing else. */
const open = () => makeIdentities({ db: port.database, begin: actsOf('identity', systemIds), ids: systemIds, clock });
const identity = (subject: string) => ({ issuer: 'https://issuer.test', subject, kind: 'user' as const });
const rowsOf = async (subject: string) =>
  (
    await root.query(
      `select u.id, (select count(*)::int from audit_logs a where a.target_id = u.id::text and a.action = 'user.create') as audits
       from users u where u.oidc_subject = $1`,
      [subject],
    )
  ).rows;

describe('recognising somebody', () => {
  it('makes one person of many first sign-ins at once, in several processes', async () => {
    const processes = Array.from({ length: 4 }, open);
    const people = await Promise.all(
      Array.from({ length: 24 }, async (_, n) => processes[n % 4]?.recognise(identity('newcomer'), `c-${n}`)),
    );
    expect(new Set(people.map((person) => person?.id)).size).toBe(1);
    const rows = await rowsOf('newcomer');
    expect(rows).toEqual([{ id: people[0]?.id, audits: 1 }]);
    expect(people[0]).toMatchObject({ kind: 'user', platformRoles: [] });
  });

  it('tells the same name at two issuers apart', async () => {
    const identities = open();
    const here = await identities.recognise(identity('double'), 'c');
    const there = await identities.recognise({ ...identity('double'), issuer: 'https://other.test' }, 'c');
    expect(here.id).not.toBe(there.id);
  });

  it('sees a new role at once where it was given, and within five seconds elsewhere', async () => {
    const [giver, other] = [open(), open()];
    const { id } = await giver.recognise(identity('climber'), 'c');
    await other.recognise(identity('climber'), 'c');
    await giver.bindPlatformRole(id, 'platform_ops', 'c-bind');
    expect((await giver.recognise(identity('climber'), 'c')).platformRoles).toEqual(['platform_ops']);
    expect((await other.recognise(identity('climber'), 'c')).platformRoles).toEqual([]);
    await clock.advance(5_000);
    expect((await other.recognise(identity('climber'), 'c')).platformRoles).toEqual(['platform_ops']);
    const { rows } = await root.query(`select action, change from audit_logs where correlation_id = 'c-bind'`);
    expect(rows).toEqual([{ action: 'platform_role.bind', change: { role: 'platform_ops' } }]);
  });
});

describe('the table of revoked tokens', () => {
  it('answers those that have not expired by themselves', async () => {
    const at = (ms: number) => new Date(clock.now().getTime() + ms);
    for (const [id, expiresAt] of [
      ['still', at(60_000)],
      ['over', at(-1)],
    ] as const) {
      await asSystem(root, `insert into token_denials (token_id, expires_at, reason) values ($1, $2, 'a test')`, [
        id,
        expiresAt,
      ]);
    }
    expect((await open().denials.current()).map(({ subject }) => subject)).toEqual(['still']);
    await clock.advance(60_000);
    expect(await open().denials.current()).toEqual([]);
  });
});
