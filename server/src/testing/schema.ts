import { migrateUp, readMigrations } from '../ports/database/migrate.ts';
import type { families } from '../ports/database/roles.ts';
import { openTestDatabase, type TestDatabase } from './postgres.ts';

export type Family = (typeof families)[number];

export interface TestSchema extends TestDatabase {
  /** The address as one family of processes would use it: same rights, same walls. */
  as(family: Family): string;
}

/** A database with the whole schema, and an address for each family of processes. */
export async function openTestSchema(database?: TestDatabase): Promise<TestSchema> {
  const opened = database ?? (await openTestDatabase());
  await migrateUp(opened.url, await readMigrations());
  return { ...opened, as: (family) => asFamily(opened.url, family) };
}

export function asFamily(url: string, family: Family): string {
  const address = new URL(url);
  address.searchParams.set('options', `-c role=${family}`);
  return address.href;
}
