import { type Chance, systemChance } from './chance.ts';
import { type Clock, systemClock } from './clock.ts';
import { makeConditions } from './conditions.ts';
import type { Host } from './host/port.ts';
import { type Enrolment, renew } from './identity/enrol.ts';
import { type Enrolments, makeEnrolments, makeHearSigners } from './identity/enrolments.ts';
import type { Identity } from './identity/identity-files.ts';
import { makeResultSigner } from './identity/keys.ts';
import { makeDeadlines } from './leases/deadlines.ts';
import { makeLogConnection } from './logs/connection.ts';
import { type LogShipping, openLogShipping } from './logs/shipping.ts';
import { makeComposeHeartbeat } from './loops/compose-heartbeat.ts';
import { makeHeartbeats } from './loops/heartbeat.ts';
import { keepRenewed } from './loops/renewal.ts';
import { waitForTasks } from './loops/wait-for-tasks.ts';
import { type AgentSettings, type WholeSettings, withDefaults } from './settings.ts';
import { type AgentState, openState } from './state.ts';
import { type Checkpoint, makeExecutor } from './tasks/executor.ts';
import { makeHandlers } from './tasks/handlers/all.ts';
import { openJournal } from './tasks/journal.ts';
import { makeOutbox } from './tasks/outbox.ts';
import { makePostedProgress } from './tasks/posted-progress.ts';
import { type Log, silentLog } from './telemetry/log.ts';
import { openTelemetry } from './telemetry/telemetry.ts';
import { makeDial } from './terminal/dial.ts';
import { makeTerminals } from './terminal/terminals.ts';
import type { Client } from './transport/client.ts';
import { type ControlPlane, openControlPlane } from './transport/control-plane.ts';
import { makeDialTunnel, makeTunnels, type Tunnels } from './tunnel/tunnels.ts';
import type { SelfUpdate } from './update/self-update.ts';
import { makeUsageDelivery } from './usage/delivery.ts';
import { type Meter, makeMeter } from './usage/meter.ts';

/**
 * A node agent: it dials out, takes signed tasks, does them on its host and says what came of them. It owns its state
 * folder and nothing else, so hundreds of them live in one process as well as one on a machine.
 */
export interface NodeAgent {
  readonly nodeId: string;
  /** Resolves when the control plane has answered the first heartbeat. */
  readonly connected: Promise<void>;
  status(): AgentStatus;
  /** Enrols again with an operator's token, for a certificate that has run out. Leases and results are kept. */
  recover(enrolment: Enrolment): Promise<void>;
  close(): Promise<void>;
}
export interface AgentStatus {
  readonly nodeId: string;
  readonly certificateValidTo: Date;
  readonly running: readonly string[];
  readonly unacknowledged: number;
  /** Usage records that the control plane has not answered for. */
  readonly usageWaiting: number;
  /** Samples that the control plane has not answered for. */
  readonly samplesWaiting: number;
  /** Lines of the log that no gateway has taken, and those that found no room. */
  readonly linesWaiting: number;
  readonly linesLost: number;
  readonly leases: number;
  readonly isDraining: boolean;
  readonly refused: Readonly<Record<string, number>>;
  readonly lastAnsweredAtMs: number | undefined;
}

export interface AgentParts {
  readonly host: Host;
  readonly settings: AgentSettings;
  readonly clock?: Clock;
  /** A counter of milliseconds that nobody sets. Without one the clock has to do. */
  readonly elapsedMs?: () => number;
  readonly chance?: Chance;
  readonly log?: Log;
  /** For an agent that is run by a supervisor. */
  readonly makeSelfUpdate?: (line: { readonly client: () => Client; readonly nodeId: string }) => SelfUpdate;
  /** One line per heartbeat for the telemetry file. */
  readonly record?: (line: object) => void;
  readonly checkpoint?: (name: Checkpoint, task: { readonly task_id: string }) => Promise<void> | undefined;
}

const pruneEveryMs = 60_000;
const leastGraceMs = 200;

