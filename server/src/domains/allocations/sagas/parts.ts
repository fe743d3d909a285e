import type { Database } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Tasks } from '../../nodes/index.ts';

/** What the sagas of allocations are made over, and whoever does a part of their work ahead of them. */
export interface SagaParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly tasks: Pick<Tasks, 'queueTask' | 'cancelOf' | 'takeBack' | 'wasHandedOut'>;
  /** How long a node may take over a task, the waiting included. */
  readonly taskSeconds: (kind: 'provision' | 'release' | 'short') => number;
  /** How long a guest may take to shut down by itself. */
  readonly graceSeconds: (organizationId: string) => number;
  /** How long placement avoids a host after a launch failed because of it. */
  readonly failureMemoryMinutes: () => number;
  /** What placement goes by when a launch is tried on another host. */
  readonly placing: () => {
    readonly lostAfterSeconds: number;
    readonly candidates: number;
    readonly imageRequired: boolean;
  };
}

/** Which lease a run is about. Whoever finds another one in its place is late, and does nothing. */
export interface OfLease {
  readonly allocationId: string;
  readonly generation: number;
}

/** The name of a state, from the words of whoever refused to leave it. */
export const stateIn = (fault: Fault): string | undefined =>
  (fault.details as { readonly state?: string } | undefined)?.state;
