/**
 * Work in order within a key, side by side across keys. The head of a key stays the head until it is done: while it
 * waits for its next try, what came later with the same key waits behind it and takes up no place of the others.
 */
export interface KeyedWork<T> {
  add(key: string, item: T): void;
  /** Takes nothing new into work, waits for what is in work, and hands back the rest in the order of arrival. */
  stop(): Promise<T[]>;
}

export function makeKeyedWork<T>(options: {
  readonly concurrency: number;
  /** Resolves when the item is done with, or with the delay after which it wants to be tried again. Never rejects. */
  readonly work: (item: T) => Promise<'done' | { readonly againInMs: number }>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}): KeyedWork<T> {
  const lines = new Map<string, T[]>();
  const arrivals = new Set<T>();
  const ready: string[] = [];
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();

  const pump = () => {
    while (!stopping.signal.aborted && running.size < options.concurrency) {
      const key = ready.shift();
      if (key === undefined) return;
      const turn = runHead(key).finally(() => {
        running.delete(turn);
        pump();
      });
      running.add(turn);
    }
  };

  const runHead = async (key: string) => {
    const line = lines.get(key);
    const head = line?.[0];
    if (line === undefined || head === undefined) return;
    const outcome = await options.work(head);
    if (outcome === 'done') {
      line.shift();
      arrivals.delete(head);
      if (line.length > 0) ready.push(key);
      else lines.delete(key);
      return;
    }
    // The wait is not part of the turn: it holds back its key, never a place among the running.
    void options.sleep(outcome.againInMs, stopping.signal).then(
      () => {
        ready.push(key);
        pump();
      },
      () => undefined,
    );
  };

  return {
    add(key, item) {
      arrivals.add(item);
      const line = lines.get(key);
      if (line) {
        line.push(item);
        return;
      }
      lines.set(key, [item]);
      ready.push(key);
      pump();
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
      return [...arrivals];
    },
  };
}