export async function openAgent(parts: AgentParts): Promise<NodeAgent> {
  const settings = withDefaults(parts.settings);
  const { host, clock = systemClock, chance = systemChance, log: ownLog = silentLog } = parts;
  const elapsedMs = parts.elapsedMs ?? (() => clock.now().getTime());
  const bootId = settings.bootId ?? chance.uuid();
  let meter: Meter | undefined;
  const state = await openState({ settings, clock, elapsedMs, onLeaseChange: () => meter?.look() });
  const enrolments = makeEnrolments({ settings, state, bootId, clock, elapsedMs, chance, log: ownLog });
  const controlPlane = await openControlPlane({ first: await enrolments.first(), files: state.files, settings });
  const shipping = await openLogShipping({
    ...{ host, time: state.time, clock, chance, log: ownLog, disk: state.disk, dir: state.logsDir },
    everyMs: settings.logEveryMs,
    connection: makeLogConnection({ ...asNode(state, () => controlPlane.identity), peerId: settings.peerId }),
  });
  const { log } = shipping;
  const stopping = new AbortController();
  const common: Common = {
    ...{ parts, settings, host, state, enrolments, controlPlane, clock, elapsedMs, chance, log, bootId, shipping },
    nodeId: controlPlane.identity.nodeId,
    client: () => controlPlane.client,
    signal: stopping.signal,
    hearSigners: makeHearSigners({ signers: state.signers, log }),
  };
  const work = await openWork(common);
  meter = work.meter;
  await work.compare();
  work.executor.resume();
  const loops = startLoops(common, work);
  const { executor, outbox, delivery, telemetry, heartbeats, terminals } = work;
  return {
    nodeId: common.nodeId,
    connected: heartbeats.first,
    status: () => ({
      nodeId: common.nodeId,
      certificateValidTo: new Date(controlPlane.identity.validToMs),
      running: executor.running,
      unacknowledged: outbox.waiting,
      usageWaiting: delivery.waiting,
      samplesWaiting: telemetry.waiting,
      linesWaiting: shipping.waiting,
      linesLost: shipping.lost,
      leases: state.leases.held().length,
      isDraining: state.drain.isDraining,
      refused: executor.refused,
      lastAnsweredAtMs: heartbeats.lastAnsweredAtMs,
    }),
    async recover(enrolment) {
      await controlPlane.become(await enrolments.patiently(enrolment, common.nodeId));
      heartbeats.nudge();
    },
    async close() {
      await executor.close(settings.closeGraceMs);
      // A shell without its agent could not be reached any more; the next agent would not know of it.
      await terminals.close();
      stopping.abort(new Error('the agent is closing'));
      controlPlane.client.close();
      // Whatever still hangs is on disk; the next process takes it up.
      await Promise.race([loops, patience(Math.max(settings.closeGraceMs, leastGraceMs))]);
    },
  };
}

/** What every part of an agent may ask for. */
interface Common {
  readonly parts: AgentParts;
  readonly settings: WholeSettings;
  readonly host: Host;
  readonly state: AgentState;
  readonly enrolments: Enrolments;
  readonly controlPlane: ControlPlane;
  readonly nodeId: string;
  readonly bootId: string;
  readonly client: () => Client;
  readonly clock: Clock;
  readonly elapsedMs: () => number;
  readonly chance: Chance;
  readonly log: Log;
  readonly shipping: LogShipping;
  readonly signal: AbortSignal;
  readonly hearSigners: ReturnType<typeof makeHearSigners>;
}

type AgentWork = Awaited<ReturnType<typeof openWork>>;

/** Opens what does the work: tasks and their results, terminals, usage, and what a heartbeat says and hears. */
async function openWork(common: Common) {
  const { parts, settings, host, state, nodeId, bootId, client, clock, elapsedMs, chance, log } = common;
  const { time, leases, drain, signers, files } = state;
  const journal = await openJournal({ disk: state.disk, dir: state.tasksDir });
  const sign = makeResultSigner(await files.resultKey());
  const outbox = makeOutbox({ ...common, journal });
  const delivery = makeUsageDelivery({ ...common, files: state.usage });
  const meter = makeMeter({
    ...{ nodeId, bootId, host, leases, sign, time, clock, chance, log, files: state.usage },
    ...{ everyMs: settings.usageEveryMs, speed: settings.gpuTimeSpeed },
    ...{ wasSent: delivery.wasSent, onRecord: delivery.nudge },
  });
  const telemetry = await openTelemetry({
    ...{ nodeId, host, client, time, clock, chance, log },
    ...{ disk: state.disk, dir: state.telemetryDir, everyMs: settings.sampleEveryMs },
  });
  const conditions = makeConditions({
    ...{ host, leases, journal, isDraining: () => drain.isDraining, now: time.now },
    hot: () => telemetry.hot,
  });
  const compare = () =>
    conditions.compare().catch((error: unknown) => log.warn({ err: error }, 'runtimes could not be compared'));
  const dial = makeDial({ ...asNode(state, () => common.controlPlane.identity), peerId: settings.peerId });
  const terminals = makeTerminals({ host, dial, time, clock, elapsedMs, chance, log });
  const dialTunnel = makeDialTunnel({ ...asNode(state, () => common.controlPlane.identity), peerId: settings.peerId });
  const tunnels = makeTunnels({ host, dial: dialTunnel, clock, chance, log });
  const selfUpdate = parts.makeSelfUpdate?.({ client, nodeId });
  const executor = makeExecutor({
    ...{ nodeId, host, signers, journal, outbox, leases, time, clock, log, sign },
    handlers: makeHandlers({ host, leases, drain, terminals, tunnels, clock, selfUpdate, onDiscovery: compare }),
    mostRunning: settings.mostRunning,
    workLimitMs: settings.workLimitMs,
    checkpoint: parts.checkpoint ?? (() => undefined),
    onChange: () => deadlines.look(),
    onLeaseEnded: () => heartbeats.nudge(),
    makeProgress: makePostedProgress({ ...common, now: time.now }),
  });
  const deadlines = makeDeadlines({ leases, time, clock, chance, log, end: executor.endLease });
  const prune = makePrune(common, () => journal.prune(time.nowMs()));
  const heartbeats = makeHeartbeats({
    ...common,
    everyMs: () => state.pace.everyMs,
    compose: makeComposeHeartbeat({
      ...{ host, leases, conditions, executor, time, clock, bootId, record: parts.record },
      agentVersion: settings.agentVersion,
    }),
    listen() {
      const { epoch } = drain;
      return async (answer, askedAtMs) => {
        await time.learn(answer.server_time, askedAtMs);
        await common.hearSigners(answer);
        common.shipping.hear(answer.logs_url);
        tunnels.setUrls(answer.app_tunnel_urls);
        await journal.settle(time.nowMs());
        await drain.hear(answer.state, epoch);
        prune();
        await selfUpdate?.proveHealthy();
      };
    },
  });
  return { journal, outbox, delivery, telemetry, meter, compare, terminals, tunnels, executor, deadlines, heartbeats };
}

