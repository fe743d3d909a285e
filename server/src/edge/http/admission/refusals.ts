import { type Database, makeAct, type Viewer } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';

/** Refusals that are audited: attempts at what is not allowed. */
export type RefusedAction = 'authz.deny' | 'rate_limit.block' | 'policy.bound_violation';

/** What was asked for, and the code that refused it. */
export interface Refused {
  readonly target: { readonly type: string; readonly id: string };
  readonly change: { readonly code: string; readonly limit?: string };
}

/**
 * A refused request runs no transaction of its own, so the edge writes its audit row. It does so after the answer, from
 * a bounded queue: a flood of refusals must not become a flood of writes.
 */
export interface Refusals {
  note(viewer: Viewer, action: RefusedAction, refused: Refused): void;
  close(): Promise<void>;
}

const maxWaiting = 500;

export function makeRefusals(parts: {
  readonly database: Database;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
}): Refusals {
  const dropped = parts.metrics.counter(
    'gpuaas_audit_refusals_dropped_total',
    'Refused requests that were not written to the audit log because too many waited.',
    [],
  );
  let waiting = 0;
  let tail: Promise<void> = Promise.resolve();

  const record = async (viewer: Viewer, action: string, refused: Refused) => {
    try {
      await parts.database.write(makeAct(viewer, action, parts.ids.next()), async (tx) =>
        tx.commit(undefined, { ...refused, result: 'failure', events: 'none' }),
      );
    } catch (error) {
      parts.log.error({ err: error, action }, 'a refusal could not be audited');
    }
  };

  return {
    note(viewer, action, refused) {
      if (waiting >= maxWaiting) return dropped.inc();
      waiting += 1;
      tail = tail
        .then(() => record(viewer, action, refused))
        .finally(() => {
          waiting -= 1;
        });
    },
    close: () => tail,
  };
}
