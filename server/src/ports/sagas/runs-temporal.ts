import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Attempt, Beginning } from './attempts.ts';
import { runName } from './attempts.ts';
import type { Ending, Tried } from './interpreter.ts';
import type { ListedRun, Run, RunAttempted, SagaRuns } from './port.ts';
import { connectOptions, type TemporalSagasConfig } from './temporal.ts';

/** What is written beside a run for whoever looks at many of them. */
interface Memo {
  readonly at?: string;
  readonly ending?: Ending;
  readonly about?: Pick<ListedRun, 'version' | 'correlationId' | 'organizationId'>;
}
type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;
type Payloads = { readonly payloads?: readonly object[] | null } | null | undefined;

export async function openTemporalRuns(
  config: Pick<TemporalSagasConfig, 'address' | 'namespace' | 'tls' | 'apiKey'>,
): Promise<SagaRuns> {
  const connection = await Connection.connect({ ...connectOptions(config), connectTimeout: 10_000 });
  const { workflow } = new Client({ connection, namespace: config.namespace });
  return {
    async list({ saga, id, state, before, limit }) {
      const found: ListedRun[] = [];
      // What Temporal can look up is left to it; the rest is read and dropped, latest first.
      const query = [
        `WorkflowType = 'saga'`,
        ...(before ? [`StartTime < '${before.toISOString()}'`] : []),
        ...(state === 'running' ? [`ExecutionStatus = 'Running'`] : state ? [`ExecutionStatus != 'Running'`] : []),
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
    async find(saga, id) {
      const handle = workflow.getHandle(runName(saga, id));
      try {
        const info = await handle.describe();
        const { beginning, attempts } = readHistory(await handle.fetchHistory());
        return {
          ...showRun(info.workflowId, info.status.name, info.memo as Memo, info),
          plan: beginning.plan,
          attempts,
        };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return undefined;
        throw error;
      }
    },
    close: () => connection.close(),
  };
}

function showRun(
  name: string,
  status: string,
  { at, ending, about }: Memo,
  times: { readonly startTime: Date; readonly closeTime?: Date },
): ListedRun {
  const cut = name.indexOf('/');
  const run: Omit<Run, 'id'> =
    status === 'RUNNING'
      ? { state: 'running', step: at, reason: undefined }
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

const first = <T>(value: Payloads): T =>
  defaultPayloadConverter.fromPayload<T>(
    (value?.payloads?.[0] ?? {}) as Parameters<typeof defaultPayloadConverter.fromPayload>[0],
  );
const timeOf = (time: { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined): Date =>
  new Date(Number(time?.seconds ?? 0) * 1_000 + Math.floor((time?.nanos ?? 0) / 1_000_000));

/** Everything that was tried, from the engine's own account of it. */
function readHistory(history: History): { readonly beginning: Beginning; readonly attempts: RunAttempted[] } {
  let beginning: Beginning | undefined;
  const given = new Map<string, { readonly attempt: Attempt; readonly at: Date }>();
  const attempts: RunAttempted[] = [];
  for (const event of history.events ?? []) {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) beginning = first<Beginning>(started.input as Payloads);
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      given.set(String(event.eventId), {
        attempt: first<Attempt>(scheduled.input as Payloads),
        at: timeOf(event.eventTime),
      });
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const task = completed && given.get(String(completed.scheduledEventId));
    if (!completed || !task) continue;
    const { end, ...rest } = first<Tried>(completed.result as Payloads);
    attempts.push({
      step: task.attempt.step.name,
      work: task.attempt.work,
      end,
      reason: 'reason' in rest ? rest.reason : undefined,
      beganAt: task.at,
      endedAt: timeOf(event.eventTime),
    });
  }
  if (!beginning) throw new Error('a run without a beginning');
  return { beginning, attempts };
}
