import type { NumberPolicyKey } from '@gpuaas/contract';
import type { Database, ReadTx } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { OwnRegistry } from './pushing/credential.ts';

/** One instance that runs a version whose trust is revoked. */
export interface AffectedInstance {
  readonly organizationId: string;
  readonly projectId: string;
  readonly instanceId: string;
}
/** The instances that run a version now, the oldest first; asked in the transaction of a revocation. */
export type AffectedBy = (tx: ReadTx, versionId: string) => Promise<readonly AffectedInstance[]>;

export interface AppParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  /** The registry of the installation; undefined where it has none to push to. */
  readonly ownRegistry: OwnRegistry | undefined;
  readonly region: string;
  readonly policy: (key: NumberPolicyKey, subject?: { readonly organizationId: string }) => number;
  readonly affectedBy: AffectedBy;
  /** Whether an organization exists, with this project if one is named. */
  readonly isThere: (organizationId: string, projectId: string | undefined) => Promise<boolean>;
}
