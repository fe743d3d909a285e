import { X509Certificate as NodeX509 } from 'node:crypto';
import {
  controlPlaneSpiffeId,
  nodeCommonName,
  nodeSpiffeId,
  processCommonName,
  processSpiffeId,
} from '@gpuaas/contract/node';
import { Pool, type PoolClient } from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { requireKeys } from '../../kernel/secrets/sealed-values.ts';
import type { Adapted } from '../adapter.ts';
import { exportIssuer, type Issuer, importIssuer, makeIssuer, makeLeaf } from './issuing.ts';
import type { CsrRefused, EmbeddedAuthority, IssuedCertificate } from './port.ts';
import { generalName, makeRequest, readRequest } from './request.ts';
import { issuerPlace, sealedIssuers } from './sealed-issuers.ts';

export interface EmbeddedAuthorityOptions {
  /** PostgreSQL, as a role that may keep a schema of its own. */
  readonly url: string;
  /** Keys of the keyring that are given up: see kernel/secrets/sealed-values.ts. */
  readonly lostKeys?: readonly string[];
}

/**
 * Our own authority: a root that signs intermediates, and an intermediate that signs everything else. Both lie in
 * Postgres, their keys sealed, so that all processes of an installation are the same authority and none needs a file.
 * An intermediate that has lived two thirds of its life gets a successor; what it issued carries it in its chain and
 * stays good, since what everybody trusts is the root.
 */
const tables = `
  select pg_advisory_xact_lock(7235118452003620);
  create schema if not exists gpuaas_pki;
  create table if not exists gpuaas_pki.issuer (
    id bigint generated always as identity primary key,
    kind text not null check (kind in ('root', 'intermediate')),
    certificate text not null,
    sealed_key bytea not null,
    not_after timestamptz not null
  );
  create or replace function gpuaas_pki.sealed_key_id(p_sealed bytea) returns text language sql immutable strict parallel safe
    as $$ select case
      when length(p_sealed) < 2 then 'unknown'
      when get_byte(p_sealed, 0) = 2 then convert_from(substring(p_sealed from 3 for get_byte(p_sealed, 1)), 'LATIN1')
      when get_byte(p_sealed, 0) = 1 then 'first' else 'unknown' end $$;
`;
const yearMs = 365 * 24 * 3_600_000;
const rootLifeMs = 20 * yearMs;
const intermediateLifeMs = yearMs;
/** Clocks differ, and a certificate that is not valid yet is as bad as one that is not valid any more. */
const backdateMs = 5 * 60_000;
/** How soon an intermediate that another process made is used here. */
const lookAgainMs = 60_000;
const queryWithinMs = 10_000;

interface Row {
  readonly id: string;
  readonly kind: 'root' | 'intermediate';
  readonly certificate: string;
  readonly sealed_key: Buffer;
}
interface Held {
  readonly root: Issuer;
  readonly intermediate: Issuer;
  readonly atMs: number;
}

interface AuthorityParts {
  readonly clock: Clock;
  readonly seal: Seal;
}
const lifeFrom = (clock: Clock, ms: number) => {
  const now = clock.now().getTime();
  return { notBefore: new Date(now - backdateMs), notAfter: new Date(now + ms) };
};

