import type { StreamedEvent } from '@gpuaas/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { letGo } from './let-go.ts';
import { type LiveStatus, staleForOperators, watchOperators } from './live.ts';

/** How long news is gathered before pages ask anew: a fleet that boots says a hundred things a second. */
const gatherMs = 400;
/** As many events as somebody scrolls through; the list of events has the others. */
const keptEvents = 200;

let recent: readonly StreamedEvent[] = [];
const readers = new Set<() => void>();
const subscribe = (reader: () => void): (() => void) => {
  readers.add(reader);
  return () => readers.delete(reader);
};

/** What happened anywhere since operator mode was entered, newest first. */
export const useRecentEvents = (): readonly StreamedEvent[] => useSyncExternalStore(subscribe, () => recent);

/** While somebody operates, every page hears of what it shows. Answers whether the stream stands. */
export function useOperatorLive(operating: boolean): LiveStatus {
  const client = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>('connecting');
  useEffect(() => {
    if (!operating) return;
    const stale = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      timer = undefined;
      for (const reader of readers) reader();
      for (const word of stale) letGo(client.invalidateQueries({ queryKey: [word] }));
      stale.clear();
    };
    const end = watchOperators({
      status: setStatus,
      caughtUp: () => letGo(client.invalidateQueries()),
      event(event) {
        recent = [event, ...recent].slice(0, keptEvents);
        for (const word of staleForOperators(event.type)) stale.add(word);
        timer ??= setTimeout(settle, gatherMs);
      },
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [client, operating]);
  return status;
}
