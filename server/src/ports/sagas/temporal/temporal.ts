import { Client, Connection, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Saga } from '../../../kernel/saga.ts';
import type { Adapted } from '../../adapter.ts';
import { type Beginning, laneName, makeAttempts, runName, runOf, type SagaLog } from '../attempts.ts';
import type { Plan } from '../interpreter.ts';
import { asJson } from '../json.ts';
import { planOf } from '../plan.ts';
import type { Origin, Sagas } from '../port.ts';
import { makeTurns } from '../turns.ts';
import { answerRun } from './answers.ts';
import { findRun } from './memo.ts';
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

export async function openTemporalSagas(config: TemporalSagasConfig): Promise<Sagas & Adapted> {
  const { namespace, taskQueue = 'sagas', clock, ids, log } = config;
  const leaseMs = config.leaseMs ?? 15_000;
  const connect = connectOptions(config);
  const connection = await Connection.connect({ ...connect, connectTimeout: 10_000 });
  const { workflow } = new Client({ connection, namespace });
  const served = new Map<string, Saga<never>>();
  let worker: TemporalWorker | undefined;
  let closed: Promise<void> | undefined;
  const inTurn = makeTurns();
  const laneOf = (saga: { readonly name: string; readonly version: number }) => `${taskQueue}/${laneName(saga)}`;

  const find = (run: string) => findRun(workflow, run);

  return {
    adapter: { name: 'temporal', kind: 'production' },
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

    answer: (token, value) => answerRun({ connection, namespace, find, ids }, token, value),

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