/** The root and the newest intermediate, as all processes of the installation have them. */
async function openIssuers(options: EmbeddedAuthorityOptions, { clock, seal }: AuthorityParts) {
  const pool = new Pool({
    connectionString: options.url,
    max: 2,
    application_name: 'gpuaas certificates',
    connectionTimeoutMillis: queryWithinMs,
    statement_timeout: queryWithinMs,
    idleTimeoutMillis: 10_000,
  });
  pool.on('error', () => undefined);

  const life = (ms: number) => lifeFrom(clock, ms);
  const open = async (row: Row): Promise<Issuer> =>
    importIssuer(row.certificate, seal.open(row.sealed_key, issuerPlace(row.certificate)));
  const keep = async (client: PoolClient, kind: Row['kind'], issuer: Issuer): Promise<Issuer> => {
    const { pem, key } = await exportIssuer(issuer);
    await client.query({
      name: 'gpuaas_pki_keep',
      text: 'insert into gpuaas_pki.issuer (kind, certificate, sealed_key, not_after) values ($1, $2, $3, $4)',
      values: [kind, pem, seal.close(key, issuerPlace(pem)), issuer.certificate.notAfter],
    });
    return issuer;
  };

  /** Reads root and newest intermediate, and creates what is missing or old, under a lock. */
  async function prepare(renew: boolean): Promise<Held> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      if (renew) await client.query('select pg_advisory_xact_lock(7235118452003620)');
      const { rows } = await client.query<Row>({
        name: 'gpuaas_pki_list',
        text: `select distinct on (kind) id, kind, certificate, sealed_key from gpuaas_pki.issuer order by kind, id desc`,
      });
      const [kept, newest] = [rows.find(({ kind }) => kind === 'root'), rows.find(({ kind }) => kind !== 'root')];
      if (!renew && (!kept || !newest)) throw new Error('there is no authority yet');
      const root = kept
        ? await open(kept)
        : await keep(client, 'root', await makeIssuer('GPUaaS Root', life(rootLifeMs)));
      const old = newest && (await open(newest));
      const intermediate =
        old && (!renew || !isOld(old))
          ? old
          : await keep(client, 'intermediate', await makeIssuer('GPUaaS Intermediate', life(intermediateLifeMs), root));
      await client.query('commit');
      return { root, intermediate, atMs: clock.now().getTime() };
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }
  let rotating = false;
  const isOld = ({ certificate }: Issuer) =>
    rotating || certificate.notAfter.getTime() - clock.now().getTime() < intermediateLifeMs / 3;

  const sealed = sealedIssuers({ pool, seal });
  await pool.query(tables);
  await requireKeys([sealed], options.lostKeys);
  let held = await prepare(true);
  let looking: Promise<Held> | undefined;
  const current = async (): Promise<Held> => {
    if (clock.now().getTime() - held.atMs < lookAgainMs && !isOld(held.intermediate)) return held;
    looking ??= prepare(true).finally(() => {
      looking = undefined;
    });
    held = await looking;
    return held;
  };

  return {
    sealed,
    current,
    held: () => held,
    async rotate() {
      rotating = true;
      try {
        held = await prepare(true);
      } finally {
        rotating = false;
      }
    },
    check: () => prepare(false),
    close: () => pool.end(),
  };
}

export async function openEmbeddedAuthority(
  options: EmbeddedAuthorityOptions,
  parts: AuthorityParts,
): Promise<EmbeddedAuthority & Adapted> {
  const issuers = await openIssuers(options, parts);
  const life = (ms: number) => lifeFrom(parts.clock, ms);
  const certify = async (
    csr: string,
    ttlMs: number,
    leaf: Pick<Parameters<typeof makeLeaf>[1], 'commonName' | 'names' | 'use'>,
  ): Promise<IssuedCertificate | CsrRefused> => {
    const request = await readRequest(csr);
    if (request instanceof Fault) return request;
    const { intermediate } = await issuers.current();
    const made = await makeLeaf(intermediate, { ...leaf, ...life(ttlMs), publicKey: request.publicKey });
    return {
      chain: [made, intermediate.certificate].map((one) => one.toString('pem')).join('\n'),
      serial: made.serialNumber.toLowerCase(),
      notBefore: made.notBefore,
      notAfter: made.notAfter,
    };
  };

  return {
    adapter: { name: 'embedded', kind: 'embedded' },
    isOpen: true,
    sealed: issuers.sealed,
    certifyNode: ({ nodeId, csr, ttlMs }) =>
      certify(csr, ttlMs, {
        commonName: nodeCommonName(nodeId),
        names: [{ type: 'url', value: nodeSpiffeId(nodeId) }],
        use: 'client',
      }),
    certifyProcess: ({ process, names, csr, ttlMs }) =>
      certify(csr, ttlMs, {
        commonName: processCommonName(process),
        names: [...names.map(generalName), { type: 'url', value: processSpiffeId(process) }],
        use: 'both',
      }),
    async certifyServer({ names, ttlMs }) {
      const { root, intermediate } = await issuers.current();
      const { pem, privateKey } = await makeRequest('gpuaas-control-plane');
      const request = await readRequest(pem);
      if (request instanceof Fault) throw request;
      const leaf = await makeLeaf(intermediate, {
        ...life(ttlMs),
        publicKey: request.publicKey,
        commonName: names[0] ?? 'gpuaas-control-plane',
        names: [...names.map(generalName), { type: 'url', value: controlPlaneSpiffeId }],
        use: 'server',
      });
      const chain = [leaf, intermediate.certificate, root.certificate].map((one) => one.toString('pem')).join('\n');
      return { chain, privateKey, notAfter: leaf.notAfter };
    },
    async authority() {
      const pem = issuers.held().root.certificate.toString('pem');
      const hash = new NodeX509(pem).fingerprint256.replaceAll(':', '').toLowerCase();
      return { roots: pem, fingerprint: `sha256:${hash}` };
    },
    rotate: issuers.rotate,
    async check() {
      await issuers.check();
    },
    close: issuers.close,
  };
}
