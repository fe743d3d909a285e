import type { StreamedEvent } from '@gpuaas/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { makeGatherer } from './gather.ts';
import { letGo } from './let-go.ts';
import { type LiveStatus, staleForOperators, watchOperators } from './live.ts';

/** The live list keeps this many events; the event log has the others. */
const keptEvents = 200;

let recent: readonly StreamedEvent[] = [];
const readers = new Set<() => void>();
const subscribe = (reader: () => void): (() => void) => {
  readers.add(reader);
  return () => readers.delete(reader);
};

/** Events of all tenants since operator mode was entered, newest first. */
export const useRecentEvents = (): readonly StreamedEvent[] => useSyncExternalStore(subscribe, () => recent);

/** One event stream for all operator pages. Returns whether it is connected. */
export function useOperatorLive(operating: boolean): LiveStatus {
  const client = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>('connecting');
  useEffect(() => {
    if (!operating) return;
    const gatherer = makeGatherer(client, () => {
      for (const reader of readers) reader();
    });
    const end = watchOperators({
      status: setStatus,
      caughtUp: () => letGo(client.invalidateQueries()),
      event(event) {
        if (event.type !== 'notifications.changed') recent = [event, ...recent].slice(0, keptEvents);
        gatherer.add(staleForOperators(event.type));
      },
    });
    return () => {
      end();
      gatherer.end();
    };
  }, [client, operating]);
  return status;
}
