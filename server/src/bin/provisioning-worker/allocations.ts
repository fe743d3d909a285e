import {
  makeAllocationListeners,
  makeAuthorizedKeys,
  makeBeginRuns,
  makeGuards,
  makeNodeTenants,
  makeProjectAllocations,
  makeReattest,
  makeStops,
  makeUnattended,
  taskTimes,
} from '../../domains/allocations/index.ts';
import { type MaasSagaParts, makeAskReimage } from '../../domains/maas/index.ts';
import { answersChannel, denialsChannel, makeNodeListeners, type Tasks } from '../../domains/nodes/index.ts';
import type { Policies } from '../../domains/policy/index.ts';
import { makeProjectKeys } from '../../domains/ssh/index.ts';
import { makeProjectStorage } from '../../domains/storage/index.ts';
import { makeTenancyListeners, tenancyChannel } from '../../domains/tenancy/index.ts';
import { makeTerminalGuard } from '../../domains/terminal/index.ts';
import { actsOf } from '../../kernel/act.ts';
import type { Lease } from '../../kernel/process/lease.ts';
import type { Common } from '../../kernel/process/process.ts';
import { type Reconciler, startReconciler } from '../../kernel/process/reconciler.ts';
import type { Saga } from '../../kernel/saga.ts';
import type { Ports } from '../../ports/open.ts';
import { makeSagas } from './sagas.ts';

/**
 * How often each guard runs. What is urgent has an event. Expiry is charged by the second and runs often; the others are a matter
 * of minutes, so an idle installation does next to nothing.
 */
const guardEveryMs = {
  expiry: 2_000,
  lostNodes: 5_000,
  idle: 15_000,
  drift: 15_000,
  reattest: 15_000,
  unattended: 5_000,
  authorizedKeys: 5_000,
  stops: 2_000,
  terminals: 2_000,
};

/** Serves the sagas of allocations and runs the guards. */
export async function serveAllocations(
  parts: Pick<Ports, 'database' | 'sagas'> & Omit<Common<unknown>, 'config'>,
  settings: {
    readonly policies: Policies;
    readonly tasks: Tasks;
    readonly lease: Lease;
    readonly machines: MaasSagaParts;
  },
) {
  const { database, sagas, clock, ids, log, metrics, scope } = parts;
  const { policies, tasks, lease } = settings;
  const db = database.database;
  const guards = makeGuards({
    db,
    begin: actsOf('allocation-guards', ids),
    ids,
    clock,
    log,
    metrics,
    tasks,
    ...taskTimes(policies),
    policies: {
      maxReleaseAttempts: () => policies.number('allocation.force_release_max_attempts'),
      lostAfterSeconds: () => policies.number('allocation.node_lost_seconds'),
      reportSeconds: () => policies.number('node.lost_after_seconds'),
      idlePercent: () => policies.number('allocation.idle_percent'),
      idleGraceMinutes: () => policies.number('allocation.idle_grace_minutes'),
    },
  });
  const tenants = makeNodeTenants({
    db,
    begin: actsOf('allocations', ids),
    ids,
    maxReleaseAttempts: () => policies.number('allocation.force_release_max_attempts'),
    release: guards.release,
  });
  const served = makeSagas({
    db,
    tenants,
    ids,
    clock,
    tasks,
    ...taskTimes(policies),
    machines: settings.machines,
    askReimage: makeAskReimage({ db, ids }),
    residents: [
      makeProjectAllocations({ db, release: guards.release }),
      makeProjectKeys({ db, begin: actsOf('ssh', ids) }),
      makeProjectStorage({ db }),
    ],
  });
  await sagas.serve(Object.values(served) as unknown as readonly Saga<never>[]);
  const reattest = makeReattest({
    db,
    ids,
    clock,
    everyMinutes: () => policies.number('allocation.reattest_minutes'),
    ...{ log, metrics },
    begin: (run, lease, { organization_id, project_id }) =>
      sagas.start(served.attest, run, lease, {
        correlationId: ids.next(),
        traceparent: undefined,
        organizationId: organization_id,
        projectId: project_id,
      }),
  });
  const begin = makeBeginRuns({ db, sagas, served });
  const unattended = makeUnattended({ db, ids, clock, log, metrics, begin });
  const authorizedKeys = makeAuthorizedKeys({
    db,
    begin: actsOf('authorized-keys', ids),
    ids,
    tasks,
    taskSeconds: () => policies.number('node.task_ttl_seconds'),
    ...{ log, metrics },
  });
  const stops = makeStops({
    ...{ db, begin: actsOf('allocation-stops', ids), ids, tasks, log, metrics },
    ...taskTimes(policies),
  });
  const terminals = makeTerminalGuard({ ...{ db, begin: actsOf('terminal-guard', ids), ids, clock }, log, metrics });
  const { expiry, lostNodes, idle, drift } = guards;
  const watching = { expiry, lostNodes, idle, drift, reattest, unattended, authorizedKeys, stops, terminals };
  await startGuards({ database, clock, log, scope, lease }, watching);
  const listeners = [
    ...makeAllocationListeners({ sagas, restart: served.restart, begin, release: guards.release }),
    ...makeNodeListeners({ sagas, served, tenants }),
    ...makeTenancyListeners({ sagas, removeProject: served.removeProject }),
  ];
  return { served, tenants, listeners };
}

/** Runs each guard in its rhythm, and at once where something it waits for has happened. */
async function startGuards(
  parts: Pick<Ports, 'database'> & Pick<Common<unknown>, 'clock' | 'log' | 'scope'> & { readonly lease: Lease },
  guards: Readonly<Record<keyof typeof guardEveryMs, Reconciler>>,
): Promise<void> {
  const { database, scope, clock, log, lease } = parts;
  for (const [name, guard] of Object.entries(guards)) {
    const everyMs = guardEveryMs[name as keyof typeof guardEveryMs];
    const { wake } = scope.keep(guard.name, startReconciler(guard, { clock, log, lease, everyMs }));
    // Keys and terminals of a person who left end at once, not with the next round.
    if (name === 'authorizedKeys' || name === 'terminals') {
      scope.keep(`${guard.name}-wake`, await database.listen(tenancyChannel, wake));
    }
    // Terminals of a node whose certificates were revoked end at once, too.
    if (name === 'terminals') scope.keep('terminals-denials', await database.listen(denialsChannel, wake));
    // A task that failed is dealt with at once.
    if (name === 'unattended' || name === 'stops') {
      scope.keep(`${guard.name}-answers`, await database.listen(answersChannel, wake));
    }
  }
}
