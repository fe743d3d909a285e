import { type AddressInfo, createServer, type Socket } from 'node:net';
import ssh2 from 'ssh2';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import { callerAddress } from '../../gate/caller-address.ts';
import type { IsTrustedProxy } from '../../gate/proxies.ts';
import { makeNodeBudget } from '../../nodes/budget.ts';
import { makeStrangers } from '../../nodes/strangers.ts';
import { after } from '../after.ts';
import { makeBrowserSeats } from '../browser-seats.ts';
import type { Client, ClientParts } from '../client.ts';
import { later } from '../later.ts';
import { makeBounds } from './bounds.ts';
import { type JumpLimits, serveConnection } from './connection.ts';
import { makeJumpMetrics } from './metrics.ts';
import { takeProxyHeader } from './proxy-header.ts';

export interface JumpDoor {
  readonly port: number;
  readonly clients: ReadonlySet<Client>;
  readonly connections: number;
  /** New connections see this host key; those that run keep what they agreed on. */
  showKey(hostKey: string): void;
  stopAccepting(): void;
  close(): Promise<void>;
}
export interface JumpDoorParts extends ClientParts {
  readonly host: string;
  readonly port: number;
  readonly hostKey: string;
  readonly isTrustedProxy: IsTrustedProxy;
  /** Whether listed proxies write the header of the PROXY protocol, version 2. */
  readonly hasProxyHeaders: boolean;
  readonly jumpLimits: JumpLimits;
  readonly allMetrics: Metrics;
}

/** No compression: a small packet could become a large one. No SHA-1, and no keys of a size that is too small. */
const algorithms = {
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256', 'ecdh-sha2-nistp384'],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
} as const;
const ident = 'gpuaas';

/** What speaks SSH with one host key. */
function makeProtocol(
  hostKey: string,
  log: ClientParts['log'],
  speak: (connection: ssh2.Connection, ip: string, port: number) => void,
): ssh2.Server {
  const made = new ssh2.Server(
    { hostKeys: [hostKey], ident, algorithms: { ...algorithms } as never },
    (connection, { ip, port }) => speak(connection, ip, port),
  );
  made.on('error', (error: Error) => log.warn({ err: error }, 'the jump host could not serve a connection'));
  return made;
}

/**
 * Where SSH clients without our command line come: `ssh -J`. A client signs in by a key of a person and opens channels to port 22 of
 * machines; the bytes in them are encrypted from the client to the machine. There is no shell, no command, no file and no other
 * forwarding here, because nothing in this process listens for them.
 */
export async function openJumpDoor(parts: JumpDoorParts): Promise<JumpDoor> {
  const { jumpLimits: limits, clock } = parts;
  const sockets = new Map<string, Socket>();
  const addresses = new WeakMap<Socket, string>();
  const signingIn = new WeakMap<Socket, () => void>();
  const clients = new Set<Client>();
  const seats = makeBrowserSeats({
    ...{ perAddress: limits.strangersPerAddress, inTotal: limits.strangers, isTrustedProxy: parts.isTrustedProxy },
  });
  const attempts = makeNodeBudget({ clock, callsPerMinute: limits.attemptsPerMinute });
  const jumpMetrics = makeJumpMetrics(parts.allMetrics, {
    connections: () => sockets.size,
    channels: () => clients.size,
  });
  const served = {
    ...{ ...parts, limits, jumpMetrics, clients },
    keySeats: makeStrangers({ perAddress: limits.connectionsPerKey, inTotal: limits.connections }),
    asks: makeNodeBudget({ clock, callsPerMinute: limits.opensPerMinute }),
  };
  const nameOf = (ip: string | undefined, port: number | undefined) => `${ip} ${port}`;
  const speak = (connection: ssh2.Connection, ip: string, port: number): void => {
    const socket = sockets.get(nameOf(ip, port));
    if (!socket) {
      connection.on('error', () => undefined);
      connection.end();
      return;
    }
    const address = (addresses.get(socket) ?? ip).slice(0, 64);
    const cut = () => socket.destroy();
    const bounds = makeBounds(socket, cut);
    socket.on('data', bounds.look);
    const onSignedIn = () => {
      signingIn.get(socket)?.();
      seats.leave(socket);
    };
    serveConnection(connection, { address, onSignedIn, cut, bounds }, served);
  };
  let shown = { hostKey: parts.hostKey, protocol: makeProtocol(parts.hostKey, parts.log, speak) };
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    const { remoteAddress, remotePort } = socket;
    const name = nameOf(remoteAddress, remotePort);
    socket.on('error', () => socket.destroy());
    const isOfProxy = remoteAddress !== undefined && parts.isTrustedProxy(remoteAddress);
    const isCounted = (address: string | undefined): boolean => {
      if (attempts.take(callerAddress(address)) === undefined) return true;
      jumpMetrics.countRefusal('address_budget');
      socket.destroy();
      return false;
    };
    if (!isOfProxy && !isCounted(remoteAddress)) return;
    if (!seats.take(socket)) {
      jumpMetrics.countRefusal('connections');
      return socket.destroy();
    }
    sockets.set(name, socket);
    socket.once('close', () => sockets.delete(name));
    const callOff = later(clock, limits.signInMs, () => {
      jumpMetrics.countRefusal('slow');
      socket.destroy();
    });
    signingIn.set(socket, callOff);
    socket.once('close', callOff);
    if (!isOfProxy || !parts.hasProxyHeaders) return shown.protocol.injectSocket(socket);
    after(takeProxyHeader(socket), parts.log, (address) => {
      if (socket.destroyed) return;
      if (address === undefined || !seats.name(socket, address)) {
        jumpMetrics.countRefusal(address === undefined ? 'proxy_header' : 'connections');
        socket.destroy();
        return;
      }
      if (!isCounted(address)) return;
      addresses.set(socket, address);
      shown.protocol.injectSocket(socket);
    });
  });
  server.maxConnections = limits.connections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    clients,
    get connections() {
      return sockets.size;
    },
    showKey(hostKey) {
      if (hostKey !== shown.hostKey) shown = { hostKey, protocol: makeProtocol(hostKey, parts.log, speak) };
    },
    stopAccepting: () => server.close(),
    async close() {
      server.close();
      for (const socket of sockets.values()) socket.destroy();
      await Promise.allSettled([...clients].map(({ done }) => done));
    },
  };
}
