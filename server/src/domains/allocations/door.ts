import type { DeclaredEvent } from '@gpuaas/contract';
import type { Act, InProject, WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { checkLaunch } from './launch/create-routes.ts';
import type { LaunchRequest } from './launch/launch-request.ts';
import { releaseAllocation } from './life/release.ts';
import { requestAllocations } from './life/request.ts';
import type { AllocationParts } from './parts.ts';
import { mayHoldMore } from './quota/quota.ts';

type Refused =
  Exclude<
    | Awaited<ReturnType<typeof checkLaunch>>
    | Awaited<ReturnType<typeof requestAllocations>>
    | Awaited<ReturnType<typeof mayHoldMore>>,
    undefined
  > extends infer All
    ? Extract<All, Fault>
    : never;

/** What launches and releases an allocation in the transaction of another domain, as the routes of allocations do. */
export interface AllocationDoor {
  request(
    tx: WriteTx,
    act: Act & InProject,
    launch: LaunchRequest,
  ): Promise<{ readonly id: string; readonly events: readonly DeclaredEvent[] } | Refused>;
  /** Undefined when there is no such allocation. */
  release(
    tx: WriteTx,
    act: Act,
    id: string,
    said: string,
  ): Promise<
    | { readonly events: readonly DeclaredEvent[] }
    | undefined
    | Fault<'allocation_already_releasing' | 'illegal_transition'>
  >;
}

export const makeAllocationDoor = (parts: AllocationParts): AllocationDoor => ({
  async request(tx, act, launch) {
    const [refused, checked] = await Promise.all([
      mayHoldMore(tx, parts, act, { allocations: 1, gpus: launch.gpus }),
      checkLaunch(tx, parts, act, launch),
    ]);
    if (refused) return refused;
    if (checked instanceof Fault) return checked;
    const made = await requestAllocations(tx, parts, act, [checked], {});
    return made instanceof Fault ? made : { id: made.ids[0] ?? '', events: made.events };
  },
  release: (tx, act, id, said) =>
    releaseAllocation(tx, parts, act, id, { reason: 'user', said, forced: false, by: act.actorId }),
});
