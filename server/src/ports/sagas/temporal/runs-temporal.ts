import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Clock } from '../../../kernel/clock.ts';
import type { Attempt, Beginning } from '../attempts.ts';
import { runName } from '../attempts.ts';
import type { Ending, Tried } from '../interpreter.ts';
import { cancelTopic, retryTopic, whyNot } from '../orders.ts';
import type { ListedRun, Order, Ordered, OrderKind, Run, RunAttempted, RunInDetail, SagaRuns } from '../port.ts';
import { type Letter, marks, type Recorded, standingOf } from '../standing.ts';
import { calledOffNote, closedNote, type StuckNote, stuckNote } from './names.ts';
import { connectOptions, type TemporalSagasConfig } from './temporal.ts';

/** The search attributes of a run, for lists. */
interface Memo {
  readonly at?: string;
  readonly stuck?: StuckNote;
  readonly ending?: Ending;
  readonly about?: Pick<ListedRun, 'version' | 'correlationId' | 'organizationId'>;
}
type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;
type Payloads = { readonly payloads?: readonly object[] | null } | null | undefined;

export async function openTemporalRuns(
  config: Pick<TemporalSagasConfig, 'address' | 'namespace' | 'tls' | 'apiKey'>,
  { clock }: { readonly clock: Clock },
): Promise<SagaRuns> {
  const connection = await Connection.connect({ ...connectOptions(config), connectTimeout: 10_000 });
  const { workflow } = new Client({ connection, namespace: config.namespace });
  const find = async (saga: string, id: string): Promise<RunInDetail | undefined> => {
    const handle = workflow.getHandle(runName(saga, id));
    try {
      const info = await handle.describe();
      const run = showRun(info.workflowId, info.status.name, info.memo as Memo, info);
      return await showDetail(run, info.status.name, readHistory(await handle.fetchHistory()), clock);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  };
  const carry = async (kind: OrderKind, saga: string, id: string, { by, reason }: Order): Promise<Ordered> => {
    const run = await find(saga, id);
    if (!run) return undefined;
    if (kind === 'cancel' && (run.state === 'cancelled' || run.orders.some((order) => order.kind === kind))) {
      return 'accepted';
    }
    const refused = run.whyNot[kind];
    if (refused !== undefined) return { refused };
    try {
      await workflow.getHandle(runName(saga, id)).signal(kind, by, reason);
      return 'accepted';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return { refused: 'It has ended in the meantime.' };
      throw error;
    }
  };
  return {
    async list({ saga, id, state, before, limit }) {
      const found: ListedRun[] = [];
      // What Temporal can look up is left to it; the rest is read and dropped, latest first.
      const query = [
        `WorkflowType = 'saga'`,
        ...(before ? [`StartTime < '${before.toISOString()}'`] : []),
        ...(state === 'running' ? [`ExecutionStatus = 'Running'`] : []),
        ...(state && state !== 'running' && state !== 'stuck' ? [`ExecutionStatus != 'Running'`] : []),
      ].join(' AND ');
      for await (const info of workflow.list({ query, pageSize: 100 })) {
        const at = info.workflowId.indexOf('/');
        const run = showRun(info.workflowId, info.status.name, info.memo as Memo, info);
        if (
          (saga && info.workflowId.slice(0, at) !== saga) ||
          (id && !run.id.startsWith(id)) ||
          (state && run.state !== state)
        ) {
          continue;
        }
        found.push(run);
        if (found.length >= limit) break;
      }
      return found;
    },
    find,
    retry: (saga, id, order) => carry('retry', saga, id, order),
    cancel: (saga, id, order) => carry('cancel', saga, id, order),
    close: () => connection.close(),
  };
}

function showRun(
  name: string,
  status: string,
  { at, stuck, ending, about }: Memo,
  times: { readonly startTime: Date; readonly closeTime?: Date },
): ListedRun {
  const cut = name.indexOf('/');
  const run: Omit<Run, 'id'> =
    status === 'RUNNING'
      ? stuck
        ? { state: 'stuck', ...stuck }
        : { state: 'running', step: at, reason: undefined }
      : status === 'COMPLETED' && ending
        ? { state: ending.state, step: ending.step, reason: ending.reason }
        : { state: 'stuck', step: at, reason: `the engine ended the run: ${status}` };
  return {
    ...run,
    id: name.slice(cut + 1),
    saga: name.slice(0, cut),
    version: about?.version ?? 1,
    correlationId: about?.correlationId,
    organizationId: about?.organizationId,
    beganAt: times.startTime,
    endedAt: times.closeTime,
  };
}

async function showDetail(run: ListedRun, status: string, told: Told, clock: Clock): Promise<RunInDetail> {
  const { beginning, records, letters, attempts, orders } = told;
  const standing = status === 'RUNNING' ? await standingOf(beginning.plan, records, letters) : undefined;
  const isCalledOff = letters.has(cancelTopic);
  return {
    ...run,
    ...{ plan: beginning.plan, attempts, standing, orders },
    whyNot: whyNot({ state: run.state, standing, isCalledOff }, clock.now()),
  };
}

type Payload = Parameters<typeof defaultPayloadConverter.fromPayload>[0];
const read = <T>(payload: object): T => defaultPayloadConverter.fromPayload<T>(payload as Payload);
const all = (value: Payloads): unknown[] => (value?.payloads ?? []).map((payload) => read<unknown>(payload));
const first = <T>(value: Payloads): T => read<T>(value?.payloads?.[0] ?? {});
const timeOf = (time: { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined): Date =>
  new Date(Number(time?.seconds ?? 0) * 1_000 + Math.floor((time?.nanos ?? 0) / 1_000_000));

/** A run as the engine's own account of it tells: what was tried, what came of it, and what people wanted. */
interface Told {
  readonly beginning: Beginning;
  readonly records: readonly Recorded[];
  readonly letters: ReadonlyMap<string, Letter>;
  readonly attempts: readonly RunAttempted[];
  readonly orders: RunInDetail['orders'];
}

function readHistory(history: History): Told {
  let beginning: Beginning | undefined;
  const given = new Map<string, { readonly attempt: Attempt; readonly at: Date }>();
  const attempts: RunAttempted[] = [];
  const records: Recorded[] = [];
  const letters = new Map<string, Letter>();
  const orders: RunInDetail['orders'][number][] = [];
  /** The first letter counts. */
  const post = (topic: string, letter: Letter) => {
    if (!letters.has(topic)) letters.set(topic, letter);
  };
  for (const event of history.events ?? []) {
    const at = timeOf(event.eventTime);
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) beginning = first<Beginning>(started.input as Payloads);
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) given.set(String(event.eventId), { attempt: first<Attempt>(scheduled.input as Payloads), at });
    const completed = event.activityTaskCompletedEventAttributes;
    const task = completed && given.get(String(completed.scheduledEventId));
    if (completed && task) {
      const { step, work } = task.attempt;
      const tried = first<Tried>(completed.result as Payloads);
      const reason = 'reason' in tried ? tried.reason : undefined;
      records.push({ name: `${work} ${step.name}`, tried, atMs: at.getTime() });
      attempts.push({ step: step.name, work, end: tried.end, reason, beganAt: task.at, endedAt: at });
    }
    const signal = event.workflowExecutionSignaledEventAttributes;
    const [about, second, third] = signal ? all(signal.input as Payloads) : [];
    if (signal?.signalName === 'answer') post(String(about), { by: String(second), value: third });
    if (signal?.signalName === 'cancel' || signal?.signalName === 'retry') {
      const order = { by: String(about), reason: String(second) };
      const topic = signal.signalName === 'cancel' ? cancelTopic : retryTopic(records.length);
      if (!letters.has(topic)) orders.push({ kind: signal.signalName, ...order, at });
      post(topic, { by: order.by, value: order.reason });
    }
    for (const note of Object.entries(event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields ?? {})) {
      const mark = markOf(note);
      if (mark) records.push({ ...mark, atMs: at.getTime() });
      if (note[0].startsWith(closedNote(''))) post(note[0].slice(closedNote('').length), { late: true });
    }
  }
  if (!beginning) throw new Error('a run without a beginning');
  return { beginning, records, letters, attempts, orders };
}

/** The records that the workflow leaves as notes. */
function markOf([name, payload]: readonly [string, object]): Pick<Recorded, 'name' | 'tried'> | undefined {
  if (name === calledOffNote) return { name: marks.cancel, tried: { end: 'halt', reason: read<string>(payload) } };
  if (name !== stuckNote) return undefined;
  const note = read<StuckNote | null | undefined>(payload);
  return note
    ? { name: marks.stuck, tried: { end: 'halt', reason: note.reason } }
    : { name: marks.retry, tried: { end: 'ok', out: null } };
}
