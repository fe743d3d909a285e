import type { Allocation } from '@gpuaas/sdk';
import { spellMoment } from './time.ts';

/** Why a machine does not run, and what makes it run again. */
export function tellStop({ phase, kept_until }: NonNullable<Allocation['stop']>): string {
  if (phase === 'starting') return 'The balance lasts again, and the machine is being started.';
  const is = phase === 'stopping' ? 'is being stopped' : 'is stopped';
  const kept = kept_until ? ` Its disk is kept until ${spellMoment(kept_until)}; then it is released.` : '';
  return `The machine ${is} because the balance is spent. It costs nothing while it is stopped.${kept} Add to the balance, and it starts again.`;
}
