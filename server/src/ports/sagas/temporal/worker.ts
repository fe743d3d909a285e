import { fileURLToPath } from 'node:url';
import { ApplicationFailure, Context } from '@temporalio/activity';
import {
  bundleWorkflowCode,
  NativeConnection,
  type NativeConnectionOptions,
  Runtime,
  Worker,
  type WorkflowBundle,
} from '@temporalio/worker';
import type { Attempt, RunAttempt, SagaLog } from '../attempts.ts';
import type { Tried } from '../interpreter.ts';

/**
 * The part of the Temporal driver that does the work. One worker runs the workflow, which is the same for all sagas,
 * and each version of a saga has a worker of its own for its steps, so that a process only gets steps it knows.
 */
export interface TemporalWorker {
  listen(lane: string): Promise<void>;
  close(): Promise<void>;
}

let bundle: Promise<WorkflowBundle> | undefined;
/** The workflow as Temporal's sandbox wants it. A build keeps the code in a file, so that starting does no bundling. */
export const bundleSagaWorkflow = (log: SagaLog): Promise<WorkflowBundle> => {
  bundle ??= bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('./workflow.ts', import.meta.url)),
    logger: loggerFor(log),
  });
  return bundle;
};

let installed = false;
/** Temporal's runtime is one per process. It must not answer signals: processes close their parts in their own order. */
const installRuntime = (log: SagaLog) => {
  if (installed) return;
  installed = true;
  Runtime.install({ logger: loggerFor(log), shutdownSignals: [] });
};

export async function openTemporalWorker(parts: {
  readonly connect: NativeConnectionOptions;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly leaseMs: number;
  readonly closeWithinMs: number;
  readonly workflowBundlePath: string | undefined;
  readonly log: SagaLog;
  readonly runAttempt: RunAttempt;
}): Promise<TemporalWorker> {
  const { namespace, leaseMs, closeWithinMs, log } = parts;
  installRuntime(log);
  const connection = await NativeConnection.connect(parts.connect);
  const running: { readonly worker: Worker; readonly ended: Promise<void> }[] = [];

  const activities = {
    async attempt(given: Attempt): Promise<Tried> {
      const { heartbeat, cancellationSignal } = bound(Context.current());
      const beating = setInterval(heartbeat, leaseMs / 3);
      const calledOff = new Promise<never>((_, reject) => {
        cancellationSignal.addEventListener('abort', () => reject(ApplicationFailure.retryable('called off')));
      });
      try {
        const tried = await Promise.race([parts.runAttempt(given, cancellationSignal), calledOff]);
        // A failure that our own closing caused is not the step's; it runs again elsewhere.
        if (cancellationSignal.aborted && tried.end === 'failed') throw ApplicationFailure.retryable('called off');
        return tried;
      } finally {
        clearInterval(beating);
        calledOff.catch(() => undefined);
      }
    },
  };
  const run = async (options: Parameters<typeof Worker.create>[0]) => {
    const worker = await Worker.create({
      connection,
      namespace,
      shutdownGraceTime: closeWithinMs,
      shutdownForceTime: closeWithinMs + 5_000,
      ...options,
    });
    const ended = worker.run().catch((error: unknown) => {
      log.error({ taskQueue: options.taskQueue, error: String(error) }, 'a saga worker ended');
    });
    running.push({ worker, ended });
  };

  await run({
    taskQueue: parts.taskQueue,
    workflowBundle:
      parts.workflowBundlePath === undefined ? await bundleSagaWorkflow(log) : { codePath: parts.workflowBundlePath },
    // A worker that died keeps its runs to itself for this long.
    stickyQueueScheduleToStartTimeout: leaseMs,
  });
  return {
    listen: (lane) => run({ taskQueue: lane, activities }),
    async close() {
      for (const { worker } of running) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.all(running.map(({ ended }) => ended));
      await connection.close();
    },
  };
}

const bound = (context: Context) => ({
  heartbeat: () => context.heartbeat(),
  cancellationSignal: context.cancellationSignal,
});

/** Temporal tells its life story at `info`; what an operator needs starts at `warn`. */
export const loggerFor = (log: SagaLog) => {
  const say = (level: string, message: string, meta: object = {}) => {
    if (level === 'ERROR') log.error({ engine: 'temporal', ...meta }, message);
    else if (level === 'WARN') log.warn({ engine: 'temporal', ...meta }, message);
  };
  return {
    log: say,
    trace: () => undefined,
    debug: () => undefined,
    info: () => undefined,
    warn: (message: string, meta?: object) => say('WARN', message, meta),
    error: (message: string, meta?: object) => say('ERROR', message, meta),
  };
};
