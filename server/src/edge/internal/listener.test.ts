import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { defineInternalRoute, identityRenew } from '@gpuaas/contract/internal';
import { controlPlaneSpiffeId, processCommonName, processSpiffeId } from '@gpuaas/contract/node';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import type { Certificates } from '../../ports/certificates/port.ts';
import { makeRequest } from '../../ports/certificates/request.ts';
import { makeTestAuthority, type TestAuthority, type TestIdentity } from '../terminal/testing.ts';
import { makeInternalClient } from './client.ts';
import { internalHandler } from './handlers.ts';
import { makeIdentityHandlers } from './identity.ts';
import { type InternalListener, openInternalListener } from './listener.ts';
import { openProcessIdentity, writeIdentity } from './process-identity.ts';
import { startRenewal } from './renewal.ts';

const echo = defineInternalRoute({
  path: '/internal/v1/test/echo',
  callers: ['terminal-gateway'],
  carries: Type.Object({ say: Type.String({ maxLength: 20 }) }, { additionalProperties: false }),
  answers: Type.Object({ said: Type.String() }),
});

let authority: TestAuthority;
let listener: InternalListener;
let gateway: TestIdentity;
let folder: string;
const waited: string[] = [];
beforeAll(async () => {
  authority = await makeTestAuthority();
  gateway = await authority.process('terminal-gateway');
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-identity-'));
  listener = await openInternalListener({
    ...{ host: '127.0.0.1', port: 0, names: ['127.0.0.1'], certificates: authority as unknown as Certificates },
    ...{ clock: systemClock, ids: systemIds, log: silentLog, metrics: makeMetrics('test', '0') },
    limits: { handshakeMs: 3_000, strangers: { perAddress: 8, inTotal: 100 } },
    handlers: [
      ...makeIdentityHandlers({ certificates: authority }),
      internalHandler(echo, async ({ say }, { signal, peer }) => {
        if (say === 'refuse') return new Fault('allocation_not_found', 'There is none.');
        if (say === 'break') throw new Error('a secret of the inside');
        if (say === 'lie') return { other: 1 } as never;
        if (say === 'wait') {
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          waited.push(String((signal.reason as Error).message));
        }
        return { said: `${peer.process} ${say}` };
      }),
    ],
  });
});
afterAll(async () => {
  await listener.close();
  await rm(folder, { recursive: true, force: true });
});

const call = (
  identity: Partial<TestIdentity>,
  ask: {
    readonly path?: string;
    readonly method?: string;
    readonly body?: unknown;
    readonly type?: string;
    readonly token?: string;
  },
) =>
  new Promise<{ status: number; body: { code?: string; said?: string; message?: string } }>((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port: listener.port, ca: authority.roots, ...identity, agent: false },
        ...{ path: ask.path ?? echo.path, method: ask.method ?? 'POST' },
        headers: {
          'content-type': ask.type ?? 'application/json',
          ...(ask.token && { authorization: `Bearer ${ask.token}` }),
        },
      },
      (response) => {
        readText(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }),
          reject,
        );
      },
    );
    sent.on('error', reject);
    sent.end(typeof ask.body === 'string' ? ask.body : JSON.stringify(ask.body ?? { say: 'hello' }));
  });

