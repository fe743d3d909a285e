import type { Act, BeginAct, Database, InOrganization, InProject, ReadTx, Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Storage } from '../../ports/storage/port.ts';
import type { Policies } from '../policy/index.ts';
import type { Transfers } from './transfers.ts';

/** What storage asks of billing. */
export interface StorageMoney {
  /** Whether the balance is spent: nothing more is stored, and what is stored stays. */
  isReadOnly(tx: ReadTx, organizationId: string): Promise<boolean>;
  /** Why nothing more is stored. */
  whyNothingMore(tx: ReadTx, who: Viewer & InOrganization): Promise<Fault<'storage_read_only'> | undefined>;
  /** What a GiB costs for an hour now; null where it is free. */
  price(tx: ReadTx, organizationId: string): Promise<{ readonly currency: string; readonly rate_micro: string } | null>;
}
export interface StorageParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Pick<Policies, 'number'>;
  readonly storage: Storage;
  readonly transfers: Transfers;
  readonly money: StorageMoney;
  readonly begin: BeginAct;
  /** Where callers reach this installation. */
  readonly publicUrl: string;
}
export type Reader = Viewer & InProject;
export type Writer = Act & InProject;
