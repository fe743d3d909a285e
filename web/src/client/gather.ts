import type { QueryClient } from '@tanstack/react-query';
import { letGo } from './let-go.ts';

/** How long events are gathered before a page asks anew: a busy project reports many changes a second. */
const gatherMs = 400;

/** Marks answers as stale once for many events, so that a burst of events costs one request for each answer. */
export function makeGatherer(client: QueryClient, settled: () => void = () => undefined) {
  const stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const settle = () => {
    timer = undefined;
    settled();
    for (const word of stale) letGo(client.invalidateQueries({ queryKey: [word] }));
    stale.clear();
  };
  return {
    add(words: readonly string[]) {
      for (const word of words) stale.add(word);
      timer ??= setTimeout(settle, gatherMs);
    },
    end: () => clearTimeout(timer),
  };
}
