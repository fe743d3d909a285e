import type { HealthFinding } from '@gpuaas/contract';
import {
  answerMs,
  certificates,
  clockSkew,
  connectionsPercent,
  consumerAge,
  consumerDepth,
  deadLetters,
  type Limits,
  lostNodes,
  outboxAge,
  taskAge,
  unsealedAge,
  wholePercent,
} from './facts.ts';

/** What was read; the findings follow from it and from nothing else. */
export interface Reading {
  readonly tookMs: number;
  readonly databaseBytes: number;
  readonly connections: number;
  readonly maxConnections: number;
  readonly relays: number;
  readonly workers: number;
  readonly billing: number;
  readonly pending: number;
  readonly oldestPendingSeconds: number;
  /** What the oldest event that waits is about. */
  readonly oldestPendingType: string | undefined;
  readonly deadLetters: number;
  /** Undefined when the bus did not answer. */
  readonly behind: readonly Behind[] | undefined;
  readonly alerts: Readonly<Record<'blocks_sale' | 'blocks_transition' | 'informs', number>>;
  readonly lostNodes: number;
  readonly silentNodes: number;
  readonly tasksWaiting: number;
  readonly oldestTaskSeconds: number;
  readonly certificatesExpiring: number;
  readonly clockSkewSeconds: number;
  readonly unsealed: number;
  readonly oldestUnsealedSeconds: number;
  readonly unlistedProxy: UnlistedProxy | undefined;
}
/** A proxy whose forwarded headers are ignored, because nobody listed it. */
export interface UnlistedProxy {
  readonly address: string;
  readonly seenAt: Date;
}

/** What was found; which runbook it leads to is decided by its name. */
export type Finding = Omit<HealthFinding, 'runbook'>;
type Status = HealthFinding['status'];
const statusOf = (value: number, { warn, bad }: Limits): Status =>
  value >= bad ? 'bad' : value >= warn ? 'warn' : 'ok';
const present = (count: number): Status => (count > 0 ? 'ok' : 'bad');

/** Every finding that follows from a reading, by section. */
export const findAll = (reading: Reading): Finding[] => [
  ...findProcesses(reading),
  ...findDatabase(reading),
  ...findEvents(reading),
  ...findFleet(reading),
  ...findAudit(reading),
];

function findProcesses(reading: Reading): Finding[] {
  return [
    {
      section: 'processes',
      name: 'outbox_relay',
      status: present(reading.relays),
      value: reading.relays,
      unit: 'count',
      message:
        reading.relays > 0
          ? 'Connections of a relay, which carries events to the bus.'
          : 'No relay is connected: events wait. Start outbox-relay.',
    },
    {
      section: 'processes',
      name: 'workers',
      status: present(reading.workers),
      value: reading.workers,
      unit: 'count',
      message:
        reading.workers > 0
          ? 'Connections of workers, which make allocations and send letters.'
          : 'No worker is connected: nothing is provisioned. Start provisioning-worker.',
    },
    {
      section: 'processes',
      name: 'billing_worker',
      status: present(reading.billing),
      value: reading.billing,
      unit: 'count',
      message:
        reading.billing > 0
          ? 'Connections of a billing-worker, which charges usage.'
          : 'No billing-worker is connected: nothing is charged. Start billing-worker.',
    },
    {
      section: 'processes',
      name: 'unlisted_proxy',
      status: reading.unlistedProxy ? 'warn' : 'ok',
      value: null,
      unit: 'count',
      message: reading.unlistedProxy
        ? `${reading.unlistedProxy.address} sends forwarded headers but is not in GPUAAS_TRUSTED_PROXIES: they are ignored, and everybody behind it counts as one caller. If it is your proxy, list it.`
        : 'No forwarded headers came from a proxy that is not listed.',
    },
  ];
}

function findDatabase(reading: Reading): Finding[] {
  const share = (reading.connections / reading.maxConnections) * wholePercent;
  return [
    {
      section: 'database',
      name: 'database_answer',
      status: statusOf(reading.tookMs, answerMs),
      value: reading.tookMs,
      unit: 'milliseconds',
      message: 'How long the database took to answer one question.',
    },
    {
      section: 'database',
      name: 'database_connections',
      status: statusOf(share, connectionsPercent),
      value: reading.connections,
      unit: 'count',
      message: `Of ${reading.maxConnections} connections that it allows.`,
    },
    {
      section: 'database',
      name: 'database_size',
      status: 'ok',
      value: reading.databaseBytes,
      unit: 'bytes',
      message: 'What the database takes on disk.',
    },
  ];
}

