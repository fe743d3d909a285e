import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../../src/testing/servers/postgres.ts';
import type { TestServer } from '../../src/testing/servers/start.ts';

/**
 * The commands of the guide "run it on your own servers" that need nothing but PostgreSQL, typed as they stand there, in
 * one shell after the other with what the ones before have set. Addresses and passwords of the guide are replaced by
 * those of a server of this test.
 */
const top = join(import.meta.dirname, '../../..');
const page = join(top, 'docs/guides/run-on-your-own-servers.md');
const run = promisify(execFile);

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startPostgres();
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-guide-'));
  for (const name of ['server', 'node_modules']) await symlink(join(top, name), join(folder, name));
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The blocks that a shell reads, below one heading. */
async function blocksOf(heading: string): Promise<string> {
  const sections = (await readFile(page, 'utf8')).split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`));
  if (!section) throw new Error(`the guide has no section "${heading}"`);
  const blocks = [...section.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  if (blocks.length === 0) throw new Error(`"${heading}" has no command`);
  return blocks.join('\n');
}
const password = 'typed-by-a-test';
const here = (text: string) =>
  text
    .replaceAll('/opt/gpuaas', folder)
    .replaceAll('postgres://admin:…@10.0.0.3:5432/postgres', server.url)
    .replaceAll(/(GPUAAS_[A-Z]+_PASSWORD)=…/g, `$1=${password}`)
    .replaceAll(
      /postgres:\/\/(gpuaas_\w+):…@10\.0\.0\.3:5432/g,
      `${new URL(server.url).protocol}//$1:${password}@${new URL(server.url).host}`,
    )
    .replaceAll('/etc/gpuaas', folder);
/** A file of settings as the guide has it, in the folder that stands for /etc/gpuaas. */
async function writeSettings(name: string, keyring: string): Promise<void> {
  const block = new RegExp(`\`/etc/gpuaas/${name}.env\`:\\n\\n\`\`\`\\n([\\s\\S]*?)\`\`\``).exec(
    await readFile(page, 'utf8'),
  )?.[1];
  if (!block) throw new Error(`the guide has no ${name}.env`);
  await writeFile(
    join(folder, `${name}.env`),
    here(block).replace('GPUAAS_SECRETS_KEY=k1:…', `GPUAAS_SECRETS_KEY=${keyring}`),
  );
}
const type = (text: string) =>
  run('bash', ['-euo', 'pipefail', '-c', here(text)], { cwd: folder, env: { PATH: '/usr/local/bin:/usr/bin:/bin' } });

describe('the guide for your own servers', { timeout: 300_000 }, () => {
  it('makes a keyring, and cuts it for the workers', async () => {
    const { stdout } = await type(await blocksOf('Sealing keys'));
    expect(await readFile(join(folder, 'keyring'), 'utf8')).toMatch(/^k1:[A-Za-z0-9+/=]{43,}\s*$/);
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });

  it('sets an empty PostgreSQL up, and may be typed again', async () => {
    const path = `export PATH=${folder}/node_modules/.bin:$PATH\n`;
    const block = await blocksOf('Set the database up');
    for (let time = 0; time < 2; time += 1) await type(`${path}${block}`);
    const address = new URL(server.url);
    address.pathname = '/gpuaas';
    Object.assign(address, { username: 'gpuaas_api', password: 'typed-by-a-test' });
    const client = new pg.Client({ connectionString: address.href });
    await client.connect();
    const { rows } = await client.query('select count(*)::int as tables from pg_tables where schemaname = $1', [
      'public',
    ]);
    await client.end();
    expect(rows[0].tables).toBeGreaterThan(50);
  });

  it('makes the first operator, and prints a link to choose a password', async () => {
    const keyring = (await readFile(join(folder, 'keyring'), 'utf8')).trim();
    for (const name of ['shared', 'api']) await writeSettings(name, keyring);
    const { stdout } = await type(
      `export PATH=${folder}/node_modules/.bin:$PATH\n${await blocksOf('The first operator')}`,
    );
    expect(stdout).toContain('https://gpu.example.com/');
  });
});
