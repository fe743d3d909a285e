import { terminalLimits } from '@gpuaas/contract/terminal';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { IsTrustedProxy } from '../gate/proxies.ts';
import type { InternalClient } from '../internal/client.ts';
import type { ProcessIdentity } from '../internal/process-identity.ts';
import type { StrangerLimits } from '../nodes/strangers.ts';
import { makeTerminalApi } from './api.ts';
import { type BrowserDoor, type BrowserLimits, openBrowserDoor } from './browser-door.ts';
import type { ClientParts } from './client.ts';
import { makeFindHome } from './find-home.ts';
import { type Homes, makeHomes } from './home/homes.ts';
import { makeInside } from './inside.ts';
import { type InsideDoor, openInsideDoor } from './inside-door.ts';
import { type JumpLimits, usualJumpLimits } from './jump/connection.ts';
import { type JumpDoor, openJumpDoor } from './jump/door.ts';
import { nowMs } from './later.ts';
import { makeGatewayMetrics } from './metrics.ts';
import { makePeers } from './peer-link.ts';
import { makeWatching, type Watching } from './watching.ts';

export interface GatewaySettings {
  readonly host: string;
  readonly port: number;
  readonly nodeHost: string;
  readonly nodePort: number;
  /** Where other copies reach this one; its host and port for nodes when left out. */
  readonly peerUrl?: string | undefined;
  readonly origins: readonly string[];
  readonly isTrustedProxy: IsTrustedProxy;
  readonly limits: GatewayLimits;
  /** Where SSH clients reach the jump host of this copy; left out where it is none. */
  readonly jump?:
    | {
        readonly host: string;
        readonly port: number;
        readonly hasProxyHeaders?: boolean;
        readonly limits?: Partial<JumpLimits>;
      }
    | undefined;
}
export interface GatewayLimits extends BrowserLimits {
  readonly nodeConnections: number;
  readonly connectionsPerNode: number;
  /** Connections to the door of nodes that have not shown a certificate yet. */
  readonly nodeStrangers: StrangerLimits;
  readonly nodeArrivalsPerMinute: number;
  /** How long a client waits for a home, how long a home for its agent, and how long all of them for the api. */
  readonly homeWaitMs: number;
  readonly nodeGraceMs: number;
  readonly apiOutageMs: number;
  readonly helloMs: number;
  /** How long one may watch the session of another person before the api checks the right to it again. */
  readonly watchMs: number;
  readonly pingMs: number;
  /** How often the host key of the jump host is asked for anew. */
  readonly hostKeyMs: number;
  /** How long a stop waits for clients and agents to leave. */
  readonly drainMs: number;
}
export const usualGatewayLimits: GatewayLimits = {
  ...{ attemptsPerMinute: 120, strangersPerAddress: 64, strangers: 2_000, connections: 12_000 },
  ...{ nodeConnections: 24_000, connectionsPerNode: 512, nodeArrivalsPerMinute: 240 },
  // Many nodes may come from one address, all at once after a restart; each has its seat for one handshake.
  nodeStrangers: { perAddress: 1_000, inTotal: 4_000 },
  watchMs: terminalLimits.watchSeconds * 1_000,
  ...{ homeWaitMs: 60_000, nodeGraceMs: 300_000, apiOutageMs: 900_000, drainMs: 5_000 },
  ...{ helloMs: terminalLimits.helloSeconds * 1_000, pingMs: terminalLimits.pingSeconds * 1_000 },
  hostKeyMs: 30_000,
};
export interface Gateway {
  readonly copyId: string;
  readonly port: number;
  readonly nodePort: number;
  readonly homes: Homes;
  readonly door: BrowserDoor;
  readonly jumpDoor: JumpDoor | undefined;
  readonly insideDoor: Pick<InsideDoor, 'strangers'>;
  readonly watching: Watching;
  /** What waits on all connections to be sent. */
  readonly waitingBytes: number;
  /** Stops accepting, sends clients and agents to other copies, and closes what is left. */
  close(): Promise<void>;
  /** Closes everything at once, without a word to anyone. */
  cut(): Promise<void>;
}
export interface GatewayParts {
  readonly identity: ProcessIdentity;
  readonly client: InternalClient;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** One copy of the terminal gateway. */
export async function openGateway(settings: GatewaySettings, parts: GatewayParts): Promise<Gateway> {
  const { limits } = settings;
  const { log, clock } = parts;
  const copyId = parts.ids.next();
  const metrics = makeGatewayMetrics(parts.metrics);
  const api = makeTerminalApi({ client: parts.client, metrics, clock });
  const peers = makePeers({ identity: parts.identity, metrics, clock, log });
  const stop = new AbortController();
  const stopping = stop.signal;
  let nodePort = settings.nodePort;
  const peerUrl = () => settings.peerUrl ?? `wss://${settings.nodeHost}:${nodePort}`;
  const mine = { copyId, peerUrl, api, metrics, log, clock };
  const watching: Watching = makeWatching({ ...mine, peers, homes: () => homes, outageMs: limits.apiOutageMs });
  const homes: Homes = makeHomes({
    ...{ ...mine, stopping, nodeGraceMs: limits.nodeGraceMs },
    onChanged: () => watching.changed(),
  });
  const inside = makeInside({ ...mine, ...limits, homes });
  const insideDoor = await openInsideDoor({
    ...{ host: settings.nodeHost, port: settings.nodePort, identity: parts.identity, metrics, clock },
    ...{ connections: limits.nodeConnections, connectionsPerNode: limits.connectionsPerNode },
    ...{ strangers: limits.nodeStrangers, takeNode: inside.takeNode, takePeer: inside.takePeer },
  });
  nodePort = insideDoor.port;
  // A start that waits for the api begins anew each time.
  await watching.begin().catch(async (error: unknown) => {
    await insideDoor.close();
    throw error;
  });
  const forClients: ClientParts = {
    ...{ ...mine, stopping, helloMs: limits.helloMs, watchMs: limits.watchMs },
    messageBytes: terminalLimits.clientMessageBytes,
    findHome: makeFindHome({ copyId, api, homes, peers, clock, homeWaitMs: limits.homeWaitMs }),
  };
  const jumpDoor = settings.jump && (await openJump(settings, settings.jump, forClients, parts.metrics));
  const door = await openBrowserDoor({
    ...{ ...settings, ...forClients },
    isReady: () => watching.silenceMs < readyWithinMs,
  });
  const clients = () => [...door.clients, ...(jumpDoor?.clients ?? [])];
  const wires = () => [...clients().map(({ wire }) => wire), ...inside.wires, ...peers.wires];
  const probing = startReconciler(
    {
      name: 'terminal-pings',
      async round() {
        for (const wire of wires()) if (!wire.probe()) wire.terminate();
        return 'idle';
      },
    },
    { clock, log, everyMs: limits.pingMs },
  );
  const looking =
    jumpDoor &&
    startReconciler(
      {
        name: 'jump-host-key',
        async round() {
          // An operator may have switched to the next key.
          const keys = await api.ask('jump_keys', {});
          if (keys.ok) jumpDoor.showKey(keys.value.private_key);
          return 'idle';
        },
      },
      { clock, log, everyMs: limits.hostKeyMs },
    );
  const waiting = () => wires().reduce((sum, { waitingBytes }) => sum + waitingBytes, 0);
  showState(parts.metrics, { homes, door, watching, waiting });

  const halt = () => {
    door.stopAccepting();
    jumpDoor?.stopAccepting();
    insideDoor.stopAccepting();
    stop.abort(new Error('the gateway is stopping'));
  };
  const cut = async () => {
    halt();
    await probing.close();
    await looking?.close();
    await watching.close();
    await insideDoor.close();
    await jumpDoor?.close();
    await door.close();
  };
  return {
    ...{ copyId, homes, door, jumpDoor, insideDoor, watching, nodePort, port: door.port, cut },
    get waitingBytes() {
      return waiting();
    },
    async close() {
      halt();
      // Agents first: their new connections are what clients look for.
      homes.moveOut();
      for (const { wire } of clients()) wire.close(4503);
      await drained(clock, () => clients().length === 0 && inside.wires.size === 0, limits.drainMs);
      await cut();
      await homes.flush();
    },
  };
}

/** The jump host of this copy. Its key comes from the api, so all copies show the same one. */
async function openJump(
  { isTrustedProxy }: Pick<GatewaySettings, 'isTrustedProxy'>,
  { host, port, limits, hasProxyHeaders = false }: NonNullable<GatewaySettings['jump']>,
  clients: ClientParts,
  allMetrics: Metrics,
): Promise<JumpDoor | undefined> {
  const keys = await clients.api.ask('jump_keys', {});
  if (!keys.ok) {
    clients.log.warn(
      { reason: keys.message },
      'this copy is no SSH jump host: GPUAAS_SSH_JUMP_URL of the api says where people reach it',
    );
    return undefined;
  }
  return openJumpDoor({
    ...{ ...clients, host, port, isTrustedProxy, hasProxyHeaders, allMetrics, hostKey: keys.value.private_key },
    jumpLimits: { ...usualJumpLimits, ...limits },
  });
}

const readyWithinMs = 2 * terminalLimits.waitSeconds * 1_000;
const lookEveryMs = 20;

async function drained(clock: Clock, isEmpty: () => boolean, withinMs: number): Promise<void> {
  const until = nowMs(clock) + withinMs;
  while (!isEmpty() && nowMs(clock) < until) await clock.sleep(lookEveryMs);
}

function showState(
  metrics: Metrics,
  parts: Pick<Gateway, 'homes' | 'door' | 'watching'> & { readonly waiting: () => number },
): void {
  const { homes, door, watching } = parts;
  const waiting = metrics.gauge('gpuaas_terminal_waiting_bytes', 'Bytes that wait on connections to be sent.', []);
  const sessions = metrics.gauge('gpuaas_terminal_sessions', 'Sessions whose agent is connected to this copy.', []);
  const clients = metrics.gauge('gpuaas_terminal_clients', 'Clients of this copy, by role.', ['role']);
  const strangers = metrics.gauge('gpuaas_terminal_strangers', 'Connections that have no session yet.', []);
  const lag = metrics.gauge(
    'gpuaas_terminal_recorder_lag_seconds',
    'How long the oldest output that is not stored yet waits, of all recorded sessions.',
    [],
  );
  const silence = metrics.gauge(
    'gpuaas_terminal_api_silence_seconds',
    'Time since the api last answered the standing question of this copy.',
    [],
  );
  metrics.onScrape(async () => {
    sessions.set(homes.all.size);
    for (const role of ['writer', 'watcher'] as const) {
      clients.set({ role }, [...door.clients].filter((client) => client.role === role).length);
    }
    strangers.set(door.strangers);
    waiting.set(parts.waiting());
    lag.set(Math.max(0, ...[...homes.all.values()].map(({ recorderLagMs }) => recorderLagMs)) / 1_000);
    silence.set(watching.silenceMs / 1_000);
  });
}
