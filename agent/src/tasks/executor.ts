import { type NodeTask, type NodeTaskResult, type NodeTaskType, nodeTaskKinds } from '@gpuaas/contract/node';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { type Clock, sleepWell } from '../clock.ts';
import { type Host, HostFailure, type Work } from '../host/port.ts';
import type { ResultSigner } from '../identity/keys.ts';
import type { Leases } from '../leases/leases.ts';
import type { ServerTime } from '../server-time.ts';
import type { Log } from '../telemetry/log.ts';
import { TaskFailure } from './failure.ts';
import { supersedes } from './handlers/all.ts';
import type { Handler, Handlers } from './handlers/handler.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { makeLanes } from './lanes.ts';
import type { Outbox } from './outbox.ts';
import type { Progress } from './progress.ts';
import type { Signers } from './signers.ts';
import { hasGoodParams, type Refusal, verifyTask } from './verify-task.ts';

/**
 * From a task on the wire to a signed result on disk. Each step is in the journal before it is taken, and each step may
 * be the last one this process takes; `checkpoint` is where tests make it so.
 */
export interface Executor {
  /** What was on the wire. Refusing has no effect but a count, and for tasks that are truly ours an answer. */
  offer(value: unknown): Promise<Offered>;
  /** Takes up what an earlier process left. */
  resume(): void;
  /** Ends a lease at its deadline, in its lane. */
  endLease(allocationId: string): Promise<void>;
  readonly running: readonly string[];
  readonly mayTakeMore: boolean;
  /** Resolves when a lane has become free. */
  room(): Promise<void>;
  readonly refused: Readonly<Partial<Record<Refusal | 'seen_set_lost', number>>>;
  /** Interrupts what runs and leaves it in the journal for the next process. */
  close(graceMs: number): Promise<void>;
}
/** `answered`: refused, with a result that says so; the task will not come again. */
export type Offered = 'accepted' | 'answered' | 'known' | 'refused';
export type Checkpoint = 'arrived' | 'accepted' | 'running' | 'worked' | 'done';

const mostUnacknowledged = 256;
const longestMessage = 2_000;
const putAwayEveryMs = 5_000;
/** How long the end of a lease waits for whatever still works in it. */
const turnMs = 30_000;

const outputs = new Map<NodeTaskType, Validator>();
function fitsOutput(type: NodeTaskType, output: unknown): boolean {
  let check = outputs.get(type);
  if (!check) {
    check = Compile(nodeTaskKinds[type].output as TSchema) as unknown as Validator;
    outputs.set(type, check);
  }
  return check.Check(output);
}

/** What lines about a task are found by. */
const about = ({ task_id, task_type, correlation_id, params }: NodeTask) => ({
  ...{ task_id, task_type, correlation_id },
  allocation_id: (params as { readonly allocation_id?: string }).allocation_id,
});