/** What a connection to another process than the api shows and believes. */
const asNode = ({ files }: Pick<AgentState, 'files'>, identity: () => Identity) => ({
  ...{ identity, trust: () => files.httpsTrust() },
});

/** Starts everything that goes on until the agent closes. One loop that fails does not end the others. */
async function startLoops(common: Common, work: AgentWork): Promise<void> {
  const { signal, log } = common;
  const { deadlines, heartbeats, meter, delivery, telemetry, executor, journal, tunnels } = work;
  // The time is known after the first answer; what was measured before would be by this host's own clock.
  const answered = () => Promise.race([heartbeats.first, stopped(signal)]);
  const loops = [
    deadlines.run(signal),
    heartbeats.run(signal),
    answered().then(() => meter.run(signal)),
    delivery.run(signal),
    answered().then(() => telemetry.run(signal)),
    answered().then(() => common.shipping.run(signal)),
    findContainers(common, tunnels).then(() => tunnels.run(signal)),
    answered().then(() =>
      waitForTasks({ ...common, executor, known: () => journal.open().map(({ task }) => task.task_id) }),
    ),
    startRenewals(common),
  ];
  await Promise.all(
    loops.map((loop) =>
      loop.catch((error: unknown) => {
        if (!signal.aborted) log.error({ err: error }, 'a loop of the agent ended');
      }),
    ),
  );
}

/** Containers outlive their agent: those that are here may be called again. */
async function findContainers({ host, state, signal, log }: Common, tunnels: Tunnels): Promise<void> {
  for (const { allocation_id, generation } of state.leases.held()) {
    const found = await host
      .containers({ allocation_id }, { generation, signal, phase: () => undefined })
      .catch((error: unknown) => {
        log.warn({ err: error, allocation_id }, 'the containers of an allocation could not be looked at');
        return [];
      });
    if (found.length > 0) tunnels.addLease(allocation_id);
  }
}

function startRenewals(common: Common): Promise<void> {
  const { settings, state, controlPlane, enrolments, elapsedMs, nodeId, hearSigners } = common;
  const { files, time } = state;
  return keepRenewed({
    ...common,
    identity: () => controlPlane.identity,
    nowMs: time.nowMs,
    async renew() {
      const { identity, client } = controlPlane;
      if (time.nowMs() >= identity.validToMs) {
        if (!settings.enrolment) throw new Error('the certificate has expired; enrol again');
        return controlPlane.become(await enrolments.once(settings.enrolment, nodeId));
      }
      const askedAtMs = elapsedMs();
      const next = await renew({ client, identity, files });
      await enrolments.learn(next.answer, askedAtMs);
      await hearSigners(next.answer);
      await controlPlane.become(next.identity);
    },
    async reread() {
      const there = await files.read();
      const isOther = there && there.certificate !== controlPlane.identity.certificate && there.nodeId === nodeId;
      if (!isOther) return false;
      await controlPlane.become(there);
      return true;
    },
  });
}

/** Forgets old tasks now and then, as heartbeats are answered. */
function makePrune({ elapsedMs, log }: Pick<Common, 'elapsedMs' | 'log'>, prune: () => Promise<void>): () => void {
  let prunedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (elapsedMs() - prunedAtMs < pruneEveryMs) return;
    prunedAtMs = elapsedMs();
    prune().catch((error: unknown) => log.warn({ err: error }, 'old tasks could not be forgotten'));
  };
}

const patience = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