function findEvents(reading: Reading): Finding[] {
  const { pending, oldestPendingSeconds: outboxSeconds } = reading;
  return [
    {
      section: 'events',
      name: 'outbox_age',
      status: statusOf(outboxSeconds, outboxAge),
      value: outboxSeconds,
      unit: 'seconds',
      message:
        pending === 0
          ? 'Every event is on the bus.'
          : `The oldest of ${pending} events that wait for the relay: ${reading.oldestPendingType}.`,
    },
    {
      section: 'events',
      name: 'dead_letters',
      status: statusOf(reading.deadLetters, deadLetters),
      value: reading.deadLetters,
      unit: 'count',
      message:
        reading.deadLetters === 0
          ? 'Nothing was given up.'
          : 'Events that could not be delivered: look at them, then deliver them again or discard them.',
    },
    ...findBehind(reading.behind),
  ];
}

function findFleet(reading: Reading): Finding[] {
  const { tasksWaiting } = reading;
  const blocking = reading.alerts.blocks_sale + reading.alerts.blocks_transition;
  return [
    {
      section: 'fleet',
      name: 'alerts_blocking',
      status: blocking === 0 ? 'ok' : 'warn',
      value: blocking,
      unit: 'count',
      message:
        blocking === 0
          ? 'No alert keeps capacity from being sold.'
          : 'Alerts that keep slots or hosts from being sold or changed: look at each.',
    },
    {
      section: 'fleet',
      name: 'alerts_informing',
      status: reading.alerts.informs === 0 ? 'ok' : 'warn',
      value: reading.alerts.informs,
      unit: 'count',
      message: reading.alerts.informs === 0 ? 'Nothing else was found.' : 'Alerts that only inform.',
    },
    {
      section: 'fleet',
      name: 'lost_nodes',
      status: statusOf(reading.lostNodes, lostNodes),
      value: reading.lostNodes,
      unit: 'count',
      message: reading.lostNodes === 0 ? 'Every node is heard.' : 'Nodes that nobody hears any more.',
    },
    {
      section: 'fleet',
      name: 'silent_nodes',
      status: reading.silentNodes === 0 ? 'ok' : 'warn',
      value: reading.silentNodes,
      unit: 'count',
      message: reading.silentNodes === 0 ? 'Every active node has reported.' : 'Active nodes that never reported.',
    },
    {
      section: 'fleet',
      name: 'task_age',
      status: statusOf(reading.oldestTaskSeconds, taskAge),
      value: reading.oldestTaskSeconds,
      unit: 'seconds',
      message: tasksWaiting === 0 ? 'No task waits for its node.' : `The oldest of ${tasksWaiting} tasks that wait.`,
    },
    {
      section: 'fleet',
      name: 'certificates_expiring',
      status: statusOf(reading.certificatesExpiring, certificates),
      value: reading.certificatesExpiring,
      unit: 'count',
      message:
        reading.certificatesExpiring === 0
          ? 'Certificates of nodes are renewed in time.'
          : 'Certificates of nodes that end within hours and were not renewed.',
    },
    {
      section: 'fleet',
      name: 'clock_skew',
      status: statusOf(reading.clockSkewSeconds, clockSkew),
      value: reading.clockSkewSeconds,
      unit: 'seconds',
      message: 'How far the clock of the worst node is off.',
    },
  ];
}

function findAudit(reading: Reading): Finding[] {
  return [
    {
      section: 'audit',
      name: 'audit_unsealed',
      status: statusOf(reading.oldestUnsealedSeconds, unsealedAge),
      value: reading.unsealed,
      unit: 'count',
      message: reading.unsealed === 0 ? 'Every row is part of its chain.' : 'Rows that are written and not yet sealed.',
    },
  ];
}

/** How far one consumer of events is behind. */
export interface Behind {
  readonly consumer: string;
  readonly waiting: number;
  readonly oldestSeconds: number;
}
const worse = (one: Status, other: Status): Status => (order.indexOf(one) > order.indexOf(other) ? one : other);

/** One finding for each consumer. */
function findBehind(behind: readonly Behind[] | undefined): Finding[] {
  if (!behind) {
    const message = 'The bus does not answer: what follows from events waits. Nothing is lost, the outbox has it.';
    return [{ section: 'events', name: 'bus', status: 'bad', value: null, unit: null, message }];
  }
  return behind.map(({ consumer, waiting, oldestSeconds }) => ({
    section: 'events',
    name: `lag_of_${consumer.replaceAll('-', '_')}`,
    status: worse(statusOf(waiting, consumerDepth), statusOf(oldestSeconds, consumerAge)),
    value: waiting,
    unit: 'count',
    message:
      waiting === 0
        ? 'Nothing waits for this consumer.'
        : `Events that wait for this consumer or are in its hands, the oldest for ${Math.round(oldestSeconds)} s.`,
  }));
}

const order: readonly Status[] = ['ok', 'warn', 'bad'];
export const worstOf = (findings: readonly Finding[]): Status =>
  findings.reduce<Status>((worst, { status }) => worse(worst, status), 'ok');
