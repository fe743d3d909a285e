import type { NodeTaskProgress } from '@gpuaas/contract/node';

/**
 * Reports the phase of a task to the control plane. Best effort and bounded: a phase that ended at once, or while
 * another report was on its way, is not reported, so a fast host reports little and a slow one everything.
 */
export interface Progress {
  phase(name: string, percent?: number): void;
  /** What is unsaid is dropped; what is on its way may arrive first. */
  end(): Promise<void>;
}

export function makeProgress(parts: {
  readonly generation: number;
  readonly now: () => Date;
  /** Resolves when a phase has lasted long enough to be worth a word, or when the signal says that the task is over. */
  readonly hesitate: (signal: AbortSignal) => Promise<unknown>;
  /** Does not throw. */
  readonly post: (progress: NodeTaskProgress) => Promise<void>;
}): Progress {
  let unsaid: NodeTaskProgress[] = [];
  let current: string | undefined;
  const over = new AbortController();
  let sending: Promise<void> | undefined;
  const add = (phase: string, state: 'began' | 'ended', percent?: number) => {
    const at = parts.now().toISOString();
    unsaid.push({ generation: parts.generation, phase, state, at, ...(percent !== undefined && { percent }) });
  };
  const drain = async () => {
    await parts.hesitate(over.signal);
    for (let next = unsaid.shift(); next && !over.signal.aborted; next = unsaid.shift()) await parts.post(next);
    sending = undefined;
  };
  return {
    phase(name, percent) {
      if (over.signal.aborted) return;
      const share = percent === undefined ? undefined : Math.round(Math.min(100, Math.max(0, percent)));
      if (name === current) {
        // Only the latest percentage of a phase is worth a word.
        unsaid = unsaid.filter((one) => one.phase !== name);
      } else if (current !== undefined) {
        const ended = current;
        if (unsaid.some((one) => one.phase === ended)) unsaid = unsaid.filter((one) => one.phase !== ended);
        else add(ended, 'ended');
      }
      current = name;
      add(name, 'began', share);
      sending ??= drain();
    },
    async end() {
      unsaid = [];
      over.abort();
      await sending;
    },
  };
}
