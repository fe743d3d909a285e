import { Client, Connection, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { Check } from 'typebox/schema';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Saga } from '../../../kernel/saga.ts';
import { type Beginning, laneName, makeAttempts, runName, runOf, type SagaLog } from '../attempts.ts';
import type { Ending, Plan } from '../interpreter.ts';
import { asJson } from '../json.ts';
import { planOf } from '../plan.ts';
import type { Origin, Sagas } from '../port.ts';
import { isSealedBy, readToken } from '../token.ts';
import { makeTurns } from '../turns.ts';
import { closedNote, type StuckNote } from './names.ts';
import { openTemporalWorker, type TemporalWorker } from './worker.ts';

export interface TemporalSagasConfig {
  readonly address: string;
  readonly namespace: string;
  /** The queue of the runs themselves; the steps of each version of a saga get one of their own beside it. */
  readonly taskQueue?: string;
  /** Certificates as PEM. An empty object is TLS with the machine's own authorities. */
  readonly tls?: {
    readonly authority?: string;
    readonly client?: { readonly certificate: string; readonly key: string };
  };
  readonly apiKey?: string;
  /** The bundled workflow, where the sources are not at hand; `bundleSagaWorkflow` makes it. */
  readonly workflowBundlePath?: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: SagaLog;
  /** How long a silent worker is believed to be alive. */
  readonly leaseMs?: number;
  /** How long `close` waits for attempts in work before it leaves them to another worker. */
  readonly closeWithinMs?: number;
}

/** How everybody here reaches the engine. */
export function connectOptions(config: Pick<TemporalSagasConfig, 'address' | 'tls' | 'apiKey'>) {
  const tls = config.tls && {
    ...(config.tls.authority ? { serverRootCACertificate: Buffer.from(config.tls.authority) } : {}),
    ...(config.tls.client
      ? { clientCertPair: { crt: Buffer.from(config.tls.client.certificate), key: Buffer.from(config.tls.client.key) } }
      : {}),
  };
  return { address: config.address, ...(tls ? { tls } : {}), ...(config.apiKey ? { apiKey: config.apiKey } : {}) };
}

/** What everybody may read of a run while nobody works on it. */
interface Memo {
  readonly secret: string;
  /** The waits' schemas by step. */
  readonly answers: Readonly<Record<string, object>>;
  readonly at?: string;
  readonly stuck?: StuckNote;
  readonly ending?: Ending;
}

