import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseServer, openDatabaseServer } from '../../ports/database/open.ts';
import { startPostgres } from '../../testing/servers/postgres.ts';
import type { TestServer } from '../../testing/servers/start.ts';
import { runBootstrap } from './run.ts';

/** The PostgreSQL of the distribution is the oldest that we promise. */
let postgres: TestServer;
let server: DatabaseServer;
beforeAll(async () => {
  postgres = await startPostgres();
  server = await openDatabaseServer({ kind: 'url', adminUrl: postgres.url });
});
afterAll(async () => {
  await server?.close();
  await postgres?.close();
});

const secretsKey = randomBytes(32).toString('base64');
async function run(args: readonly string[]) {
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  const env = {
    GPUAAS_DATABASE_URL: server.urlFor('gpuaas_api'),
    GPUAAS_ISSUER_URL: server.urlFor('gpuaas_issuer'),
    GPUAAS_SECRETS_KEY: secretsKey,
    GPUAAS_PUBLIC_URL: 'https://gpuaas.test',
  };
  return { code: await runBootstrap(args, env, { say: print, complain: print }), printed };
}

describe('bootstrap on the oldest PostgreSQL', () => {
  it('makes one first operator, also when two are asked for at once, and another one on purpose', async () => {
    expect(server.describe()).toMatch(/^PostgreSQL 15\./);
    const both = await Promise.all([run(['--login', 'anna']), run(['--login', 'ben'])]);
    expect(
      both.map(({ code }) => Number(code)).sort((a, b) => a - b),
      JSON.stringify(both),
    ).toEqual([0, 1]);
    expect(both.find(({ code }) => code === 1)?.printed).toMatch(/operator already.*--again/);
    const again = await run(['--issuer', 'https://idp.test', '--subject', 'carl', '--again']);
    expect(again).toEqual({ code: 0, printed: 'carl is an operator of this installation.\n' });
  });

  it('whose first run was broken off after the account was made goes on from there', async () => {
    const first = await run(['--login', 'dora', '--again']);
    const second = await run(['--login', 'dora', '--again']);
    expect([first.code, second.code], `${first.printed}${second.printed}`).toEqual([0, 0]);
    expect(second.printed).toMatch(/\/oidc\/password\?token=/);
  });
});
