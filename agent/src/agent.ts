import { join } from 'node:path';
import { type NodeEnrolled, nodeTransport } from '@gpuaas/contract/node';
import { backoffMs, type Chance, systemChance } from './chance.ts';
import { type Clock, sleepWell, systemClock } from './clock.ts';
import { makeConditions } from './conditions.ts';
import { makeDisk } from './disk.ts';
import { openDrain } from './drain.ts';
import type { Host } from './host/port.ts';
import { type Enrolment, EnrolmentFailure, enrol, renew } from './identity/enrol.ts';
import { type Identity, makeIdentityFiles } from './identity/identity-files.ts';
import { makeResultSigner } from './identity/keys.ts';
import { inTime } from './in-time.ts';
import { makeDeadlines } from './leases/deadlines.ts';
import { openLeases } from './leases/leases.ts';
import { makeHeartbeats } from './loops/heartbeat.ts';
import { keepRenewed } from './loops/renewal.ts';
import { waitForTasks } from './loops/wait-for-tasks.ts';
import { openServerTime } from './server-time.ts';
import { type AgentSettings, withDefaults } from './settings.ts';
import { type Checkpoint, makeExecutor } from './tasks/executor.ts';
import { makeHandlers } from './tasks/handlers.ts';
import { beginJournal, openJournal } from './tasks/journal.ts';
import { makeOutbox } from './tasks/outbox.ts';
import { makeProgress } from './tasks/progress.ts';
import { openSigners } from './tasks/signers.ts';
import { type Log, silentLog } from './telemetry/log.ts';
import { type Client, makeClient } from './transport/client.ts';
import type { SelfUpdate } from './update/self-update.ts';
import { makeUsageDelivery } from './usage/delivery.ts';
import { type Meter, makeMeter } from './usage/meter.ts';
import { openUsageFiles } from './usage/usage-files.ts';

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

const attemptsToEnrol = 8;
const retryEnrolment = { firstMs: 1_000, maxMs: 15_000 };
/** A phase that is over sooner is not worth a transaction at the other end. */
const worthAWordMs = 20;
const progressLimitMs = 5_000;
const pruneEveryMs = 60_000;
const leastGraceMs = 200;

