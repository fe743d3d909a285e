import { useSyncExternalStore } from 'react';
import { spellAgo, spellDuration, spellMoment } from '../words/time.ts';

/** One clock for the whole page: it ticks once a second while a component uses it. */
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

/** How long something has lasted, or lasted; a dash where it never began. */
export function Lasting({ from, until }: { from: string | null; until: string | null }) {
  const time = useNow();
  if (!from) return <span className="text-dim">–</span>;
  const endMs = until ? Date.parse(until) : time;
  return <span className="tabular whitespace-nowrap">{spellDuration(Math.max(0, endMs - Date.parse(from)))}</span>;
}
