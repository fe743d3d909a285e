import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { machines } from '@gpuaas/contract';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseServer, openDatabaseServer } from '../../server/src/ports/database/open.ts';
import { startPostgres } from '../../server/src/testing/servers/postgres.ts';
import type { TestServer } from '../../server/src/testing/servers/start.ts';
import { dumpSchema } from '../emit/schema-dump.ts';
import { schemaPath } from '../emit/schema-file.ts';
import { root } from '../lib/tree.ts';
import { schemaLaws } from './schema-laws.ts';

describe('the schema on the PostgreSQL of a distribution', () => {
  let postgres: TestServer;
  let server: DatabaseServer;
  let client: Client;
  beforeAll(async () => {
    postgres = await startPostgres();
    server = await openDatabaseServer({ kind: 'url', adminUrl: postgres.url });
    const address = new URL(postgres.url);
    address.pathname = '/gpuaas';
    client = new Client({ connectionString: address.href });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await server.close();
    await postgres.close();
  });

  it('is the schema of the embedded server, word for word', async () => {
    expect(await dumpSchema(client)).toBe(readFileSync(join(root, schemaPath), 'utf8'));
  });

  it.each(Object.values(schemaLaws))('keeps the law: $name', async (law) => {
    expect(await law.find(client, machines)).toEqual([]);
  });
});
