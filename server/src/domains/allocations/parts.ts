import type { AllocationDetail } from '@gpuaas/contract';
import type { Act, InProject, ReadTx, Viewer, WriteTx } from '../../kernel/act.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Policies } from '../policy/index.ts';
import type { LifeParts } from './life/parts.ts';
import type { Placer } from './placement/placer.ts';
import type { Limits } from './views/actions.ts';

/** One launch as billing sees it. */
export interface Order {
  readonly allocationId: string;
  readonly perHour: bigint;
  readonly currency: string;
  /** How long it lasts at most; undefined when it has no end. */
  readonly seconds: number | undefined;
  readonly tags: Readonly<Record<string, string>>;
}
/** The price that a quote has locked. */
export interface LockedPrice {
  readonly priceId: string | null;
  readonly unitPriceMinor: bigint;
}
/** What billing has to say about launches. */
export interface LaunchMoney {
  /** Refuses when an organization cannot pay for everything that it requests at once, or when a hard budget is reached. */
  check(
    tx: ReadTx,
    act: Viewer & InProject,
    orders: readonly Order[],
  ): Promise<Fault<'insufficient_balance' | 'budget_exceeded' | 'invoice_past_due'> | undefined>;
  /** Refuses when a hard budget does not allow that an allocation of `requestedBy` lasts `seconds` longer. */
  checkExtension(
    tx: ReadTx,
    act: Viewer,
    extension: Pick<Order, 'perHour' | 'seconds' | 'tags'> & InProject & { readonly requestedBy: string },
  ): Promise<Fault<'budget_exceeded'> | undefined>;
  /** Refuses to take a tag off an allocation by which a hard budget counts it, unless the caller sees to the account. */
  checkTags(
    tx: ReadTx,
    act: Viewer,
    of: InProject & { readonly requestedBy: string },
    before: Order['tags'],
    after: Order['tags'],
  ): Promise<Fault<'budget_tag_locked'> | undefined>;
  /** Sets aside what the launches need first, where the organization pays ahead. */
  hold(tx: WriteTx, act: Act & InProject, orders: readonly Order[]): Promise<void>;
  /** Holds a quote of the project until the transaction ends, and answers its price. */
  lockQuote(
    tx: WriteTx,
    act: Act & InProject,
    quoteId: string,
    launch: { readonly sku: string; readonly gpus: number; readonly region: string },
  ): Promise<LockedPrice | Fault<'quote_not_found' | 'quote_expired' | 'quote_used' | 'quote_mismatch'>>;
  useQuote(tx: WriteTx, quoteId: string, allocationId: string): Promise<void>;
}

/** What was charged for an allocation so far. Billing answers; null before the first evidence. */
export type ReadCharged = (tx: ReadTx, allocationId: string) => Promise<AllocationDetail['charged']>;

/** What the handlers of allocations need. */
export interface AllocationParts extends LifeParts {
  readonly policies: Policies;
  readonly placer: Placer;
  readonly money: LaunchMoney;
  readonly readCharged: ReadCharged;
  readonly limits: (who: Viewer | Act) => Limits;
}
