import type { RailStep } from '../words/rail.ts';
import { spellDuration } from '../words/time.ts';
import { Spinner } from './button.tsx';
import { Icon } from './icon.tsx';
import { useNow } from './time.tsx';

/** The phases, one below the other. Changes are announced; a spinner turns only for a phase that is known to run. */
export function RailView({ steps }: { steps: readonly RailStep[] }) {
  const now = useNow();
  const running = steps.find(({ status }) => status === 'running');
  return (
    <>
      <p role="status" className="sr-only">
        {running ? running.label : ''}
      </p>
      <ol className="grid">
        {steps.map(({ name, label, status, beganAt, tookMs }, index) => (
          <li key={name} className="relative flex items-center gap-3 py-1.5">
            {index > 0 && <span aria-hidden="true" className="absolute -top-2 start-[11px] h-4 w-0.5 bg-edge" />}
            <Mark status={status} />
            <span
              className={`grow ${status === 'pending' ? 'text-dim' : ''} ${status === 'running' ? 'font-medium' : ''}`}
            >
              {label}
              <span className="sr-only">, {status}</span>
            </span>
            <span className="tabular shrink-0 text-sm whitespace-nowrap text-dim">
              {status === 'running' && beganAt
                ? spellDuration(now - Date.parse(beganAt))
                : tookMs === undefined
                  ? ''
                  : spellDuration(tookMs)}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Mark({ status }: { status: RailStep['status'] }) {
  const looks = {
    pending: 'border-2 border-edge bg-paper',
    running: 'bg-paper text-accent',
    done: 'bg-ok-soft text-ok',
    failed: 'bg-bad-soft text-bad',
  } as const;
  return (
    <span className={`z-10 grid size-6 shrink-0 place-items-center rounded-full ${looks[status]}`}>
      {status === 'running' && <Spinner />}
      {status === 'done' && <Icon name="check" size={14} />}
      {status === 'failed' && <Icon name="close" size={14} />}
    </span>
  );
}