export function makeExecutor(parts: {
  readonly nodeId: string;
  readonly host: Host;
  readonly handlers: Handlers;
  readonly signers: Signers;
  readonly journal: Journal;
  readonly outbox: Outbox;
  readonly leases: Leases;
  readonly time: ServerTime;
  readonly clock: Clock;
  readonly log: Log;
  readonly sign: ResultSigner;
  readonly makeProgress: (task: NodeTask) => Progress;
  readonly mostRunning: number;
  readonly workLimitMs: number;
  /** A lease may have been taken, moved or given back. */
  readonly onChange: () => void;
  /** A lease was ended here, and the control plane does not know it yet. */
  readonly onLeaseEnded: () => void;
  readonly checkpoint: (name: Checkpoint, task: NodeTask) => Promise<void> | undefined;
}): Executor {
  const { journal, outbox, leases, time, log, host } = parts;
  const lanes = makeLanes();
  const running = new Map<string, { readonly task: NodeTask; readonly stop: AbortController }>();
  const refused: Partial<Record<Refusal | 'seen_set_lost', number>> = {};
  const arriving = new Set<string>();
  let wakers: (() => void)[] = [];
  let isStopping = false;

  const now = () => time.now().toISOString();
  const conclude = (task: NodeTask, startedAt: string, end: Pick<NodeTaskResult, 'outcome' | 'output' | 'failure'>) =>
    parts.sign({
      task_id: task.task_id,
      node_id: task.node_id,
      task_type: task.task_type,
      generation: task.generation,
      started_at: startedAt,
      finished_at: now(),
      ...end,
    });
  const failing = (code: string, message: string) => ({
    outcome: 'failed' as const,
    failure: { code, message: message.slice(0, longestMessage) },
  });
  /** A disk that is full today may have room in a minute; what was done is not forgotten for that. */
  const putAway = async (entry: JournalEntry, result: NodeTaskResult): Promise<JournalEntry | undefined> => {
    while (!isStopping) {
      try {
        return await journal.finish(entry, result);
      } catch (error) {
        log.error({ task_id: entry.task.task_id, err: error }, 'a result could not be written down');
        await parts.clock.sleep(putAwayEveryMs);
      }
    }
    return undefined;
  };
  const finish = async (entry: JournalEntry, end: Pick<NodeTaskResult, 'outcome' | 'output' | 'failure'>) => {
    const done = await putAway(entry, conclude(entry.task, entry.started_at ?? now(), end));
    if (!done) return;
    log.info({ ...about(entry.task), outcome: end.outcome, failure: end.failure?.code }, 'a task ended');
    await parts.checkpoint('done', entry.task);
    outbox.post(done);
  };
  const answer = async (task: NodeTask, code: string, message: string): Promise<Offered> => {
    outbox.post(await journal.refuse(task, conclude(task, now(), failing(code, message))));
    return 'answered';
  };
  const count = (refusal: Refusal | 'seen_set_lost', taskId: unknown): Offered => {
    refused[refusal] = (refused[refusal] ?? 0) + 1;
    log.warn({ refusal, task_id: typeof taskId === 'string' ? taskId.slice(0, 36) : undefined }, 'a task was refused');
    return 'refused';
  };

  const run = async (accepted: JournalEntry): Promise<void> => {
    const { task } = accepted;
    if (isStopping) return;
    // The precise handler of the task's type; its params have passed the schema of the same type.
    const handler = parts.handlers[task.task_type] as Handler<NodeTaskType> | undefined;
    const params = structuredClone(task.params) as never;
    if (!handler) return finish(accepted, failing('not_supported', `This agent has no handler for ${task.task_type}.`));
    if (!hasGoodParams(task.task_type, params)) {
      return finish(accepted, failing('bad_params', 'The params do not fit the type of the task.'));
    }
    if (accepted.state === 'accepted' && Date.parse(task.expires_at) <= time.nowMs()) {
      return finish(accepted, failing('task_expired', 'The task expired before its turn came; nothing was done.'));
    }
    const order = handler.lease?.(params, task.generation);
    const fence = order && leases.fence(order);
    if (fence) return finish(accepted, failing(fence.code, fence.message));
    const entry = await journal.begin(accepted, now());
    log.info(about(task), 'a task began');
    await parts.checkpoint('running', task);
    const stop = new AbortController();
    running.set(task.task_id, { task, stop });
    if (isStopping) stop.abort(new Error('the agent is stopping'));
    const progress = parts.makeProgress(task);
    const limit = new AbortController();
    sleepWell(parts.clock, parts.workLimitMs, limit.signal)
      .then((isOver) => isOver && stop.abort(new HostFailure('aborted', 'The work took longer than it may.')))
      .catch((error: unknown) => log.error({ err: error }, 'the limit of a work could not be kept'));
    try {
      const work: Work = {
        generation: task.generation,
        signal: stop.signal,
        phase: (name, percent) => progress.phase(name, percent),
      };
      const end = await attempt(task, () => handler.run(params, work, task.task_id));
      // What was interrupted because the agent stops is not over: the next process takes it up.
      if (end.outcome === 'failed' && isStopping) return;
      await parts.checkpoint('worked', task);
      await progress.end();
      await finish(entry, end);
    } finally {
      limit.abort();
      running.delete(task.task_id);
      parts.onChange();
    }
  };
  const attempt = async (task: NodeTask, work: () => Promise<unknown>) => {
    try {
      const output = await work();
      if (fitsOutput(task.task_type, output)) return { outcome: 'succeeded' as const, output: output as object };
      log.error(about(task), 'the host answered what its port does not allow');
      return failing('bad_output', 'The host answered something that does not fit the type of the task.');
    } catch (error) {
      if (error instanceof HostFailure || error instanceof TaskFailure) return failing(error.code, error.message);
      log.error({ ...about(task), err: error }, 'a handler failed unexpectedly');
      return failing('internal', 'The agent failed in an unexpected way; its log has the details.');
    }
  };
  const enqueue = (entry: JournalEntry) => {
    const { task } = entry;
    const handler = parts.handlers[task.task_type] as Handler<NodeTaskType> | undefined;
    const isSound = handler && hasGoodParams(task.task_type, task.params);
    const lane = isSound ? handler.lane(task.params as never) : ({ kind: 'look' } as const);
    if (isSound && supersedes(task.task_type) && lane.kind === 'lease') {
      const order = handler.lease?.(task.params as never, task.generation);
      if (order && !leases.fence(order)) interrupt(lane.allocationId, 'The lease is being released.');
    }
    void lanes
      .enter(lane, () => run(entry))
      .catch((error: unknown) => log.error({ task_id: task.task_id, err: error }, 'a task could not be put away'))
      .finally(() => {
        const woken = wakers;
        wakers = [];
        for (const wake of woken) wake();
      });
  };
  const interrupt = (allocationId: string, why: string) => {
    for (const { task, stop } of running.values()) {
      const isOfLease = (task.params as { readonly allocation_id?: string }).allocation_id === allocationId;
      if (isOfLease && !supersedes(task.task_type)) stop.abort(new HostFailure('aborted', why));
    }
  };

  const endIfDue = async (allocationId: string): Promise<void> => {
    // It may have been extended or released while this waited for its turn.
    const lease = leases.ending().find((one) => one.allocationId === allocationId);
    if (!lease || lease.deadlineMs > time.nowMs()) return;
    await leases.mark(allocationId, 'releasing');
    await host.endRuntime(allocationId);
    await leases.mark(allocationId, 'ended');
    parts.onLeaseEnded();
  };

  /** A task that was seen before is never run again; at most its result is sent again. */
  const recognise = async (task: NodeTask): Promise<Offered | undefined> => {
    const known = journal.find(task.task_id);
    if (known === undefined) return undefined;
    if (known === 'unreadable') {
      return answer(task, 'journal_unreadable', 'The record of this task is damaged; what became of it is unknown.');
    }
    if (known.state === 'done') outbox.post(known);
    if (known.state === 'acknowledged') {
      const whole = await journal.recall(task.task_id);
      if (whole?.result) outbox.post(whole);
    }
    return 'known';
  };
  const take = async (value: unknown): Promise<Offered> => {
    const verdict = verifyTask({ nodeId: parts.nodeId, signers: parts.signers, nowMs: time.nowMs() }, value);
    if ('refusal' in verdict) {
      const { refusal, answerable } = verdict;
      const known = answerable && (await recognise(answerable));
      if (known) return known;
      const counted = count(refusal, (value as { readonly task_id?: unknown } | null)?.task_id);
      return answerable ? answer(answerable, refusal, 'The task was refused without any effect.') : counted;
    }
    const { task } = verdict;
    const known = await recognise(task);
    if (known) return known;
    const { seenSince } = journal;
    if (seenSince === 'unknown' || Date.parse(task.issued_at) < seenSince) {
      count('seen_set_lost', task.task_id);
      return answer(task, 'seen_set_lost', 'The memory of earlier tasks is gone, and this one is from that time.');
    }
    await parts.checkpoint('arrived', task);
    const entry = await journal.accept(task);
    await parts.checkpoint('accepted', task);
    enqueue(entry);
    return 'accepted';
  };

  return {
    async offer(value) {
      const id = (value as { readonly task_id?: unknown } | null | undefined)?.task_id;
      const name = typeof id === 'string' ? id : '';
      if (isStopping || arriving.has(name)) return 'known';
      arriving.add(name);
      try {
        return await take(value);
      } finally {
        arriving.delete(name);
      }
    },
    resume() {
      for (const entry of journal.open()) {
        if (entry.state === 'done') outbox.post(entry);
        else enqueue(entry);
      }
    },
    async endLease(allocationId) {
      interrupt(allocationId, 'The lease has come to its deadline.');
      const ended = Promise.withResolvers<void>();
      let isBegun = false;
      const endOnce = async () => {
        if (isBegun || isStopping) return;
        isBegun = true;
        await endIfDue(allocationId).then(ended.resolve, ended.reject);
      };
      // In its turn; but work that does not stop on request does not prolong a lease.
      const waited = new AbortController();
      const turns = [
        lanes.enter({ kind: 'lease', allocationId }, endOnce),
        sleepWell(parts.clock, turnMs, waited.signal).then((isLate) => (isLate ? endOnce() : undefined)),
      ];
      for (const turn of turns) turn.catch((error: unknown) => ended.reject(error));
      try {
        await ended.promise;
      } finally {
        waited.abort();
      }
    },
    get running() {
      return [...running.keys()];
    },
    get mayTakeMore() {
      return lanes.size < parts.mostRunning && journal.open().length < mostUnacknowledged;
    },
    room: () => new Promise((resolve) => wakers.push(resolve)),
    refused,
    async close(graceMs) {
      isStopping = true;
      for (const { stop } of running.values()) stop.abort(new HostFailure('aborted', 'The agent is stopping.'));
      for (const wake of wakers) wake();
      if (graceMs > 0)
        await Promise.race([lanes.empty(), new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
    },
  };
}
