import { useSyncExternalStore } from 'react';
import { spellAgo, spellMoment } from '../words/time.ts';

/** One clock for the whole page: it ticks once a second, and only while somebody looks at it. */
const watchers = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
function watch(tell: () => void): () => void {
  watchers.add(tell);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of watchers) each();
  }, 1_000);
  return () => {
    watchers.delete(tell);
    if (watchers.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}
export const useNow = (): number => useSyncExternalStore(watch, () => now);

export function Ago({ at }: { at: string | null | undefined }) {
  const time = useNow();
  if (!at) return <span className="text-dim">never</span>;
  return (
    <time dateTime={at} title={spellMoment(at)} className="whitespace-nowrap">
      {spellAgo(at, time)}
    </time>
  );
}
