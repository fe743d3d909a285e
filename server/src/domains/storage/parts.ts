import type { Act, BeginAct, Database, InProject, Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Storage } from '../../ports/storage/port.ts';
import type { Policies } from '../policy/index.ts';
import type { Transfers } from './transfers.ts';

export interface StorageParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Pick<Policies, 'number'>;
  readonly storage: Storage;
  readonly transfers: Transfers;
  readonly begin: BeginAct;
  /** Where callers reach this installation. */
  readonly publicUrl: string;
}
export type Reader = Viewer & InProject;
export type Writer = Act & InProject;
