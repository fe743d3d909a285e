import { policies } from '@gpuaas/contract';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { migrateUp, readMigrations } from '../../../ports/database/migrate.ts';
import { openTestDatabase, type TestDatabase } from '../../../testing/postgres.ts';
import { asSystem } from '../../../testing/world.ts';
import { effective, makeSnapshot, type Setting } from '../../policy/effective.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const lastBefore = 79;
let database: TestDatabase;
let client: pg.Client;
beforeEach(async () => {
  database = await openTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await migrateUp(database.url, await readMigrations(), lastBefore);
});
afterEach(async () => {
  await client.end();
  await database.close();
});

const addOrganization = async (): Promise<string> => {
  const id = systemIds.next();
  await asSystem(client, `insert into organizations (id, name, slug) values ($1, 'Old', 'old')`, [id]);
  return id;
};
const upgrade = async () => migrateUp(database.url, await readMigrations());
/** Whether an organization pays ahead, and which level says so. */
async function paysAhead(organizationId: string) {
  const { rows } = await client.query<Setting>(
    `select key, level, subject_id as "subjectId", value, hard from policy_values where key = 'billing.enforce_balance'`,
  );
  const policy = policies.find(({ key }) => key === 'billing.enforce_balance');
  if (!policy) throw new Error('there is no such policy');
  const { value, level } = effective(policy, makeSnapshot(rows), { organizationId });
  return { value, level };
}

describe('paying ahead', () => {
  it('is the default of a new installation', async () => {
    await upgrade();
    expect(await paysAhead(await addOrganization())).toEqual({ value: true, level: 'default' });
  });

  it('does not come with an upgrade where organizations paid later before', async () => {
    const organization = await addOrganization();
    await upgrade();
    expect(await paysAhead(organization)).toEqual({ value: false, level: 'global' });
  });

  it('stays with an upgrade where an operator had set it', async () => {
    const organization = await addOrganization();
    await asSystem(
      client,
      `insert into policy_values (id, key, level, subject_id, value, reason)
       values ($1, 'billing.enforce_balance', 'global', '', 'true', 'everybody pays ahead')`,
      [systemIds.next()],
    );
    await upgrade();
    expect(await paysAhead(organization)).toEqual({ value: true, level: 'global' });
  });
});
