import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { makeGatherer } from './gather.ts';
import { letGo } from './let-go.ts';
import { type LiveStatus, staleAfter, watchProject } from './live.ts';

/** Keeps the page up to date: each event invalidates the answers that it made stale. */
export function useLive(project: string | undefined): LiveStatus {
  const client = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>('connecting');
  useEffect(() => {
    if (!project) return;
    const gatherer = makeGatherer(client);
    const end = watchProject(project, {
      status(next) {
        setStatus(next);
        // A person who may not watch may have lost the project itself, so the session is refetched.
        if (next === 'refused') {
          for (const word of ['me', 'projects']) letGo(client.invalidateQueries({ queryKey: [word] }));
        }
      },
      caughtUp: () => void client.invalidateQueries(),
      event: (event) => gatherer.add(staleAfter(event.type)),
    });
    return () => {
      end();
      gatherer.end();
    };
  }, [client, project]);
  return status;
}
