import type { DeclaredEvent } from '@gpuaas/contract';
import type { Database, Receipt } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Tasks } from '../../nodes/index.ts';

/** What the transitions of an allocation need, in the api and in the worker alike. */
export interface LifeParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly tasks: Pick<Tasks, 'adoptTask' | 'cancelOf' | 'queueTask' | 'takeBack' | 'wasHandedOut'>;
  /** How long a node may take over a task, from the moment the task is queued. */
  readonly taskSeconds: (kind: 'provision' | 'release' | 'short') => number;
  /** How many times as fast the time of a lease passes on simulated hosts. */
  readonly gpuTimeSpeed: () => number;
  /** How long a guest may take to shut down by itself. */
  readonly graceSeconds: (organizationId: string) => number;
  /** How long placement avoids a host after a launch failed because of it. */
  readonly failureMemoryMinutes: () => number;
  /** The limits of placement when a launch is retried on another host. */
  readonly placing: () => {
    readonly lostAfterSeconds: number;
    readonly candidates: number;
    readonly imageRequired: boolean;
  };
}

/** Names one lease of an allocation. An actor that finds another generation on the allocation is late and does nothing. */
export interface OfLease {
  readonly allocationId: string;
  readonly generation: number;
}

/** What one transition changed: for the audit row, and the events that its transaction commits. */
export type LifeChange = Required<Pick<Receipt, 'organizationId' | 'projectId'>> & {
  readonly change: object;
  readonly events: readonly DeclaredEvent[];
  /** The answer is not settled by it: the saga goes on. */
  readonly leavesWork?: boolean;
};
