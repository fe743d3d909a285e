import type { Overview } from '@gpuaas/sdk';
import { spellMoney } from './money.ts';
import { counted } from './sizes.ts';

type Totals = Pick<Overview, 'running' | 'states' | 'queued'>;

/** `5 GPUs running in 4 allocations, $22.50 per hour. 1 starting. 1 queued.` */
export function sumUp({ running, states, queued }: Totals): string {
  const price = running.per_hour.map(spellMoney).join(' + ');
  const starting = states.requested - queued + states.provisioning;
  const rest = [
    [starting, 'starting'],
    [queued, 'queued'],
    [states.releasing, 'releasing'],
    [states.release_failed, 'could not be released'],
  ] as const;
  return [
    running.allocations === 0
      ? 'No GPUs are running.'
      : `${counted(running.gpus, 'GPU')} running in ${counted(running.allocations, 'allocation')}, ${price} per hour.`,
    ...rest.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}.`),
  ].join(' ');
}

/** Allocations that have not ended. */
export const unended = ({ requested, provisioning, active, releasing, release_failed }: Overview['states']): number =>
  requested + provisioning + active + releasing + release_failed;
