import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { makeTestAuthority } from '../testing/authority.ts';
import { advanceUntil, makeManualClock } from '../testing/clock.ts';
import { resultOf } from '../testing/control-plane.ts';
import { makeTestSigner } from '../testing/signer.ts';
import { type AgentWorld, makeAgentWorld } from '../testing/world.ts';
import { checkPeer, leadsTo } from '../transport/trust.ts';
import { EnrolmentFailure } from './enrol.ts';
import { makeCertificateRequest, makeTlsKey } from './keys.ts';

const worlds: AgentWorld[] = [];
const makeWorld = async (given?: Parameters<typeof makeAgentWorld>[0]) => {
  const world = await makeAgentWorld(given);
  worlds.push(world);
  return world;
};
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});
const certificateIn = async (stateDir: string) =>
  (JSON.parse(await readFile(join(stateDir, 'identity.json'), 'utf8')) as { certificate: string }).certificate;

describe('enrolment', () => {
  it('sends nothing to a control plane whose authority is not the pinned one', async () => {
    const { plane, open } = await makeWorld();
    const other = await makeTestAuthority('another authority');
    const enrolment = { token: plane.issueToken(), caFingerprint: other.fingerprint };
    const clock = { now: () => new Date(), sleep: async () => undefined };
    await expect(open({ clock, settings: { enrolment } })).rejects.toThrow('pinned fingerprint');
    expect(plane.seen.requests).toEqual([]);
  });

  it('sends nothing to somebody who shows the right authority and a certificate of his own', async () => {
    const { plane, open } = await makeWorld();
    const thief = await makeTestAuthority('thief');
    const { cert, key } = await thief.issueServer();
    const [leaf = ''] = cert.split('-----END CERTIFICATE-----');
    const requests: string[] = [];
    // The chain ends with the true authority, which is public; the leaf was never signed by it.
    const server = createServer(
      { cert: `${leaf}-----END CERTIFICATE-----\n${plane.authority.pem}`, key },
      (request, response) => {
        requests.push(String(request.url));
        response.end();
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const clock = { now: () => new Date(), sleep: async () => undefined };
    await expect(open({ clock, settings: { url } })).rejects.toThrow();
    expect(requests).toEqual([]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('takes no node for the control plane, however good its certificate is', () => {
    const peer = { subjectaltname: 'DNS:localhost, URI:spiffe://gpuaas/node/0191b2c4-0000-7000-8000-000000000001' };
    expect(checkPeer('localhost', peer as never, undefined)?.message).toContain('certificate of a node');
    expect(
      checkPeer('localhost', { subjectaltname: 'DNS:localhost' } as never, 'spiffe://gpuaas/control-plane'),
    ).toBeInstanceOf(Error);
  });

  it('uses a token once, and says so when it was used before', async () => {
    const { plane, open, abandon } = await makeWorld();
    const enrolment = { token: plane.issueToken(), caFingerprint: plane.authority.fingerprint };
    await abandon(await open({ settings: { enrolment } }));
    const second = await makeWorld({ authority: plane.authority });
    await expect(second.open({ settings: { url: plane.url, enrolment } })).rejects.toBeInstanceOf(EnrolmentFailure);
    expect(plane.seen.enrolments.length).toBe(2);
  });

  it('asks again with the same key when the answer was lost', async () => {
    const { plane, open } = await makeWorld();
    let lost = 2;
    const requests: string[] = [];
    plane.interfere = (kind) => {
      if (kind !== 'enrol' || lost === 0) return undefined;
      lost -= 1;
      return lost === 1 ? 'drop' : 503;
    };
    const clock = { now: () => new Date(), sleep: async () => undefined };
    // Only the enrolment is of interest here; a clock that never rests would let the loops run hot afterwards.
    const agent = await open({ clock });
    await agent.close();
    requests.push(...plane.seen.requests.filter((request) => request.endsWith('/enrol')));
    expect(requests.length).toBe(3);
  });

  it('keeps the two kinds of trust apart: who names nodes does not thereby become the control plane', async () => {
    const nodes = await makeTestAuthority('authority of nodes');
    const https = await makeTestAuthority('authority of servers');
    const { plane, stateDir, open } = await makeWorld({ authority: nodes, https });
    await (await open({ settings: { enrolment: { token: plane.issueToken(), caFingerprint: https.fingerprint } } }))
      .connected;
    expect(await readFile(join(stateDir, 'https-ca.pem'), 'utf8')).toContain(
      new X509Certificate(https.pem).toString().trim(),
    );
    expect(await readFile(join(stateDir, 'node-ca.pem'), 'utf8')).toBe(nodes.pem);
    expect(leadsTo(await certificateIn(stateDir), await readFile(join(stateDir, 'https-ca.pem'), 'utf8'))).toBe(false);
  });

  it('refuses an authority file of the operator that lacks the pinned authority', async () => {
    const { plane, stateDir, open } = await makeWorld();
    const other = await makeTestAuthority('another authority');
    const httpsTrustPath = join(stateDir, 'operator.pem');
    await writeFile(httpsTrustPath, other.pem);
    await expect(open({ settings: { httpsTrustPath } })).rejects.toThrow('fingerprint');
    expect(plane.seen.requests).toEqual([]);
  });

  it('says which host is not enrolled', async () => {
    const { open } = await makeWorld();
    await expect(open({ settings: { enrolment: undefined as never } })).rejects.toThrow('not enrolled');
  });
});

describe('a certificate', () => {
  const hourMs = 3_600_000;
  it('is renewed at about two thirds of its life, and the work goes on with the new one', async () => {
    const { plane, stateDir, open } = await makeWorld();
    const clock = makeManualClock();
    const start = clock.now().getTime();
    plane.now = clock.now;
    plane.life = () => ({ from: new Date(start), to: new Date(start + 24 * hourMs) });
    const agent = await open({ clock, elapsedMs: clock.elapsedMs });
    await agent.connected;
    const before = await certificateIn(stateDir);
    await clock.advance(15 * hourMs);
    expect(plane.seen.renewals).toBe(0);
    plane.life = () => ({ from: new Date(start), to: new Date(start + 72 * hourMs) });
    const isRenewed = () => agent.status().certificateValidTo.getTime() > start + 25 * hourMs;
    await advanceUntil(clock, isRenewed, 600_000);
    expect(await certificateIn(stateDir)).not.toBe(before);
    const task = plane.signer.task({ nodeId: plane.nodeId, issuedAt: clock.now() });
    plane.give(task);
    await plane.until(() => resultOf(plane, task) !== undefined);
    expect(plane.seen.renewals).toBe(1);
  });

  it('that has expired is replaced with an operator’s token; leases and results are kept', async () => {
    const { plane, host, stateDir, open } = await makeWorld();
    const clock = makeManualClock();
    const start = clock.now().getTime();
    plane.now = clock.now;
    plane.life = () => ({ from: new Date(start - hourMs), to: new Date(start + hourMs) });
    const agent = await open({ clock, elapsedMs: clock.elapsedMs });
    await agent.connected;
    plane.interfere = (kind) => (kind === 'enrol' ? undefined : 'drop');
    await clock.advance(2 * hourMs);
    const key = await readFile(join(stateDir, 'result.key'), 'utf8');
    plane.life = () => ({ from: new Date(start - hourMs), to: new Date(start + 24 * hourMs) });
    await agent.recover({ token: plane.issueToken() });
    plane.interfere = () => undefined;
    const task = plane.signer.task({ nodeId: plane.nodeId, issuedAt: clock.now() });
    plane.give(task);
    await advanceUntil(clock, () => resultOf(plane, task) !== undefined);
    expect(host.calls.length).toBe(1);
    expect(await readFile(join(stateDir, 'result.key'), 'utf8')).toBe(key);
    expect(agent.status().certificateValidTo.getTime()).toBeGreaterThan(start + 23 * hourMs);
  });

  it('for another node does not make this host that node', async () => {
    const { plane, stateDir, open } = await makeWorld();
    const agent = await open();
    const before = await certificateIn(stateDir);
    const other = await makeWorld({ authority: plane.authority });
    Object.assign(plane, { nodeId: other.plane.nodeId });
    await expect(agent.recover({ token: plane.issueToken() })).rejects.toThrow('another node');
    expect(await certificateIn(stateDir)).toBe(before);
  });

  it('that ran out is replaced by the agent itself once a token of its settings is good', async () => {
    const { plane, open, abandon } = await makeWorld();
    const clock = makeManualClock();
    const start = clock.now().getTime();
    plane.now = clock.now;
    plane.life = () => ({ from: new Date(start - hourMs), to: new Date(start + hourMs) });
    await abandon(await open({ clock, elapsedMs: clock.elapsedMs }));
    await clock.advance(2 * hourMs);
    plane.life = () => ({ from: new Date(start - hourMs), to: new Date(start + 48 * hourMs) });
    // The control plane is away while the agent starts.
    plane.interfere = () => 'drop';
    const enrolment = { token: plane.issueToken(), caFingerprint: plane.authority.fingerprint };
    const agent = await open({ clock, elapsedMs: clock.elapsedMs, settings: { enrolment } });
    expect(agent.status().certificateValidTo.getTime()).toBeLessThan(clock.now().getTime());
    plane.interfere = () => undefined;
    await advanceUntil(clock, () => agent.status().certificateValidTo.getTime() > start + 24 * hourMs, 10_000);
    expect(plane.seen.enrolments.length).toBe(2);
  });

  it('for another key or another name is not taken', async () => {
    const { plane, open } = await makeWorld();
    const { issueNode } = plane.authority;
    Object.assign(plane.authority, {
      issueNode: async (_csr: string, nodeId: string) =>
        issueNode(await makeCertificateRequest(makeTlsKey(), 'thief'), nodeId),
    });
    await expect(open()).rejects.toThrow('another key');
    Object.assign(plane.authority, {
      issueNode: (csr: string) => issueNode(csr, '0191b2c4-0000-7000-8000-000000000009'),
    });
    await expect(open()).rejects.toThrow('name');
  });
});

describe('the keys that sign tasks', () => {
  it('rotate with overlap: a staged key is obeyed early, one in grace still, and a revoked one no more', async () => {
    const world = await makeWorld();
    const { plane, host } = world;
    const next = makeTestSigner();
    plane.heartbeatSeconds = 1;
    const hasty = {
      now: () => new Date(),
      sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 20, signal),
    };
    const agent = await world.open({ clock: hasty });
    const run = async (signer: typeof next) => {
      const task = signer.task({ nodeId: plane.nodeId });
      plane.give(task);
      await plane.until(() => resultOf(plane, task) !== undefined);
    };
    let sequence = 1;
    const say = async (signers: typeof plane.signers, by: typeof next) => {
      plane.signers = signers;
      sequence += 1;
      plane.statement = by.state(signers, sequence);
      const beats = plane.seen.heartbeats.length;
      // The second answer was heard after the first: both came after the list had changed.
      await plane.until(() => plane.seen.heartbeats.length >= beats + 2);
    };
    await run(plane.signer);
    await say([plane.signer.version('active'), next.after(plane.signer, 'staged')], plane.signer);
    await run(next);
    await say([plane.signer.version('grace'), next.after(plane.signer, 'active')], next);
    await run(plane.signer);
    await run(next);
    await say([plane.signer.version('revoked'), next.after(plane.signer, 'active')], next);
    plane.give(plane.signer.task({ nodeId: plane.nodeId }));
    await until(() => agent.status().refused['unknown_signer'] === 1);
    await run(next);
    expect(host.calls.length).toBe(5);
  });
});

async function until(claim: () => boolean): Promise<void> {
  while (!claim()) await new Promise((resolve) => setImmediate(resolve));
}
