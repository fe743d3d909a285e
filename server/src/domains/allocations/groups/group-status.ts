import type { AllocationGroup } from '@gpuaas/contract';
import type { AllocationState } from '../life/machine.ts';

type Status = AllocationGroup['status'];
const isOver = (state: AllocationState) => state === 'released' || state === 'failed';
const isComing = (state: AllocationState) => state === 'requested' || state === 'provisioning';

/** The status of a group, from the states of its members and from whether its release was requested. */
export function statusOf(states: readonly AllocationState[], releaseRequested: boolean): Status {
  const all = (test: (state: AllocationState) => boolean) => states.every(test);
  const any = (...wanted: AllocationState[]) => states.some((state) => wanted.includes(state));
  if (releaseRequested || all((state) => isOver(state) || state === 'releasing' || state === 'release_failed')) {
    if (all(isOver)) return any('released') || releaseRequested ? 'released' : 'failed';
    if (any('release_failed') && all((state) => isOver(state) || state === 'release_failed')) return 'release_failed';
    return 'releasing';
  }
  if (all((state) => state === 'requested')) return 'requested';
  const lost = states.filter((state) => !isComing(state) && state !== 'active').length;
  if (lost > 0) return 'degraded';
  return all((state) => state === 'active') ? 'active' : 'provisioning';
}
