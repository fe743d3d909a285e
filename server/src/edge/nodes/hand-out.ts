import type { NodeTask } from '@gpuaas/contract/node';
import type { Asking, Dispatch } from '../../domains/nodes/index.ts';
import type { Log } from '../../kernel/telemetry/log.ts';

/** A node that waits, with its poll. */
export interface Waiter {
  readonly asking: Asking;
  readonly answer: (task: NodeTask | undefined) => void;
  readonly untilMs: number;
}

/**
 * Finds tasks for nodes that wait, and gives them out. Two loops run independently: one looks whether nodes that
 * arrived have a task, the other fetches the tasks of woken nodes. Each takes everything that has gathered in one
 * statement.
 */
export class HandOut {
  readonly #waiting: Map<string, Waiter>;
  readonly #tasks: Dispatch;
  readonly #log: Log;
  #arrived = new Set<string>();
  #woken = new Set<string>();
  #looksAnywhere = false;
  #looking: Promise<void> | undefined;
  #handing: Promise<void> | undefined;
  constructor(waiting: Map<string, Waiter>, parts: { readonly tasks: Dispatch; readonly log: Log }) {
    this.#waiting = waiting;
    this.#tasks = parts.tasks;
    this.#log = parts.log;
  }

  /** A node began to wait: it may have a task from before. */
  arrive(nodeId: string): void {
    this.#arrived.add(nodeId);
    this.#go();
  }
  /** These nodes have a task. */
  wake(nodeIds: readonly string[]): void {
    for (const nodeId of nodeIds) if (this.#waiting.has(nodeId)) this.#woken.add(nodeId);
    this.#go();
  }
  /** A wake-up may have been missed: looks for tasks of any node. */
  lookAnywhere(): void {
    this.#looksAnywhere = true;
    this.#go();
  }
  async atRest(): Promise<void> {
    while (this.#looking || this.#handing) await Promise.all([this.#looking, this.#handing]);
  }

  #go(): void {
    if (!this.#looking && (this.#arrived.size > 0 || this.#looksAnywhere)) {
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined;
        this.#go();
      });
    }
    if (!this.#handing && this.#woken.size > 0) {
      this.#handing = this.#hand().finally(() => {
        this.#handing = undefined;
        this.#go();
      });
    }
  }
  async #look(): Promise<void> {
    while (this.#arrived.size > 0 || this.#looksAnywhere) {
      const [asking, anywhere] = [this.#present(this.#arrived), this.#looksAnywhere];
      this.#arrived = new Set();
      this.#looksAnywhere = false;
      try {
        const found = await Promise.all([
          asking.length > 0 ? this.#tasks.pending(asking) : [],
          anywhere ? this.#tasks.pendingAnywhere() : [],
        ]);
        for (const nodeId of found.flat()) this.#woken.add(nodeId);
      } catch (error) {
        this.#warn(error);
      }
      this.#go();
    }
  }
  async #hand(): Promise<void> {
    while (this.#woken.size > 0) {
      const due = this.#present(this.#woken);
      this.#woken = new Set();
      if (due.length === 0) continue;
      try {
        for (const [nodeId, task] of await this.#tasks.dispatch(due)) {
          const waiter = this.#waiting.get(nodeId);
          // Disconnected meanwhile: the task is handed out again when the node reconnects without it.
          if (!waiter) continue;
          this.#waiting.delete(nodeId);
          waiter.answer(task);
        }
      } catch (error) {
        this.#warn(error);
      }
    }
  }
  /** The nodes of the list that still wait, with their polls. */
  #present(nodeIds: Iterable<string>): Asking[] {
    return [...nodeIds].flatMap((id) => this.#waiting.get(id)?.asking ?? []);
  }
  #warn(error: unknown): void {
    // The nodes still wait: the next round tries again.
    this.#log.warn({ err: error }, 'tasks could not be handed out');
  }
}
