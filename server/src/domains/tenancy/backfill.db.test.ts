import pg from 'pg';
import { expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { migrateUp, readMigrations } from '../../ports/database/migrate.ts';
import { openTestDatabase } from '../../testing/postgres.ts';
import { asSystem } from '../../testing/world.ts';

it('people, organizations and projects from before get an identity, a default department and a place in it', async () => {
  const database = await openTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  try {
    await client.connect();
    const migrations = await readMigrations();
    await migrateUp(database.url, migrations, 4);
    const [user, organization, project] = [systemIds.next(), systemIds.next(), systemIds.next()];
    await asSystem(client, `insert into users (id, oidc_issuer, oidc_subject) values ($1, 'i', 'ada')`, [user]);
    await asSystem(client, `insert into organizations (id, name, slug) values ($1, 'Old', 'old')`, [organization]);
    await asSystem(client, `insert into projects (id, organization_id, name, slug) values ($1, $2, 'Old', 'old')`, [
      project,
      organization,
    ]);
    await migrateUp(database.url, migrations);
    // A release that knows of no departments still writes while the migration is there.
    await asSystem(
      client,
      `insert into projects (id, organization_id, name, slug) values (gen_random_uuid(), $1, 'New', 'new')`,
      [organization],
    );
    const { rows } = await client.query(
      `select p.slug, p.version::int as version, d.is_default, d.organization_id from projects p
       join departments d on d.id = p.department_id order by p.slug desc`,
    );
    expect(rows).toEqual([
      { slug: 'old', version: 1, is_default: true, organization_id: organization },
      { slug: 'new', version: 1, is_default: true, organization_id: organization },
    ]);
    const { rows: people } = await client.query('select user_id, uid, gid, username from user_posix_identities');
    expect(people).toEqual([{ user_id: user, uid: 20_001, gid: 20_001, username: 'ada-20001' }]);
  } finally {
    await client.end();
    await database.close();
  }
});