export async function openAgent(parts: AgentParts): Promise<NodeAgent> {
  const settings = withDefaults(parts.settings);
  const { host, clock = systemClock, chance = systemChance, log = silentLog } = parts;
  const elapsedMs = parts.elapsedMs ?? (() => clock.now().getTime());
  const disk = makeDisk({ forced: settings.forcesToDisk });
  const at = (name: string) => join(settings.stateDir, name);
  for (const folder of ['.', 'tasks', 'leases', 'usage']) await disk.sweep(at(folder));
  const bootId = settings.bootId ?? chance.uuid();
  const files = makeIdentityFiles({ disk, ...settings });
  let meter: Meter | undefined;
  const [time, signers, leases, drain, usage] = await Promise.all([
    openServerTime({ clock, elapsedMs, disk, path: at('time.json') }),
    openSigners({ disk, path: at('signers.json') }),
    openLeases({ disk, dir: at('leases'), onChange: () => meter?.look() }),
    openDrain({ disk, path: at('drain.json') }),
    openUsageFiles({ disk, dir: at('usage') }),
  ]);

  let everyMs = 15_000;
  let refusedList = '';
  const hearSigners = async (answer: Pick<NodeEnrolled, 'signers' | 'signers_statement'>) => {
    if ((await signers.hear(answer.signers, answer.signers_statement)) !== 'refused') return;
    // Heartbeats repeat the list; one line for each list is enough.
    const list = JSON.stringify(answer.signers_statement ?? answer.signers);
    if (list === refusedList) return;
    refusedList = list;
    const advice = signers.isAnchored ? 'it changes nothing' : 'enrol this node again with an operator’s token';
    log.error(
      { keys: answer.signers.length },
      `no key that we know vouches for the list of task-signing keys: ${advice}`,
    );
  };
  const learn = async (answer: NodeEnrolled, askedAtMs: number) => {
    everyMs = answer.heartbeat_seconds * 1_000;
    await time.learn(answer.server_time, askedAtMs);
    await disk.write(at('pace.json'), JSON.stringify(answer.heartbeat_seconds));
  };
  const enrolOnce = async (enrolment: Enrolment, as?: string): Promise<Identity> => {
    const askedAtMs = elapsedMs();
    const common = { url: settings.url, peerId: settings.peerId, files, signers };
    const self = { agentVersion: settings.agentVersion, bootId };
    const { identity, answer } = await enrol({
      enrolment,
      ...common,
      ...self,
      ...(as !== undefined && { nodeId: as }),
    });
    await learn(answer, askedAtMs);
    log.info({ node_id: identity.nodeId }, 'enrolled');
    return identity;
  };
  const enrolPatiently = async (enrolment: Enrolment, as?: string): Promise<Identity> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await enrolOnce(enrolment, as);
      } catch (error) {
        if (attempt === attemptsToEnrol || (error instanceof EnrolmentFailure && !error.mayRetry)) throw error;
        log.warn({ attempt, err: error }, 'enrolment did not succeed yet');
        const asked = error instanceof EnrolmentFailure ? (error.retryAfterMs ?? 0) : 0;
        await clock.sleep(asked + backoffMs(retryEnrolment, attempt, chance));
      }
    }
  };
  /** Nobody listens to an expired certificate; but leases are kept by this agent, and have to end on time. */
  const keepExpired = (expired: Identity, error: unknown): Identity => {
    log.error({ err: error }, 'the node needs a new enrolment and the token did not help; leases are kept meanwhile');
    return expired;
  };
  const firstIdentity = async (): Promise<Identity> => {
    // A damaged identity needs an operator's token; without one an operator has to look.
    let isNew = true;
    const there = await files.read().catch((error: unknown) => {
      if (!settings.enrolment) throw error;
      log.error({ err: error }, 'the identity is damaged and is replaced');
      isNew = false;
      return undefined;
    });
    // A node that trusts no task-signing key is of no use: a token that was given heals that too.
    const isGood = there !== undefined && there.validToMs > time.nowMs() && signers.isAnchored;
    if (there && (isGood || !settings.enrolment)) return there;
    if (!settings.enrolment) throw new Error('this host is not enrolled; give it an operator’s token');
    // Once: leases wait for this agent to start. The loop that renews goes on trying.
    if (there) return enrolOnce(settings.enrolment, there.nodeId).catch((error: unknown) => keepExpired(there, error));
    const identity = await enrolPatiently(settings.enrolment);
    if (isNew) await beginJournal(disk, at('tasks'), time.nowMs());
    return identity;
  };

  let identity = await firstIdentity();
  const { nodeId } = identity;
  everyMs = readPace(await disk.read(at('pace.json'))) ?? everyMs;
  const connect = async (as: Identity) => {
    const trust = await files.httpsTrust();
    if (trust === undefined) throw new Error('there is no HTTPS trust file; enrol again with a fingerprint');
    return makeClient({ url: settings.url, trust, peerId: settings.peerId, identity: as });
  };
  let client = await connect(identity);
  const become = async (next: Identity) => {
    const before = client;
    client = await connect(next);
    identity = next;
    before.retire();
  };

  const stopping = new AbortController();
  const { signal } = stopping;
  const journal = await openJournal({ disk, dir: at('tasks') });
  const sign = makeResultSigner(await files.resultKey());
  const line = { nodeId, client: () => client, clock, chance, log, signal };
  const outbox = makeOutbox({ ...line, journal });
  const delivery = makeUsageDelivery({ ...line, files: usage });
  meter = makeMeter({
    ...{ nodeId, bootId, host, leases, sign, time, clock, chance, log },
    files: usage,
    everyMs: settings.usageEveryMs,
    wasSent: delivery.wasSent,
    onRecord: delivery.nudge,
  });
  const measured = meter;
  const conditions = makeConditions({ host, leases, journal, isDraining: () => drain.isDraining, now: time.now });
  const compare = () =>
    conditions.compare().catch((error: unknown) => log.warn({ err: error }, 'runtimes could not be compared'));
  const selfUpdate = parts.makeSelfUpdate?.({ client: () => client, nodeId });
  const executor = makeExecutor({
    ...line,
    host,
    handlers: makeHandlers({ host, leases, drain, selfUpdate, onDiscovery: compare }),
    signers,
    journal,
    outbox,
    leases,
    time,
    sign,
    mostRunning: settings.mostRunning,
    workLimitMs: settings.workLimitMs,
    checkpoint: parts.checkpoint ?? (() => undefined),
    onChange: () => deadlines.look(),
    onLeaseEnded: () => heartbeats.nudge(),
    makeProgress: (task) => {
      const path = nodeTransport.progress.path.replace('{id}', nodeId).replace('{task_id}', task.task_id);
      return makeProgress({
        generation: task.generation,
        now: time.now,
        hesitate: (over) => sleepWell(clock, worthAWordMs, over),
        post: async (progress) => {
          // A word that is lost on its way is not said again: the next one says more.
          const order = { method: 'POST', path, body: progress, limitMs: progressLimitMs, signal } as const;
          await client.call(order).catch(() => undefined);
        },
      });
    },
  });
  const deadlines = makeDeadlines({ leases, time, clock, chance, log, end: executor.endLease });
  const heartbeats = makeHeartbeats({
    ...line,
    elapsedMs,
    everyMs: () => everyMs,
    async compose() {
      const utilization = await inTime(host.utilization()).catch(() => undefined);
      const images = await inTime(host.images()).catch(() => undefined);
      const held = leases.held();
      parts.record?.({ at: time.now().toISOString(), gpu_utilization: utilization, leases: held.length });
      return {
        boot_id: bootId,
        agent_version: settings.agentVersion,
        sent_at: clock.now().toISOString(),
        conditions: await conditions.read(),
        leases: held,
        running_tasks: executor.running.slice(0, 64),
        ...(utilization && { gpu_utilization: utilization.slice(0, 64).map(Math.round) }),
        ...(images && { images: images.slice(0, 64) }),
      };
    },
    listen() {
      const { epoch } = drain;
      return async (answer, askedAtMs) => {
        await time.learn(answer.server_time, askedAtMs);
        await hearSigners(answer);
        await journal.settle(time.nowMs());
        await drain.hear(answer.state, epoch);
        prune();
        await selfUpdate?.proveHealthy();
      };
    },
  });
  let prunedAtMs = Number.NEGATIVE_INFINITY;
  const prune = () => {
    if (elapsedMs() - prunedAtMs < pruneEveryMs) return;
    prunedAtMs = elapsedMs();
    journal.prune(time.nowMs()).catch((error: unknown) => log.warn({ err: error }, 'old tasks could not be forgotten'));
  };

  await compare();
  executor.resume();
  const loops = [
    deadlines.run(signal),
    heartbeats.run(signal),
    // The time is known after the first answer; what was measured before would be by this host's own clock.
    Promise.race([heartbeats.first, stopped(signal)]).then(() => measured.run(signal)),
    delivery.run(signal),
    Promise.race([heartbeats.first, stopped(signal)]).then(() =>
      waitForTasks({ ...line, executor, known: () => journal.open().map(({ task }) => task.task_id) }),
    ),
    keepRenewed({
      ...line,
      identity: () => identity,
      nowMs: time.nowMs,
      async renew() {
        if (time.nowMs() >= identity.validToMs) {
          if (!settings.enrolment) throw new Error('the certificate has expired; enrol again');
          return become(await enrolOnce(settings.enrolment, nodeId));
        }
        const askedAtMs = elapsedMs();
        const next = await renew({ client, identity, files });
        await learn(next.answer, askedAtMs);
        await hearSigners(next.answer);
        await become(next.identity);
      },
      async reread() {
        const there = await files.read();
        if (!there || there.certificate === identity.certificate || there.nodeId !== nodeId) return false;
        await become(there);
        return true;
      },
    }),
  ].map((loop) =>
    loop.catch((error: unknown) => {
      if (!signal.aborted) log.error({ err: error }, 'a loop of the agent ended');
    }),
  );

  return {
    nodeId,
    connected: heartbeats.first,
    status: () => ({
      nodeId,
      certificateValidTo: new Date(identity.validToMs),
      running: executor.running,
      unacknowledged: outbox.waiting,
      usageWaiting: delivery.waiting,
      leases: leases.held().length,
      isDraining: drain.isDraining,
      refused: executor.refused,
      lastAnsweredAtMs: heartbeats.lastAnsweredAtMs,
    }),
    async recover(enrolment) {
      await become(await enrolPatiently(enrolment, nodeId));
      heartbeats.nudge();
    },
    async close() {
      await executor.close(settings.closeGraceMs);
      stopping.abort(new Error('the agent is closing'));
      client.close();
      // Whatever still hangs is on disk; the next process takes it up.
      await Promise.race([Promise.all(loops), patience(Math.max(settings.closeGraceMs, leastGraceMs))]);
    },
  };
}

const patience = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

function readPace(text: string | undefined): number | undefined {
  const seconds = Number(text ?? Number.NaN);
  return Number.isInteger(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}
