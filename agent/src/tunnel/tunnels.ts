import { connect, type TLSSocket } from 'node:tls';
import { appProxyName, appTunnelLimits, appTunnelProtocol } from '@gpuaas/contract/ingress';
import { backoffMs, type Chance } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { Host } from '../host/port.ts';
import type { Log } from '../telemetry/log.ts';
import { makeBell } from '../terminal/bell.ts';
import type { ClientIdentity } from '../transport/client.ts';
import { makeCheckProcess } from '../transport/trust.ts';
import { serveTunnel, type Tunnel } from './serve.ts';

/** The tunnels of a node: one to each copy of the app-proxy, while containers of a lease may be called. */
export interface Tunnels {
  /** The addresses of the copies of the proxy. They are dialled only while a lease has a container. */
  setUrls(urls: readonly string[] | undefined): void;
  /** The lease has a container. */
  addLease(allocationId: string): void;
  /** The lease has ended. */
  removeLease(allocationId: string): void;
  /** The container was stopped: closes its streams. */
  closeWorkload(allocationId: string, workloadId: string): void;
  readonly open: number;
  run(signal: AbortSignal): Promise<void>;
}

const between = { firstMs: 250, maxMs: 10_000 };

export function makeTunnels(parts: {
  readonly host: Pick<Host, 'connectContainer'>;
  readonly dial: DialTunnel;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
}): Tunnels {
  const { clock, chance, log } = parts;
  const changed = makeBell();
  const leases = new Set<string>();
  const open = new Set<Tunnel>();
  let urls: readonly string[] = [];

  /** Keeps one tunnel to one copy open, and dials again when it ends, until the signal aborts. */
  const keepTunnel = async (url: string, signal: AbortSignal): Promise<void> => {
    for (let failures = 0; !signal.aborted; failures += 1) {
      const tunnel = await parts
        .dial(url, signal)
        .then((socket) => serveTunnel(socket, parts.host))
        .catch((error: unknown) => {
          log.warn({ err: error, url }, 'the app-proxy could not be reached');
          return undefined;
        });
      if (tunnel) {
        failures = 0;
        open.add(tunnel);
        const end = () => tunnel.close();
        signal.addEventListener('abort', end, { once: true });
        if (signal.aborted) end();
        await tunnel.closed;
        signal.removeEventListener('abort', end);
        open.delete(tunnel);
      }
      if (!signal.aborted) await sleepWell(clock, backoffMs(between, failures + 1, chance), signal);
    }
  };
  return {
    setUrls(next = []) {
      if (next.length === urls.length && next.every((url, at) => url === urls[at])) return;
      urls = next;
      changed.ring();
    },
    addLease(allocationId) {
      if (leases.has(allocationId)) return;
      leases.add(allocationId);
      changed.ring();
    },
    removeLease(allocationId) {
      for (const tunnel of open) tunnel.closeStreams({ allocationId });
      if (leases.delete(allocationId)) changed.ring();
    },
    closeWorkload(allocationId, workloadId) {
      for (const tunnel of open) tunnel.closeStreams({ allocationId, workloadId });
    },
    get open() {
      return open.size;
    },
    async run(signal) {
      const running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
      signal.addEventListener('abort', () => changed.ring(), { once: true });
      while (!signal.aborted) {
        const next = new Set(leases.size === 0 ? [] : urls);
        for (const [url, { stop }] of running) {
          if (next.has(url)) continue;
          stop.abort();
          running.delete(url);
        }
        for (const url of next) {
          if (running.has(url)) continue;
          const stop = new AbortController();
          running.set(url, { stop, done: keepTunnel(url, AbortSignal.any([signal, stop.signal])) });
        }
        await changed.wait();
      }
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

export type DialTunnel = (url: string, signal: AbortSignal) => Promise<TLSSocket>;

/** Dials with the certificate of the node. It trusts the same authorities as the connection to the control plane. */
export function makeDialTunnel(parts: {
  readonly identity: () => ClientIdentity;
  readonly trust: () => Promise<string | undefined>;
  readonly peerId: string | undefined;
}): DialTunnel {
  const checkProcess = makeCheckProcess(appProxyName, parts.peerId);
  return async (url, signal) => {
    const trust = await parts.trust();
    if (trust === undefined) throw new Error('there is no HTTPS trust file; enrol again with a fingerprint');
    const { hostname, port } = new URL(url);
    const { certificate: cert, key } = parts.identity();
    const host = hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve, reject) => {
      const socket = connect({
        ...{ host, port: Number(port || '443'), ca: trust, cert, key, minVersion: 'TLSv1.3' },
        ...{ allowPartialTrustChain: true, rejectUnauthorized: true, checkServerIdentity: checkProcess },
        ...{ ALPNProtocols: [appTunnelProtocol], signal },
        ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      });
      socket.setNoDelay(true);
      socket.setTimeout(appTunnelLimits.connectMs, () => socket.destroy(new Error('the handshake took too long')));
      socket.once('error', reject);
      socket.once('secureConnect', () => {
        socket.setTimeout(0);
        socket.off('error', reject);
        socket.on('error', () => socket.destroy());
        if (socket.alpnProtocol === appTunnelProtocol) return resolve(socket);
        socket.destroy();
        reject(new Error('the peer speaks another protocol'));
      });
    });
  };
}