describe('the internal listener', () => {
  it('answers the processes that a route names', async () => {
    expect(await call(gateway, {})).toEqual({ status: 200, body: { said: 'terminal-gateway hello' } });
  });

  it('keeps few seats for connections that show no certificate, and closes them after a while', async () => {
    let gone = 0;
    for (let count = 0; count < 20; count += 1) {
      const socket = createConnection({ host: '127.0.0.1', port: listener.port, localAddress: '127.0.0.2' });
      socket.on('error', () => undefined);
      socket.once('close', () => (gone += 1));
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    }
    await expect.poll(() => gone, { timeout: 2_000 }).toBe(12);
    expect((await call(gateway, {})).status).toBe(200);
    await expect.poll(() => gone, { timeout: 8_000 }).toBe(20);
  }, 20_000);

  it('refuses nodes, other processes, servers, tokens of people, and connections without a certificate', async () => {
    const own = (uri: string, commonName: string, use: 'client' | 'both' = 'both') =>
      authority.issue({ uri, commonName, use });
    const node = await authority.node(systemIds.next());
    const strangers = [
      node,
      await own(processSpiffeId('api'), processCommonName('api')),
      await own(controlPlaneSpiffeId, 'gpuaas-control-plane'),
      // The URI of a gateway under the name of another one.
      await own(processSpiffeId('terminal-gateway'), processCommonName('api')),
      await own(`${processSpiffeId('terminal-gateway')}/x`, processCommonName('terminal-gateway')),
    ];
    for (const stranger of strangers) {
      expect(await call(stranger, { token: 'a-token-of-a-person' })).toMatchObject({
        status: 403,
        body: { code: 'insufficient_permissions' },
      });
    }
    await expect(call({}, {})).rejects.toThrow();
    const forger = await makeTestAuthority();
    const { cert, key } = await forger.process('terminal-gateway');
    await expect(call({ cert, key }, {})).rejects.toThrow();
    const expired = await authority.issue({
      ...{ uri: processSpiffeId('terminal-gateway'), commonName: processCommonName('terminal-gateway') },
      ...{ use: 'both', lifeMs: -30_000 },
    });
    await expect(call(expired, {})).rejects.toThrow();
  });

  it('refuses what is not declared', async () => {
    const codes = async (ask: Parameters<typeof call>[1]) => (await call(gateway, ask)).body.code;
    expect(await codes({ path: '/internal/v1/test/other' })).toBe('route_not_found');
    expect(await codes({ path: '/api/v1/version' })).toBe('route_not_found');
    expect(await codes({ method: 'PUT' })).toBe('method_not_allowed');
    expect(await codes({ body: { say: 1 } })).toBe('validation_error');
    expect(await codes({ body: { say: 'x', more: 1 } })).toBe('validation_error');
    expect(await codes({ body: '{' })).toBe('invalid_request');
    expect(await codes({ type: 'text/plain' })).toBe('unsupported_media_type');
    expect(await codes({ body: 'x'.repeat(5 * 1_024 * 1_024) })).toBe('payload_too_large');
  });

  it('passes refusals on, and says nothing of what broke inside', async () => {
    expect(await call(gateway, { body: { say: 'refuse' } })).toMatchObject({
      status: 404,
      body: { code: 'allocation_not_found' },
    });
    for (const say of ['break', 'lie']) {
      const { status, body } = await call(gateway, { body: { say } });
      expect([status, body.code]).toEqual([500, 'internal_error']);
      expect(JSON.stringify(body)).not.toContain('secret');
    }
  });
});

