import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock, systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import { makeSeal, sealingKeyBytes } from '../../kernel/secrets/seal.ts';
import { openTestDatabase, type TestDatabase } from '../../testing/postgres.ts';
import { makeDatabaseOutage } from '../../testing/servers/outage.ts';
import { certificatesConformance } from './conformance.ts';
import { openEmbeddedAuthority } from './embedded.ts';
import { openCertificates } from './open.ts';
import type { EmbeddedAuthority, IssuedCertificate } from './port.ts';
import { makeRequest } from './request.ts';

certificatesConformance('embedded', async () => {
  const database = await openTestDatabase();
  const outage = makeDatabaseOutage(database.url);
  const seal = makeSeal([{ id: 'test', key: randomBytes(sealingKeyBytes) }]);
  return {
    open: () => openCertificates({ kind: 'embedded', url: database.url, seal }, { clock: systemClock, ids: systemIds }),
    breakDown: () => outage.begin(),
    recover: () => outage.end(),
    close: () => database.close(),
  };
});

describe('our own authority', () => {
  let database: TestDatabase;
  const seal = makeSeal([{ id: 'test', key: createHash('sha256').update('a key').digest() }]);
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database?.close());
  const issue = async (authority: EmbeddedAuthority): Promise<IssuedCertificate> => {
    const { pem } = await makeRequest(undefined);
    const issued = await authority.certifyNode({ nodeId: systemIds.next(), csr: pem, ttlMs: 3_600_000 });
    if (issued instanceof Fault) throw issued;
    return issued;
  };
  const issuerOf = ({ chain }: IssuedCertificate) =>
    new X509Certificate(chain.slice(chain.lastIndexOf('-----BEGIN'))).fingerprint256;

  it('is one authority, however many processes open it at once', async () => {
    const parts = { clock: systemClock, seal };
    const opened = await Promise.all(Array.from({ length: 4 }, () => openEmbeddedAuthority(database, parts)));
    const roots = await Promise.all(opened.map((one) => one.authority()));
    expect(new Set(roots.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    await Promise.all(opened.map((one) => one.close()));
  });

  it('issues from a new intermediate after a rotation, under the same root, and the old ones lead there too', async () => {
    const authority = await openEmbeddedAuthority(database, { clock: systemClock, seal });
    const before = await issue(authority);
    await authority.rotate();
    const after = await issue(authority);
    expect(issuerOf(after)).not.toBe(issuerOf(before));
    const root = new X509Certificate((await authority.authority()).roots);
    for (const { chain } of [before, after]) {
      const intermediate = new X509Certificate(chain.slice(chain.lastIndexOf('-----BEGIN')));
      expect(intermediate.verify(root.publicKey)).toBe(true);
      expect(new X509Certificate(chain).verify(intermediate.publicKey)).toBe(true);
    }
    await authority.close();
  });

  it('gives an intermediate a successor when two thirds of its life are over', async () => {
    const clock = makeTestClock(new Date());
    const authority = await openEmbeddedAuthority(database, { clock, seal });
    const before = await issue(authority);
    await clock.advance(250 * 24 * 3_600_000);
    expect(issuerOf(await issue(authority))).not.toBe(issuerOf(before));
    await authority.close();
  });

  it('keeps no key as it is, and does not open with another sealing key', async () => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ certificate: string; sealed_key: Buffer }>(
      'select certificate, sealed_key from gpuaas_pki.issuer',
    );
    await client.end();
    expect(rows.length).toBeGreaterThan(1);
    // A key in the clear begins as DER or its base64 does.
    for (const { sealed_key } of rows) {
      expect(sealed_key[0]).not.toBe(0x30);
      expect(sealed_key.toString('latin1')).not.toMatch(/^MIG|PRIVATE KEY/);
    }
    const other = makeSeal([{ id: 'test', key: randomBytes(sealingKeyBytes) }]);
    await expect(openEmbeddedAuthority(database, { clock: systemClock, seal: other })).rejects.toThrow();
  });
});
