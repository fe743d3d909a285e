import type { Disk } from './disk.ts';
import { TaskFailure } from './tasks/failure.ts';

/**
 * A draining node takes no new lease. The order is a task; its end is heard in the answers to heartbeats, when the
 * control plane calls the node active again. One such answer may have been on its way before the drain, so two are asked
 * for, both to heartbeats that were sent after it.
 */
export interface Drain {
  readonly isDraining: boolean;
  begin(deadlineAt: string | null): Promise<void>;
  /** What the control plane believed of the node when it answered a heartbeat sent at this point of the drain. */
  hear(state: string, epoch: number): Promise<void>;
  readonly epoch: number;
  /** Throws while draining. */
  refuseNewLeases(): void;
}

const answersToResume = 2;

export async function openDrain(parts: { readonly disk: Disk; readonly path: string }): Promise<Drain> {
  const { disk, path } = parts;
  const text = await disk.read(path);
  // A file that says nothing sensible was still written by a drain.
  let draining = text !== undefined;
  let epoch = 0;
  let activeAnswers = 0;
  return {
    get isDraining() {
      return draining;
    },
    get epoch() {
      return epoch;
    },
    async begin(deadlineAt) {
      epoch += 1;
      activeAnswers = 0;
      draining = true;
      await disk.write(path, JSON.stringify({ draining: true, deadline_at: deadlineAt }));
    },
    async hear(state, sentIn) {
      if (!draining || sentIn !== epoch) return;
      activeAnswers = state === 'active' ? activeAnswers + 1 : 0;
      if (activeAnswers < answersToResume) return;
      draining = false;
      await disk.remove(path);
    },
    refuseNewLeases() {
      if (draining) throw new TaskFailure('draining', 'The node is draining and takes no new lease.');
    },
  };
}
