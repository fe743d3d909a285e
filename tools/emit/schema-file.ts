import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { openEmbeddedPostgres } from '../../server/src/ports/database/embedded.ts';
import { migrateUp, migrationsFolder, readMigrations } from '../../server/src/ports/database/migrate.ts';
import { root as repositoryRoot } from '../lib/tree.ts';
import { findStale, type Staleness, writeAtomically } from './files.ts';
import { byText } from './json.ts';
import { dumpSchema } from './schema-dump.ts';

export const schemaPath = 'db/schema.sql';
export const checksumsPath = 'db/migrations/checksums.txt';

const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Every migration file with its checksum, in order. */
export function checksumLines(folder = migrationsFolder): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort(byText)
    .map((name) => `${fingerprint(readFileSync(join(folder, name), 'utf8'))}  ${name}`);
}

export const readLines = (path: string): string[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

/** New files are added to the list; an existing line is never rewritten, because the file may have been applied. */
export function growChecksums(listed: readonly string[], found: readonly string[]): string[] {
  const nameOf = (line: string) => line.split('  ')[1] ?? line;
  const known = new Set(listed.map(nameOf));
  return [...listed, ...found.filter((line) => !known.has(nameOf(line)))];
}

/** The dump of a database that was made for it and is gone afterwards. */
async function emitSchema(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-schema-'));
  const server = await openEmbeddedPostgres({ dataDir: folder, ephemeral: true });
  try {
    const url = server.url('postgres', server.superuserPassword, 'postgres');
    await migrateUp(url, await readMigrations());
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return await dumpSchema(client);
    } finally {
      await client.end();
    }
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes what follows from the migrations, and says what had to change. */
export async function bringSchemaUpToDate(root: string): Promise<Staleness[]> {
  const sums = growChecksums(readLines(join(root, checksumsPath)), checksumLines());
  const wanted = new Map([
    [schemaPath, await emitSchema()],
    [checksumsPath, `${sums.join('\n')}\n`],
  ]);
  const stale = findStale(root, wanted, []);
  for (const { path } of stale) writeAtomically(join(root, path), wanted.get(path) ?? '');
  return stale;
}

/** `node tools/emit/schema-file.ts` writes these two alone. */
if (import.meta.main) {
  for (const { path } of await bringSchemaUpToDate(repositoryRoot)) process.stdout.write(`changed  ${path}\n`);
}
