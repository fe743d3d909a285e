import { rename, rm } from 'node:fs/promises';
import type { TaskOutput, TaskParams } from '@gpuaas/contract/node';
import { TaskFailure } from '../tasks/failure.ts';
import type { Client } from '../transport/client.ts';
import type { Releases } from './releases.ts';

/**
 * Replaces the agent by another release, named by its digest: fetch, verify, stage, point the link at it, and stop. The
 * supervisor starts what the link points to. The new release takes up the same task from the journal, and answers it
 * once the control plane has answered its first heartbeat; if it never gets there, the supervisor puts the old one back,
 * which finds in the trial that it failed and says so.
 */
export interface SelfUpdate {
  apply(
    params: TaskParams<'node.self_update'>,
    work: { readonly taskId: string; readonly signal: AbortSignal },
  ): Promise<TaskOutput<'node.self_update'>>;
  /** The control plane has answered: this release works. */
  proveHealthy(): Promise<void>;
}

const largestBundleBytes = 64 * 1024 * 1024;

export function makeSelfUpdate(parts: {
  readonly releases: Releases;
  /** Of the release that runs, in hex. */
  readonly digest: string;
  readonly version: string;
  readonly client: () => Client;
  /** Where the control plane keeps the bundle with this digest. */
  readonly pathOf: (digest: string) => string;
  /** Ends this process in good order, so that the supervisor starts the link's target. */
  readonly restart: () => void;
  /** Tells the supervisor that the trial is over. */
  readonly announce: () => void;
}): SelfUpdate {
  const { releases } = parts;
  let proven: () => void = () => undefined;
  const healthy = new Promise<void>((resolve) => {
    proven = resolve;
  });
  let isProven = false;

  const fetchRelease = async (digest: string) => {
    const file = releases.fileOf(digest);
    const part = `${file}.part`;
    try {
      const found = await parts
        .client()
        .download({ path: parts.pathOf(digest), to: part, limitBytes: largestBundleBytes })
        .catch((error: unknown) => {
          throw new TaskFailure('bundle_unavailable', `The bundle could not be fetched: ${String(error)}`);
        });
      if (found !== digest) throw new TaskFailure('digest_mismatch', `The bundle that came has the digest ${found}.`);
      await rename(part, file);
    } finally {
      await rm(part, { force: true });
    }
  };
  return {
    async apply(params, { taskId, signal }) {
      const digest = params.digest.replace(/^sha256:/, '');
      const trial = await releases.readTrial();
      const isThisTask = trial?.task_id === taskId;
      if (isThisTask && trial.state === 'rolled_back') {
        throw new TaskFailure(
          'rolled_back',
          `The new release did not work: ${trial.reason ?? 'no reason was written'}.`,
        );
      }
      if (parts.digest === digest) {
        await interruptible(healthy, signal);
        const from = isThisTask ? trial.from_version : parts.version;
        return { from_version: from, to_version: params.version };
      }
      await fetchRelease(digest);
      await releases.writeTrial({
        task_id: taskId,
        from: parts.digest,
        to: digest,
        from_version: parts.version,
        to_version: params.version,
        state: 'staged',
      });
      await releases.use(digest);
      parts.restart();
      return interruptible(new Promise<never>(() => undefined), signal);
    },
    async proveHealthy() {
      if (isProven) return;
      isProven = true;
      const trial = await releases.readTrial();
      if (trial && trial.to === parts.digest && (trial.state === 'trying' || trial.state === 'staged')) {
        await releases.writeTrial({ ...trial, state: 'healthy' });
        await releases.sweep([trial.from, trial.to]);
      }
      parts.announce();
      proven();
    },
  };
}

/** Waits, or throws when the agent stops: the journal keeps the task, and the next process goes on with it. */
function interruptible<T>(waited: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    waited.then(resolve, reject);
  });
}
