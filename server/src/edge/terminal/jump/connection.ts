import type { Connection } from 'ssh2';
import type { CallerAddress } from '../../gate/caller-address.ts';
import type { NodeBudget } from '../../nodes/budget.ts';
import type { Strangers } from '../../nodes/strangers.ts';
import { after } from '../after.ts';
import { type Client, type ClientParts, serve } from '../client.ts';
import { later } from '../later.ts';
import type { Bounds } from './bounds.ts';
import { makeChannelWire } from './channel-wire.ts';
import type { JumpMetrics } from './metrics.ts';
import { fingerprintOf, provesKey } from './proof.ts';
import { speakRefusals } from './refusals.ts';

export interface JumpConnectionParts extends ClientParts {
  readonly jumpMetrics: JumpMetrics;
  readonly limits: JumpLimits;
  /** Connections with the same key, and the machines that it may ask for in a minute. */
  readonly keySeats: Strangers;
  readonly asks: NodeBudget;
  readonly clients: Set<Client>;
}
export interface JumpLimits {
  /** Connections that one address may try in a minute. */
  readonly attemptsPerMinute: number;
  readonly strangersPerAddress: number;
  readonly strangers: number;
  readonly connections: number;
  readonly connectionsPerKey: number;
  readonly opensPerMinute: number;
  readonly channelsPerConnection: number;
  readonly keysPerConnection: number;
  /** How long a connection has to sign in, and how long it may stay without a channel. */
  readonly signInMs: number;
  readonly idleMs: number;
}
export const usualJumpLimits: JumpLimits = {
  ...{ attemptsPerMinute: 60, strangersPerAddress: 16, strangers: 500, connections: 2_000 },
  ...{ connectionsPerKey: 32, opensPerMinute: 60, channelsPerConnection: 10, keysPerConnection: 20 },
  ...{ signInMs: 20_000, idleMs: 60_000 },
};
const rightsLost = 4403;
const leaveWithinMs = 2_000;

/** One SSH connection: its key is checked, and then it may open channels to machines and do nothing else. */
export function serveConnection(
  connection: Connection,
  from: {
    readonly address: string;
    readonly onSignedIn: () => void;
    readonly cut: () => void;
    readonly bounds: Bounds;
  },
  parts: JumpConnectionParts,
): void {
  const { limits, jumpMetrics, log, clock } = parts;
  const reject = speakRefusals(connection);
  let fingerprint: string | undefined;
  let leaveSeat: (() => void) | undefined;
  let channels = 0;
  let isOver = false;
  const mine = new Set<Client>();
  let callOff = () => {};
  // A client may ignore that it was sent away, and keep its side open.
  const end = () => {
    if (isOver) return;
    isOver = true;
    callOff();
    connection.end();
    callOff = later(clock, leaveWithinMs, from.cut);
  };
  const rest = () => {
    if (isOver) return;
    callOff();
    if (channels === 0) callOff = later(clock, limits.idleMs, end);
  };
  connection.on('error', end);
  connection.once('close', () => {
    isOver = true;
    callOff();
    leaveSeat?.();
    // A channel that was never confirmed does not hear that its connection is gone.
    for (const { wire } of mine) wire.terminate();
  });
  admit(connection, { address: from.address, end, onProven: (key) => (fingerprint = key) }, parts);
  connection.once('ready', () => {
    const key = fingerprint;
    leaveSeat = key === undefined ? undefined : parts.keySeats.take(key as CallerAddress);
    if (!leaveSeat) {
      jumpMetrics.countRefusal('connections');
      return end();
    }
    jumpMetrics.countSignIn();
    from.onSignedIn();
    rest();
  });
  connection.on('tcpip', (accept, refuse, { destIP, destPort }) => {
    const refused = (words: string) => reject(refuse, words);
    if (fingerprint === undefined || isOver) return refused('sign in first');
    if (parts.stopping.aborted) return refused('the gateway is being restarted; connect again');
    if (channels >= limits.channelsPerConnection) return refused('too many channels in one connection');
    if (parts.asks.take(fingerprint) !== undefined) return refused('too many connections in a minute; wait a little');
    channels += 1;
    rest();
    const target = { fingerprint, address: from.address, target: destIP.slice(0, 255), port: destPort };
    const { bounds } = from;
    const asked = {
      ...{ accept: () => bounds.watch(accept()), written: bounds.written, mine, isOver: () => isOver },
      reject: (words: string) => (isOver ? undefined : refused(words)),
    };
    const done = openChannel(target, asked, parts).then((code) => {
      if (code === rightsLost) end();
    });
    after(
      done.finally(() => {
        channels -= 1;
        rest();
      }),
      log,
      () => undefined,
    );
  });
}

type Asked = Parameters<typeof makeChannelWire>[0] & {
  readonly mine: Set<Client>;
  /** Whether the connection has gone meanwhile. */
  isOver(): boolean;
};
interface Target {
  readonly fingerprint: string;
  readonly address: string;
  readonly target: string;
  readonly port: number;
}

/** Asks the api for a session and carries its bytes until it ends. Answers the code with which it was closed. */
async function openChannel(target: Target, asked: Asked, parts: JumpConnectionParts): Promise<number | undefined> {
  const { jumpMetrics, clients } = parts;
  if (target.target === '') {
    asked.reject('name an allocation');
    return undefined;
  }
  const mine = { copy_id: parts.copyId, peer_url: parts.peerUrl() };
  const answer = await parts.api.ask('jump_open', { ...target, ...mine }).catch(() => undefined);
  if (!answer?.ok) {
    jumpMetrics.countRefusal(answer ? 'api' : 'outage');
    asked.reject(answer?.message ?? 'the control plane does not answer; try again in a moment');
    return undefined;
  }
  const client = serve(
    {
      openWire: (listener) =>
        makeChannelWire(asked, {
          ...{ clock: parts.clock, listener },
          onPaused: (seconds) => parts.metrics.countPause('client', seconds),
        }),
      attach: async () => answer,
    },
    parts,
  );
  if (asked.isOver()) client.wire.terminate();
  for (const all of [clients, asked.mine]) all.add(client);
  await client.done.finally(() => {
    for (const all of [clients, asked.mine]) all.delete(client);
  });
  return client.wire.closed;
}

/** Signs in by a public key that a person has registered. Nothing else is offered. */
function admit(
  connection: Connection,
  on: { readonly address: string; readonly end: () => void; readonly onProven: (fingerprint: string) => void },
  parts: JumpConnectionParts,
): void {
  const { jumpMetrics } = parts;
  let keys = 0;
  connection.on('authentication', (request) => {
    keys += 1;
    if (keys > parts.limits.keysPerConnection) {
      jumpMetrics.countRefusal('keys');
      return on.end();
    }
    if (request.method !== 'publickey') return request.reject(['publickey']);
    const isProven = provesKey(request);
    if (isProven === false) {
      jumpMetrics.countRefusal('signature');
      return request.reject(['publickey']);
    }
    const fingerprint = fingerprintOf(request.key.data);
    const asked = parts.api.ask('jump_admit', { fingerprint, address: on.address }).then(
      (answer) => answer.ok && answer.value.known,
      () => undefined,
    );
    after(asked, parts.log, (isKnown) => {
      if (!isKnown) {
        jumpMetrics.countRefusal(isKnown === undefined ? 'outage' : 'unknown_key');
        return request.reject(['publickey']);
      }
      if (isProven) on.onProven(fingerprint);
      request.accept();
    });
  });
}
