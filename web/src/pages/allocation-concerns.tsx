import type { Allocation } from '@gpuaas/sdk';
import { Ago } from '../parts/time.tsx';

/** What its owner should know about its host or its GPUs. */
export function Concerns({ it }: { it: Pick<Allocation, 'concerns' | 'over' | 'state'> }) {
  return (
    <>
      {it.concerns.map(({ kind, message, deadline_at }) => (
        <p key={kind} role="status" className="rounded-lg bg-warn-soft px-4 py-3 text-warn">
          {message}
          {deadline_at && (
            <>
              {' '}
              Deadline: <Ago at={deadline_at} />.
            </>
          )}
        </p>
      ))}
      {it.over && it.state === 'releasing' && (
        <p role="status" className="rounded-lg bg-sunk px-4 py-3">
          It has ended and is no longer yours. Its host is still being cleaned up; you need not wait for that.
        </p>
      )}
    </>
  );
}
