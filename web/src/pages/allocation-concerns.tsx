import type { Allocation } from '@gpuaas/sdk';
import { useMay } from '../client/session.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { Ago } from '../parts/time.tsx';
import { tellStop } from '../words/stop.ts';

/** What its owner should know about its host or its GPUs: what the server says, since when, and a way to go on elsewhere. */
export function Concerns({ it }: { it: Pick<Allocation, 'concerns' | 'over' | 'state' | 'stop'> }) {
  const mayLaunch = useMay()('allocation_create');
  return (
    <>
      {it.stop && (
        <p role="status" className="rounded-lg bg-warn-soft px-4 py-3 text-warn">
          {tellStop(it.stop)}
        </p>
      )}
      {it.concerns.length > 0 && (
        <div role="status" className="grid justify-items-start gap-3 rounded-lg bg-warn-soft px-4 py-3 text-warn">
          {it.concerns.map(({ kind, message, since, deadline_at }) => (
            <p key={`${kind} ${message}`}>
              {message}{' '}
              <span className="text-sm">
                Since <Ago at={since} />.
                {deadline_at && (
                  <>
                    {' '}
                    Deadline: <Ago at={deadline_at} />.
                  </>
                )}
              </span>
            </p>
          ))}
          {mayLaunch && it.state === 'active' && (
            <ButtonLink icon="launch" to="/launch">
              Launch another machine
            </ButtonLink>
          )}
        </div>
      )}
      {it.over && it.state === 'releasing' && (
        <p role="status" className="rounded-lg bg-sunk px-4 py-3">
          It has ended and is no longer yours. Its host is still being cleaned up; you need not wait for that.
        </p>
      )}
    </>
  );
}
