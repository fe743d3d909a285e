import { useHeldUntil } from '../client/held.ts';
import { useNow } from '../parts/time.tsx';

/** Says that the server asked us to wait, and for how long. */
export function HeldNote() {
  const until = useHeldUntil();
  return until > 0 ? <Countdown until={until} /> : null;
}

function Countdown({ until }: { until: number }) {
  const left = Math.ceil((until - useNow()) / 1_000);
  if (left <= 0) return null;
  return (
    <p
      role="status"
      className="fixed inset-x-3 bottom-3 z-50 mx-auto w-fit rounded-lg bg-warn-soft px-4 py-2 text-warn shadow-lift"
    >
      Too many requests. Waiting
      {/* Screen readers skip the countdown. */}
      <span aria-hidden="true" className="tabular">{` for ${left} s`}</span>.
    </p>
  );
}
