import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleSessionPlace, makeConsoleTokens } from '../../domains/identity/index.ts';
import { openTaskSigners } from '../../domains/nodes/index.ts';
import { makeSigner } from '../../domains/service-accounts/signer.ts';
import { actsOf } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { makeKey, openKeyring, type Purpose } from '../../kernel/secrets/keyring.ts';
import { requireKeys } from '../../kernel/secrets/sealed-values.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { openEmbeddedAuthority } from '../../ports/certificates/embedded.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openTables } from '../../ports/identity-provider/tables.ts';
import { openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { sealedInDatabase } from '../sealed-values.ts';
import { runSecrets } from './run.ts';

const parts = { clock: systemClock, ids: systemIds, log: silentLog };
const sessions = 25;

describe('replacing the sealing key of an installation', () => {
  let schema: TestSchema;
  let root: pg.Client;
  let database: DatabasePort;
  let keyring = makeKey('k1');
  const sessionIds = Array.from({ length: sessions }, () => systemIds.next());

  const sealOf = (purpose: Purpose) => openKeyring(keyring, 'it').seal(purpose);
  const signer = () =>
    makeSigner({ db: database.database, begin: actsOf('it', systemIds), ...parts, seal: sealOf('service-accounts') });
  const taskSigners = () =>
    openTaskSigners({
      ...{ db: database.database, begin: actsOf('it', systemIds), ...parts, seal: sealOf('task-signers') },
      ...{ overlapSeconds: () => 120, graceHours: () => 24, listen: database.listen },
    });
  const authority = () => openEmbeddedAuthority({ url: schema.url }, { clock: systemClock, seal: sealOf('authority') });
  async function secrets(...args: string[]): Promise<string> {
    let [said, complained] = ['', ''];
    const env = {
      GPUAAS_SECRETS_KEY: keyring,
      GPUAAS_DATABASE_URL: schema.as('gpuaas_api'),
      GPUAAS_ISSUER_URL: schema.url,
      GPUAAS_AUTHORITY_URL: schema.url,
    };
    const code = await runSecrets(args, env, {
      say: (text) => {
        said += text;
      },
      complain: (text) => {
        complained += text;
      },
    });
    expect({ code, complained }).toEqual({ code: 0, complained: '' });
    return said.trim();
  }

  beforeAll(async () => {
    schema = await openTestSchema();
    root = new pg.Client({ connectionString: schema.url });
    await root.connect();
    database = await openPostgres({ url: schema.as('gpuaas_api'), ...parts, name: 'test', poolSize: 4 });
    await (await openTables(schema.url)).end();
    await (await authority()).close();
    await signer().sign({ sub: 'x' });
    const opened = await taskSigners();
    await opened.close();
    await root.query('set session_replication_role = replica');
    const userId = systemIds.next();
    await root.query(
      `insert into users (id, oidc_issuer, oidc_subject, created_at) values ($1, 'https://issuer.test', 'anna', now())`,
      [userId],
    );
    for (const [index, id] of sessionIds.entries()) {
      await root.query(
        `insert into console_sessions (id, user_id, cookie_digest, sealed_tokens, expires_at, created_at)
         values ($1, $2, sha256($3), $4, now() + interval '1 hour', now())`,
        [id, userId, Buffer.from(id), sealOf('console').close(`tokens ${index}`, consoleSessionPlace(id))],
      );
    }
    await root.query('set session_replication_role = origin');
  });
  afterAll(async () => {
    await database?.close();
    await root?.end();
    await schema?.close();
  });

  it('loses nothing while browsers go on, and the old key can be removed afterwards', async () => {
    keyring = await secrets('add', 'k2');
    keyring = await secrets('promote', 'k2');
    expect(await secrets('status')).toContain('The key k1 is still needed: run reseal.');
    const renewed = renewAll();
    expect(await secrets('reseal')).toMatch(/task-signers +task_signers +1 sealed anew/);
    await renewed;
    await secrets('reseal');
    const status = await secrets('status');
    expect(status).toContain('The key k1 sealed nothing that is kept.');
    expect(status).not.toMatch(/ k1 +\d/);

    const before = openKeyring(keyring, 'it');
    keyring = await secrets('drop', 'k1');
    const db = database.database;
    await requireKeys(sealedInDatabase(openKeyring(keyring, 'it'), { db, ids: systemIds }));
    expect(before.ids).toEqual(['k2', 'k1']);
    await (await authority()).close();
    await signer().sign({ sub: 'x' });
    const opened = await taskSigners();
    expect(opened.announced().signers_statement).toBeDefined();
    await opened.close();
    const { rows } = await root.query<{ id: string; sealed_tokens: Buffer }>(
      'select id, sealed_tokens from console_sessions',
    );
    expect(
      rows.map(({ id, sealed_tokens }) => sealOf('console').open(sealed_tokens, consoleSessionPlace(id))).sort(),
    ).toEqual(sessionIds.map((_, index) => (index % 2 === 0 ? `renewed ${index}` : `tokens ${index}`)).sort());
    const audited = await root.query(`select change from audit_logs where action = 'secrets.reseal'`);
    expect(audited.rows.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(audited.rows)).not.toContain('tokens ');
  });

  /** Every second browser renews its tokens meanwhile. */
  async function renewAll(): Promise<void> {
    for (const [index, id] of sessionIds.entries()) {
      if (index % 2 === 1) continue;
      const sealed = sealOf('console').close(`renewed ${index}`, consoleSessionPlace(id));
      expect(await makeConsoleTokens(database.unaudited).renew(id, 0n, sealed)).toBe(true);
    }
  }

  it('refuses to start without a key that is still needed, and says which', async () => {
    const wrong = openKeyring(makeKey('k9'), 'it');
    const stores = sealedInDatabase(wrong, { db: database.database, ids: systemIds });
    await expect(requireKeys(stores)).rejects.toThrow(
      /^GPUAAS_SECRETS_KEY lacks the key "k2", which sealed 25 values of console \(console_sessions\)\. Put it back/,
    );
    await requireKeys(stores, ['k2']);
    await expect(
      openEmbeddedAuthority({ url: schema.url }, { clock: systemClock, seal: wrong.seal('authority') }),
    ).rejects.toThrow(/lacks the key "k2", which sealed 2 values of authority/);
  });
});
