import { mkdtemp, rm } from 'node:fs/promises';
import { request as ask, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type AppAdmission, type AppUseCounts, appIngressRoutes } from '@gpuaas/contract/ingress';
import type { InternalInput } from '@gpuaas/contract/internal';
import { expect } from 'vitest';
import { systemChance } from '../../../../agent/src/chance.ts';
import { systemClock as agentClock } from '../../../../agent/src/clock.ts';
import { workloadOrder } from '../../../../agent/src/host/conformance-containers.ts';
import { first, makeWork, ordersFor } from '../../../../agent/src/host/conformance-rig.ts';
import type { Host } from '../../../../agent/src/host/port.ts';
import { openSimulatedHost } from '../../../../agent/src/host/simulated/host.ts';
import { silentLog as agentLog } from '../../../../agent/src/telemetry/log.ts';
import { makeDialTunnel, makeTunnels } from '../../../../agent/src/tunnel/tunnels.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import { readProxies } from '../gate/proxies.ts';
import type { InternalClient } from '../internal/client.ts';
import { makeTestAuthority } from '../terminal/testing.ts';
import type { AdmissionQuery } from './admission-cache.ts';
import { readAppsUrl } from './host-name.ts';
import { type AppProxy, type AppProxyLimits, openAppProxy, usualAppProxyLimits } from './proxy.ts';

