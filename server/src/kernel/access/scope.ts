import type { Log } from '../telemetry/log.ts';

export interface Closable {
  close(): Promise<void> | void;
}
/** What a process has opened, in order. It is closed in the reverse order, within a deadline. */
export interface Scope {
  keep<T extends Closable>(name: string, thing: T): T;
  /** A real operation that `/readyz` runs to check the process. */
  ready(name: string, check: () => Promise<void>): void;
  /** Fires when the process begins to stop. */
  readonly stopping: AbortSignal;
}
export interface OwnedScope extends Scope {
  readonly checks: readonly { readonly name: string; check(): Promise<void> }[];
  /** Answers the names of things that did not close in time. */
  close(deadlineMs: number): Promise<string[]>;
}

export function makeScope(log: Log): OwnedScope {
  const kept: { name: string; thing: Closable }[] = [];
  const checks: { name: string; check(): Promise<void> }[] = [];
  const stopping = new AbortController();
  let closing: Promise<string[]> | undefined;
  return {
    keep(name, thing) {
      kept.push({ name, thing });
      return thing;
    },
    ready: (name, check) => void checks.push({ name, check }),
    stopping: stopping.signal,
    checks,
    // A second call waits for the same end.
    close(deadlineMs) {
      closing ??= closeAll(deadlineMs);
      return closing;
    },
  };

  async function closeAll(deadlineMs: number): Promise<string[]> {
    stopping.abort(new Error('the process is stopping'));
    const late: string[] = [];
    const until = performance.now() + deadlineMs;
    // One at a time from the end of the list: a start that is still under way may add to it.
    for (let last = kept.pop(); last !== undefined; last = kept.pop()) {
      const left = Math.max(50, until - performance.now());
      try {
        if ((await withDeadline(Promise.resolve(last.thing.close()), left)) === 'late') late.push(last.name);
      } catch (error) {
        log.error({ err: error, part: last.name }, 'a part did not close cleanly');
      }
    }
    return late;
  }
}

async function withDeadline(work: Promise<void>, ms: number): Promise<'closed' | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), ms);
  });
  try {
    return await Promise.race([work.then(() => 'closed' as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
