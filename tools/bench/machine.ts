import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'pg';
import { root } from '../lib/tree.ts';
import { loadAverage } from './processes.ts';

/** Where and of what a figure was measured: without these it is not a figure. */
export interface Facts {
  readonly at: string;
  readonly commit: string;
  /** Whether files differed from the commit. */
  readonly modified: boolean;
  readonly lockfile: string;
  readonly kernel: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly node: string;
  readonly load: number;
}

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

export const readFacts = (): Facts => ({
  at: new Date().toISOString(),
  commit: git('rev-parse', '--short=12', 'HEAD'),
  modified: git('status', '--porcelain', '--', 'server', 'contract', 'db', 'package-lock.json') !== '',
  lockfile: createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16),
  kernel: release(),
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGib: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  load: loadAverage(),
});

/** The settings that decide whether a commit is durable, and those that decide how fast it is. */
const tellingSettings = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_sync_method',
  'shared_buffers',
  'max_wal_size',
  'max_connections',
  'jit',
  'autovacuum',
];
const durable = ['fsync', 'synchronous_commit', 'full_page_writes'];

/** Reads them, and refuses to measure on a server that would win by forgetting. */
export async function durableSettings(client: Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; setting: string; unit: string | null }>(
    'select name, setting, unit from pg_settings where name = any ($1) order by name',
    [tellingSettings],
  );
  const settings = Object.fromEntries(rows.map(({ name, setting, unit }) => [name, `${setting}${unit ?? ''}`]));
  for (const name of durable) {
    if (settings[name] !== 'on')
      throw new Error(`${name} is ${settings[name]}: commits of this server are not durable`);
  }
  return settings;
}
