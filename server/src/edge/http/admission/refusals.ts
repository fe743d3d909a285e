import type { Route } from '@gpuaas/contract';
import { type Database, makeAct, type Viewer } from '../../../kernel/act.ts';
import type { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';

/** Refusals that are audited: attempts at what is not allowed. */
export type RefusedAction = 'authz.deny' | 'rate_limit.block' | 'policy.bound_violation';

/**
 * A refused request runs no transaction of its own, so the edge writes its audit row. It does so after the answer, from
 * a bounded queue: a flood of refusals must not become a flood of writes.
 */
export interface Refusals {
  note(viewer: Viewer, action: RefusedAction, route: Route, fault: Fault): void;
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

  const record = async (viewer: Viewer, action: string, route: Route, fault: Fault) => {
    try {
      await parts.database.write(makeAct(viewer, action, parts.ids.next()), async (tx) =>
        tx.commit(undefined, {
          target: { type: 'route', id: route.id },
          change: { code: fault.code },
          result: 'failure',
          events: 'none',
        }),
      );
    } catch (error) {
      parts.log.error({ err: error, action }, 'a refusal could not be audited');
    }
  };

  return {
    note(viewer, action, route, fault) {
      if (waiting >= maxWaiting) return dropped.inc();
      waiting += 1;
      tail = tail
        .then(() => record(viewer, action, route, fault))
        .finally(() => {
          waiting -= 1;
        });
    },
    close: () => tail,
  };
}