describe('the identity of a process', () => {
  const put = async (identity: TestIdentity, to: string) => {
    await writeIdentity(to, { key: identity.key, chain: identity.cert, roots: identity.ca });
    return openProcessIdentity(to);
  };

  it('is a file of its owner alone, and is refused when others can read it', async () => {
    const own = join(folder, 'own');
    await put(gateway, own);
    expect((await stat(join(own, 'identity.pem'))).mode & 0o777).toBe(0o600);
    await writeFile(join(own, 'identity.pem'), 'x');
    const { chmod } = await import('node:fs/promises');
    await chmod(join(own, 'identity.pem'), 0o644);
    await expect(openProcessIdentity(own)).rejects.toThrow(/can be read by others: chmod 600/);
    await expect(openProcessIdentity(join(folder, 'nowhere'))).rejects.toThrow(
      /make one with server\/src\/bin\/process-identity/,
    );
  });

  it('renews itself under its own names, and the next connection shows the new certificate', async () => {
    const dying = await authority.issue({
      ...{ uri: processSpiffeId('terminal-gateway'), commonName: processCommonName('terminal-gateway') },
      ...{ names: ['127.0.0.1', 'gateway.example'], use: 'both', lifeMs: 20_000 },
    });
    const identity = await put(dying, join(folder, 'renewed'));
    const before = identity.current();
    const client = makeInternalClient({ url: `https://127.0.0.1:${listener.port}`, identity });
    const metrics = makeMetrics('test', '0');
    const renewing = startRenewal({
      identity,
      api: client,
      makeKey: () => makeRequest(undefined),
      clock: systemClock,
      log: silentLog,
      metrics,
    });
    await expect.poll(() => identity.current().tls.cert).not.toBe(before.tls.cert);
    const { X509Certificate } = await import('node:crypto');
    expect(new X509Certificate(identity.current().tls.cert).subjectAltName?.split(', ').sort()).toEqual(
      new X509Certificate(before.tls.cert).subjectAltName?.split(', ').sort(),
    );
    expect(identity.current().notAfter.getTime()).toBeGreaterThan(before.notAfter.getTime());
    // It is kept for the next start.
    const kept = async () => (await openProcessIdentity(join(folder, 'renewed'))).current().tls;
    await expect.poll(kept).toEqual(identity.current().tls);
    expect(await client.ask(echo, { say: 'again' }, { withinMs: 5_000 })).toEqual({
      ok: true,
      value: { said: 'terminal-gateway again' },
    });
    expect(await metrics.scrape()).toMatch(/gpuaas_process_identity_left_seconds\S* \d{6}/);
    await renewing.close();
    client.close();
  });

  it('cannot be renewed by a node, nor under names that a request asks for', async () => {
    const { pem } = await makeRequest(undefined, [{ type: 'url', value: controlPlaneSpiffeId }]);
    const { status } = await call(await authority.node(systemIds.next()), {
      path: identityRenew.path,
      body: { csr: pem },
    });
    expect(status).toBe(403);
    const renewed = await call(gateway, { path: identityRenew.path, body: { csr: pem } });
    expect(renewed.status).toBe(200);
    const { X509Certificate } = await import('node:crypto');
    const { chain } = renewed.body as unknown as { chain: string };
    expect(new X509Certificate(chain).subjectAltName).not.toContain(controlPlaneSpiffeId);
    const bad = await call(gateway, { path: identityRenew.path, body: { csr: 'x'.repeat(200) } });
    expect(bad.body.code).toBe('node_csr_invalid');
  });
});

describe('the client of the internal listener', () => {
  it('speaks to the control plane alone, and tells a refusal from an outage', async () => {
    const identity = await (async () => {
      await writeIdentity(join(folder, 'client'), { key: gateway.key, chain: gateway.cert, roots: gateway.ca });
      return openProcessIdentity(join(folder, 'client'));
    })();
    const client = makeInternalClient({ url: `https://127.0.0.1:${listener.port}`, identity });
    const ask = (say: string, signal?: AbortSignal) =>
      client.ask(echo, { say }, { withinMs: 5_000, ...(signal && { signal }) });
    expect(await ask('refuse')).toMatchObject({ ok: false, status: 404, code: 'allocation_not_found' });
    await expect(ask('break')).rejects.toThrow(/answered 500/);
    const leaving = new AbortController();
    const asked = ask('wait', leaving.signal);
    setTimeout(() => leaving.abort(), 200);
    await expect(asked).rejects.toThrow();
    // The handler hears that its caller is gone.
    await expect.poll(() => waited).toEqual(['the caller is gone']);
    client.close();
    const impostor = await openInternalListener({
      ...{ host: '127.0.0.1', port: 0, names: ['127.0.0.1'], handlers: [], clock: systemClock, ids: systemIds },
      ...{ log: silentLog, metrics: makeMetrics('test', '0') },
      certificates: {
        authority: authority.authority,
        certifyServer: async () => ({
          chain: gateway.cert,
          privateKey: gateway.key,
          notAfter: new Date(Date.now() + 1e6),
        }),
      } as unknown as Certificates,
    });
    const misled = makeInternalClient({ url: `https://127.0.0.1:${impostor.port}`, identity });
    await expect(misled.ask(echo, { say: 'x' }, { withinMs: 5_000 })).rejects.toMatchObject({
      cause: { message: 'the peer does not show the certificate of the control plane' },
    });
    misled.close();
    await impostor.close();
  });
});
