import type { AllocationDetail } from '@gpuaas/contract';
import type { Act, ReadTx, Viewer } from '../../kernel/act.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Policies } from '../policy/index.ts';
import type { LifeParts } from './life/parts.ts';
import type { Placer } from './placement/place.ts';
import type { Limits } from './views/show.ts';

/** Refuses when an organization cannot pay for everything that it requests at once. */
export type MayAfford = (
  tx: ReadTx,
  cost: { readonly organizationId: string; readonly perHour: bigint; readonly currency: string },
) => Promise<Fault<'insufficient_balance'> | undefined>;

/** What was charged for an allocation so far. Billing answers; null before the first evidence. */
export type ReadCharged = (tx: ReadTx, allocationId: string) => Promise<AllocationDetail['charged']>;

/** What the handlers of allocations need. */
export interface AllocationParts extends LifeParts {
  readonly policies: Policies;
  readonly placer: Placer;
  readonly mayAfford: MayAfford;
  readonly readCharged: ReadCharged;
  readonly limits: (who: Viewer | Act) => Limits;
}
