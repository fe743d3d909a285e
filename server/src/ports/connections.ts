import type { Ports } from './open.ts';

/**
 * How many connections to PostgreSQL a process holds at most, so that an operator can size the server: the sum over all
 * processes has to stay below `max_connections`. Every pool has a bound and every listener is one connection, so the sum is
 * exact; a test counts what a running installation really holds. A process that starts holds one more, before its pools.
 */
export interface ConnectionSettings {
  readonly poolSize: number;
  /** Ports whose own server is named; the others live in PostgreSQL. */
  readonly elsewhere: ReadonlySet<keyof Ports | 'identity-provider'>;
}

const listener = 1;
/** In PostgreSQL, of each adapter: its pools and its listener. */
const embedded: { readonly [P in Exclude<keyof Ports, 'database'>]: number } = {
  bus: 1 + 8 + listener,
  cache: 4 + listener,
  sagas: 4 + 12 + listener,
  certificates: 2,
  mail: 2,
  maas: 0,
  objects: 0,
  // The simulated provider alone lives here; others are asked over the network.
  storage: 0,
  payments: 2,
  registry: 0,
  webhooks: 0,
};
/** What a process holds beside its ports. */
const relayLead = 1;
const ofLease = 1;
const leased = new Set(['outbox-relay', 'provisioning-worker', 'billing-worker', 'app-runtime-worker']);
const ownIssuer = 5;
const lookAtSagas = 1;
const lookAtBus = 1;

export function mostConnections(
  process: { readonly name: string; readonly needs: readonly string[] },
  settings: ConnectionSettings,
): number {
  if (!process.needs.includes('database')) return 0;
  const lives = (port: keyof Ports | 'identity-provider') => !settings.elsewhere.has(port);
  const ofPorts = (Object.keys(embedded) as (keyof typeof embedded)[])
    .filter((port) => process.needs.includes(port) && lives(port))
    .map((port) => embedded[port]);
  const beside =
    process.name === 'outbox-relay'
      ? [relayLead]
      : process.name === 'api'
        ? [lives('identity-provider') ? ownIssuer : 0, lives('sagas') ? lookAtSagas : 0, lives('bus') ? lookAtBus : 0]
        : [];
  const lease = leased.has(process.name) ? ofLease : 0;
  return [settings.poolSize, listener, lease, ...ofPorts, ...beside].reduce((sum, each) => sum + each, 0);
}
