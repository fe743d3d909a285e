import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { runBootstrap } from './run.ts';

let schema: TestSchema;
let root: pg.Client;
beforeAll(async () => {
  schema = await openTestSchema();
  root = new pg.Client({ connectionString: schema.url });
  await root.connect();
});
beforeEach(async () => {
  await root.query('set session_replication_role = replica');
  await root.query('delete from platform_role_bindings');
  await root.query('set session_replication_role = origin');
});
afterAll(async () => {
  await root.end();
  await schema.close();
});

const secretsKey = randomBytes(32).toString('base64');
async function run(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  let printed = '';
  const env = {
    GPUAAS_DATABASE_URL: schema.as('gpuaas_api'),
    GPUAAS_ISSUER_URL: schema.url,
    GPUAAS_SECRETS_KEY: secretsKey,
    GPUAAS_PUBLIC_URL: 'https://gpuaas.test',
    ...more,
  };
  const print = (text: string) => {
    printed += text;
  };
  const code = await runBootstrap(args, env, { say: print, complain: print });
  return { code, printed };
}
const operators = async () =>
  (
    await root.query(
      `select u.oidc_issuer as issuer, u.oidc_subject as subject, b.role from platform_role_bindings b
       join users u on u.id = b.user_id where b.deleted_at is null order by b.created_at, u.id`,
    )
  ).rows;
const somebody = (subject: string) => ['--issuer', 'https://idp.test', '--subject', subject];

describe('the first operator', () => {
  it('is made once by issuer and subject, with an audit row, and another one only on purpose', async () => {
    expect(await run(somebody('anna'))).toEqual({ code: 0, printed: 'anna is an operator of this installation.\n' });
    const anna = { issuer: 'https://idp.test', subject: 'anna', role: 'platform_superadmin' };
    expect(await operators()).toEqual([anna]);
    const { rows } = await root.query(
      `select actor_id, result from audit_logs where action = 'platform_role.bootstrap'`,
    );
    expect(rows).toEqual([{ actor_id: 'bootstrap', result: 'success' }]);

    const refused = await run(somebody('ben'));
    expect(refused.code).toBe(1);
    expect(refused.printed).toMatch(/operator already.*--again/);
    expect(await operators()).toEqual([anna]);
    expect((await run([...somebody('ben'), '--again'])).code).toBe(0);
    expect(new Set((await operators()).map(({ subject }) => subject))).toEqual(new Set(['anna', 'ben']));
  });

  it('is one, when two are asked for at once', async () => {
    const both = await Promise.all([run(somebody('carl')), run(somebody('dora'))]);
    expect(both.map(({ code }) => Number(code)).sort((a, b) => a - b)).toEqual([0, 1]);
    expect(await operators()).toHaveLength(1);
  });

  it('of our own provider gets an account and a link to choose a password with', async () => {
    const { code, printed } = await run(['--login', 'first-operator']);
    expect({ code, printed }).toMatchObject({ code: 0 });
    expect(printed).toMatch(
      /^first-operator is an operator[\s\S]*\n {2}https:\/\/gpuaas\.test\/oidc\/password\?token=\S+\n$/,
    );
    const [made] = await operators();
    expect(made).toMatchObject({ issuer: 'urn:gpuaas:own-issuer', role: 'platform_superadmin' });
    const accounts = async () =>
      (await root.query('select id, login from gpuaas_oidc.account order by login')).rows as object[];
    expect(await accounts()).toEqual([{ id: made.subject, login: 'first-operator' }]);
    // Being refused leaves no account behind.
    expect((await run(['--login', 'second-operator'])).code).toBe(1);
    expect(await accounts()).toHaveLength(1);
  });

  it.each([
    ['nobody', [], {}, /^Makes the first operator/],
    ['half a person', ['--issuer', 'https://idp.test'], {}, /^Makes the first operator/],
    ['an account without a provider', ['--login', 'x'], { GPUAAS_SECRETS_KEY: '' }, /--login needs/],
    ['a database that is not named', somebody('x'), { GPUAAS_DATABASE_URL: '' }, /GPUAAS_DATABASE_URL is missing/],
  ] as const)('is not made of %s', async (_, args, env, words) => {
    const { code, printed } = await run(args, env);
    expect(code).toBe(1);
    expect(printed).toMatch(words);
    expect(await operators()).toEqual([]);
  });
});