export async function openTemporalSagas(config: TemporalSagasConfig): Promise<Sagas> {
  const { namespace, taskQueue = 'sagas', clock, ids, log } = config;
  const leaseMs = config.leaseMs ?? 15_000;
  const connect = connectOptions(config);
  const connection = await Connection.connect({ ...connect, connectTimeout: 10_000 });
  const { workflow } = new Client({ connection, namespace });
  const server = { connection, namespace };
  const served = new Map<string, Saga<never>>();
  let worker: TemporalWorker | undefined;
  let closed: Promise<void> | undefined;
  const inTurn = makeTurns();
  const laneOf = (saga: { readonly name: string; readonly version: number }) => `${taskQueue}/${laneName(saga)}`;

  const find = async (run: string) => {
    const handle = workflow.getHandle(run);
    try {
      const { status, memo } = await handle.describe();
      return { handle, status: status.name, memo: memo as unknown as Memo };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  };

  return {
    async start(saga, id, params, origin) {
      const plan = planOf(saga);
      const secret = ids.secret(32);
      const beginning: Beginning = { plan, id, params: asJson(params, 'params') as object, origin, secret };
      const answers = Object.fromEntries(plan.steps.flatMap(({ name, answer }) => (answer ? [[name, answer]] : [])));
      try {
        await workflow.start('saga', {
          workflowId: runName(saga.name, id),
          taskQueue,
          args: [beginning, { lane: laneOf(saga), leaseMs }],
          memo: { secret, answers, about: aboutOf(plan, origin) },
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          // How long the engine leaves a turn to a worker that may be dead.
          workflowTaskTimeout: Math.min(leaseMs, 10_000),
        });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      }
    },

    async answer(token, value) {
      const parts = readToken(token);
      const run = parts && (await find(parts.run));
      const schema = parts && run?.memo.answers[parts.step];
      if (!parts || !run || !schema || !isSealedBy(run.memo.secret, parts)) return 'unknown';
      if (!Check(schema, value)) return 'invalid';
      const before = await readVerdict(server, parts.run, parts.step, false);
      if (before) return before === 'closed' ? 'unknown' : 'already answered';
      const by = ids.next();
      try {
        await run.handle.signal('answer', parts.step, by, asJson(value, 'the answer'));
      } catch (error) {
        // The run has ended, so nobody waits any more.
        if (error instanceof WorkflowNotFoundError) return 'unknown';
        throw error;
      }
      const verdict = await connection.withDeadline(Date.now() + hiddenForMs, () =>
        readVerdict(server, parts.run, parts.step, true),
      );
      if (verdict === undefined || verdict === 'closed') return 'unknown';
      return verdict.by === by ? 'accepted' : 'already answered';
    },

    async look(saga, id) {
      const run = await find(runName(saga.name, id));
      if (!run) return undefined;
      const { at, stuck, ending } = run.memo;
      if (run.status === 'RUNNING' && stuck) return { id, state: 'stuck', ...stuck };
      if (run.status === 'RUNNING') return { id, state: 'running', step: at, reason: undefined };
      if (run.status === 'COMPLETED' && ending) return runOf(id, ending);
      return { id, state: 'stuck', step: at, reason: `the engine ended the run: ${run.status}` };
    },

    serve: (sagas) =>
      inTurn(async () => {
        for (const saga of sagas) served.set(laneName(saga), saga);
        worker ??= await openTemporalWorker({
          connect,
          namespace,
          taskQueue,
          leaseMs,
          closeWithinMs: config.closeWithinMs ?? 10_000,
          workflowBundlePath: config.workflowBundlePath,
          log,
          runAttempt: makeAttempts({ sagas: served, clock, ids, log }),
        });
        for (const saga of sagas) await worker.listen(laneOf(saga));
      }),

    async check() {
      await connection.withDeadline(Date.now() + 5_000, () =>
        connection.workflowService.describeNamespace({ namespace }),
      );
    },

    close: () => {
      closed ??= inTurn(async () => {
        await worker?.close();
        await connection.close();
      });
      return closed;
    },
  };
}

/** Whose doing a run is, where it can be read without going through its history. */
const aboutOf = ({ version }: Plan, { correlationId, organizationId }: Origin) => ({
  ...{ version, correlationId },
  ...(organizationId !== undefined && { organizationId }),
});

type Verdict = { readonly by: string } | 'closed' | undefined;

/** A worker's turn may hide signals this long, until the engine takes the turn away. */
const hiddenForMs = 20_000;

/**
 * Which came first in the run's history: the answer, or the note that the wait is closed. A signal that arrives during
 * a worker's turn is recorded after it; with `patient`, this waits for that, woken by the engine.
 */
async function readVerdict(
  { connection, namespace }: { readonly connection: Connection; readonly namespace: string },
  run: string,
  step: string,
  patient: boolean,
): Promise<Verdict> {
  let nextPageToken: Uint8Array | undefined;
  for (;;) {
    const page = await connection.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: { workflowId: run },
      waitNewEvent: patient,
      ...(nextPageToken ? { nextPageToken } : {}),
    });
    for (const event of page.history?.events ?? []) {
      const signal = event.workflowExecutionSignaledEventAttributes;
      if (signal?.signalName === 'answer') {
        const [answered, by] = (signal.input?.payloads ?? []).map((payload) =>
          defaultPayloadConverter.fromPayload<unknown>(payload),
        );
        if (answered === step) return { by: String(by) };
      }
      const noted = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields;
      if (noted && closedNote(step) in noted) return 'closed';
    }
    if (!page.nextPageToken?.length) return undefined;
    nextPageToken = page.nextPageToken;
  }
}
