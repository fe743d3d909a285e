import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { makeGatherer } from './gather.ts';
import { letGo } from './let-go.ts';
import { type LiveStatus, staleAfter, watchProject } from './live.ts';

/** Keeps what is shown true: each event lets go of the answers that it made old. */
export function useLive(project: string | undefined): LiveStatus {
  const client = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>('connecting');
  useEffect(() => {
    if (!project) return;
    const gatherer = makeGatherer(client);
    const end = watchProject(project, {
      status(next) {
        setStatus(next);
        // Whoever may not watch may have lost the project itself: who they are is asked anew.
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
