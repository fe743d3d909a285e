import type { Breaker } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useAsk } from '../client/ask.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Panel } from '../parts/page.tsx';
import { Ago } from '../parts/time.tsx';

const verbs: Readonly<Record<Breaker['kind'], string>> = {
  quarantine: 'Quarantining',
};

/** Breakers of automation that tripped: what they hold back, and a way to let automation go on. */
export function Breakers() {
  const tripped = useAsk(
    ['health', 'breakers'],
    async (options) => (await api.adminAlerts.breakerList({ tripped: 'true', limit: 50 }, options)).data,
    { everyMs: 10_000 },
  );
  const [chosen, setChosen] = useState<Breaker>();
  const reset = useAct(
    'breaker-reset',
    ({ id, reason }: { readonly id: string; readonly reason: string }, options) =>
      api.adminAlerts.breakerReset({ breaker_id: id, reason }, options),
    { stale: ['health', 'fleet'], done: () => setChosen(undefined) },
  );
  if (!tripped.data || tripped.data.length === 0) return null;
  return (
    <Panel title="Automation that is stopped">
      <ul className="grid gap-4">
        {tripped.data.map((breaker) => (
          <li key={breaker.id} className="grid gap-1">
            <span className="flex flex-wrap items-center justify-between gap-2">
              <span className="font-medium">
                {verbs[breaker.kind]} {breaker.sku} in {breaker.region}
              </span>
              <Button onClick={() => setChosen(breaker)}>Reset</Button>
            </span>
            <span className="text-sm text-dim">
              {breaker.taken} of {breaker.hosts} hosts were taken within {breaker.window_minutes} minutes;{' '}
              {breaker.allowed} are allowed. Stopped {breaker.tripped_at && <Ago at={breaker.tripped_at} />}.
            </span>
            <ul aria-label="Held back" className="ms-4 list-disc text-sm">
              {breaker.held_back.map((held) => (
                <li key={held.node_id}>
                  {held.node_name}: {held.reason}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      <Confirm
        open={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title="Reset the breaker?"
        verb="Reset"
        reason
        busy={reset.isPending}
        error={reset.error}
        onConfirm={(reason) => chosen && reset.mutate({ id: chosen.id, reason })}
      >
        <p>Automation goes on in this pool. Hosts that it took within the window still count, so it may stop again.</p>
      </Confirm>
    </Panel>
  );
}