/** A real proxy, the real tunnel of an agent and a simulated host behind it; the api is a function of the test. */
export interface AppRig {
  readonly proxy: AppProxy;
  admitted: Extract<AppAdmission, { decision: 'admitted' }>;
  /** What the api says from now on. */
  decide: (question: AdmissionQuery) => AppAdmission | 'outage';
  /** Stands in for the api of the test, where it answers something. */
  answer: (route: { readonly path: string }, body: object) => Promise<object | undefined>;
  readonly asked: AdmissionQuery[];
  /** What the proxy has reported. */
  readonly reported: AppUseCounts[];
  /** Waits before the api answers a question about a caller. */
  hold: () => Promise<void>;
  /** What the proxy took to the api for a session. */
  readonly redeemed: { readonly code: string; readonly state: string }[];
  nodeIsGood: boolean;
  /** How often the api was asked about the node. */
  nodeAsked: number;
  readonly nodeId: string;
  /** A connection with the certificate of the node, for a host that behaves otherwise than its agent. */
  dialAsNode(): Promise<TLSSocket>;
  call(path: string, options?: CallOptions): Promise<Called>;
  /** Bytes on a connection, as no client would write them; answers all that comes back. */
  say(bytes: string): Promise<string>;
  stopContainer(): Promise<unknown>;
  close(): Promise<void>;
}
interface CallOptions {
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
export interface Called {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
export const label = 'web-1';
export const session = 's'.repeat(40);

/** A host with one container that runs, whatever it is made of. */
export interface RigHost extends Pick<Host, 'connectContainer'> {
  readonly allocationId: string;
  readonly workloadId: string;
  stop(): Promise<unknown>;
  close(): Promise<void>;
}

export async function openAppRig(
  limits: Partial<AppProxyLimits> = {},
  openHost: () => Promise<RigHost> = openSimulated,
): Promise<AppRig> {
  const host = await openHost();
  const authority = await makeTestAuthority();
  const nodeId = systemIds.next();
  const { cert, key, ca } = await authority.process('app-proxy');
  const held = { tls: { cert, key, ca }, notBefore: new Date(0), notAfter: new Date(Date.now() + 3_600_000) };
  const rig = {
    admitted: {
      decision: 'admitted',
      route: { route_id: systemIds.next(), family: 'browser', auth: 'browser_oidc' },
      ...{
        actor_id: systemIds.next(),
        organization_id: systemIds.next(),
        instance_id: systemIds.next(),
        allocation_id: host.allocationId,
        node_id: nodeId,
      },
      ...{ workload_id: host.workloadId, port: 8_080, simulated: true, meters: [] },
    } as AppRig['admitted'],
    decide: (_question: AdmissionQuery): AppAdmission | 'outage' => rig.admitted,
    answer: (async () => undefined) as AppRig['answer'],
    asked: [] as AdmissionQuery[],
    reported: [] as AppUseCounts[],
    redeemed: [] as { code: string; state: string }[],
    hold: async (): Promise<void> => undefined,
    nodeIsGood: true,
    nodeAsked: 0,
  };
  const api = (isOfCallers: boolean): Pick<InternalClient, 'ask'> => ({
    async ask(route, body) {
      const answer = await rig.answer(route, body);
      if (answer !== undefined) return { ok: true, value: answer } as never;
      if (route.path === appIngressRoutes.admitNode.path) {
        rig.nodeAsked += 1;
        return { ok: true, value: { admitted: rig.nodeIsGood } } as never;
      }
      if (route.path === appIngressRoutes.signIn.path) {
        const { code, state } = body as { code: string; state: string };
        rig.redeemed.push({ code, state });
        const expires_at = new Date(Date.now() + 60_000).toISOString();
        return (
          code === 'c'.repeat(40)
            ? { ok: true, value: { secret: session, expires_at } }
            : { ok: false, status: 400, code: 'invalid_request', message: 'no' }
        ) as never;
      }
      if (route.path === appIngressRoutes.reportUse.path) {
        const { uses } = body as InternalInput<typeof appIngressRoutes.reportUse>;
        rig.reported.push(...uses);
        return { ok: true, value: { stored: uses.length } } as never;
      }
      rig.asked.push(body as AdmissionQuery);
      if (isOfCallers) await rig.hold();
      const said = rig.decide(body as AdmissionQuery);
      if (said === 'outage') throw new Error('the api does not answer');
      return { ok: true, value: said } as never;
    },
  });
  const proxy = await openAppProxy(
    {
      ...{ host: '127.0.0.1', port: 0, nodeHost: '127.0.0.1', nodePort: 0, isTrustedProxy: readProxies(undefined) },
      address: readAppsUrl('http://apps.localhost'),
      limits: { ...usualAppProxyLimits, ...limits },
    },
    {
      identity: { current: () => held, onRenewed: () => undefined, replace: async () => 'in memory' },
      ...{ client: api(false), callers: api(true) },
      ...{ clock: systemClock, ids: systemIds, log: silentLog, metrics: makeMetrics('test', '0') },
    },
  );
  const node = await authority.node(nodeId);
  const dial = makeDialTunnel({
    identity: () => ({ certificate: String(node.cert), key: String(node.key) }),
    trust: async () => String(node.ca),
    peerId: 'spiffe://gpuaas/control-plane',
  });
  const tunnels = makeTunnels({ ...{ host, clock: agentClock, chance: systemChance, log: agentLog }, dial });
  const stop = new AbortController();
  const running = tunnels.run(stop.signal);
  tunnels.setUrls([`https://127.0.0.1:${proxy.nodePort}`]);
  tunnels.addLease(host.allocationId);
  await expect.poll(() => proxy.tunnels).toBe(1);
  return Object.assign(rig, {
    ...{ proxy, nodeId },
    dialAsNode: () => dial(`https://127.0.0.1:${proxy.nodePort}`, stop.signal),
    call: (path: string, options: CallOptions = {}) => callAt(proxy.port, path, options),
    say: (bytes: string) => sayAt(proxy.port, bytes),
    stopContainer: () => host.stop(),
    async close() {
      stop.abort();
      await running;
      await proxy.close();
      await host.close();
    },
  });
}

async function openSimulated(): Promise<RigHost> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-apps-'));
  const pace = { speed: Number.POSITIVE_INFINITY };
  const host = await openSimulatedHost({ seed: 'apps', folder, clock: agentClock, pace });
  const { user } = await ordersFor(host, { username: 'ada', uid: 20_001, gid: 20_001 });
  await host.provisionUser(user(first), makeWork());
  const { allocation_id, workload_id } = workloadOrder(1);
  await host.launchContainer(workloadOrder(1), makeWork());
  return {
    ...{ allocationId: allocation_id, workloadId: workload_id, connectContainer: host.connectContainer },
    stop: () => host.stopContainer({ allocation_id, workload_id, grace_seconds: 0, remove_volumes: false }, makeWork()),
    async close() {
      await host.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An app that answers every connection with these bytes, whatever it was asked, and then ends it. */
export const answering = (bytes: () => string) => async (): Promise<RigHost> => ({
  ...{ allocationId: systemIds.next(), workloadId: systemIds.next(), stop: async () => undefined },
  async connectContainer() {
    const [near, far] = duplexPair();
    for (const one of [near, far]) one.on('error', () => one.destroy());
    far.once('data', () => far.end(Buffer.from(bytes(), 'latin1')));
    far.resume();
    return near;
  },
  close: async () => undefined,
});

export const cookie = { cookie: `gpuaas-app=${session}` };

function callAt(port: number, path: string, options: CallOptions): Promise<Called> {
  return new Promise((resolve, reject) => {
    const asked = ask(
      {
        ...{ host: '127.0.0.1', port, path, method: options.method ?? 'GET', agent: false },
        headers: { host: options.host ?? `${label}.apps.localhost`, ...cookie, ...options.headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(options.body);
  });
}

function sayAt(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    socket.setTimeout(3_000, () => socket.destroy());
    socket.on('data', (chunk) => {
      heard += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(heard));
    socket.write(bytes);
  });
}
