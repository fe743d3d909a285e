import { capacityChannel, moveSlots } from '../../domains/allocations/index.ts';
import {
  makeAlertPublisher,
  makeAlertReconciler,
  makeSilenceCheck,
  showAlerts,
} from '../../domains/attention/index.ts';
import {
  makeDrains,
  makePresence,
  makeRemovals,
  type Newcomer,
  type NodeTenants,
  newcomersChannel,
  pulseChannel,
  type Removal,
  readFleet,
} from '../../domains/nodes/index.ts';
import type { Policies } from '../../domains/policy/index.ts';
import { actsOf, systemViewer } from '../../kernel/act.ts';
import type { Lease } from '../../kernel/process/lease.ts';
import type { Common } from '../../kernel/process/process.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Ports } from '../../ports/open.ts';

/** Whether nodes are there is looked at this often; who reports for the first time, or again, is seen at once. */
const lookEveryMs = 5_000;
/** The fallback interval, in case a wake-up was lost. */
const lookAgainMs = 15_000;

/** Has taken in who reports for the first time, loses who is silent, takes back who returns; and counts the fleet. */
export async function watchNodes(
  parts: Pick<Ports, 'database'> & Omit<Common<unknown>, 'config'>,
  settings: {
    readonly policies: Policies;
    readonly onNewcomer: (run: string, newcomer: Newcomer) => Promise<void>;
    /** Undefined in a test that runs no second worker. */
    readonly lease: Lease | undefined;
  },
): Promise<void> {
  const { database, clock, ids, log, metrics, scope } = parts;
  const { policies, onNewcomer, lease } = settings;
  const db = database.database;
  const moves = metrics.counter('gpuaas_node_moves_total', 'Nodes that were lost or came back.', ['transition']);
  const presence = makePresence({
    db,
    begin: actsOf('nodes', ids),
    ids,
    clock,
    log,
    lostAfterSeconds: () => policies.number('node.lost_after_seconds'),
    heardWithinSeconds: () => policies.number('node.task_ttl_seconds'),
    onNewcomer,
    onMoved: (transition) => moves.inc({ transition }),
    onLooked: makeSilenceCheck({ db, begin: actsOf('attention', ids), ids, log, metrics }),
  });
  const watching = scope.keep('node-presence', startReconciler(presence, { clock, log, lease, everyMs: lookEveryMs }));
  scope.keep('node-newcomers', await database.listen(newcomersChannel, watching.wake));
  scope.keep('node-pulse', await database.listen(pulseChannel, presence.pulse));

  const attention = makeAlertReconciler({ db, begin: actsOf('attention', ids), ids, log, metrics });
  scope.keep('attention', startReconciler(attention, { clock, log, lease, everyMs: lookEveryMs }));
  const alertPublisher = makeAlertPublisher({ db, begin: actsOf('attention', ids), ids });
  scope.keep('alert-publisher', startReconciler(alertPublisher, { clock, log, lease, everyMs: lookEveryMs }));
  showAlerts({ db, ids, metrics });

  const waiting = metrics.gauge('gpuaas_node_tasks_waiting', 'Tasks that nobody has fetched.', []);
  const oldest = metrics.gauge('gpuaas_node_tasks_oldest_seconds', 'The age of the oldest of them.', []);
  const expiring = metrics.gauge(
    'gpuaas_node_certificates_expiring',
    'Nodes whose newest certificate ends within four hours, or has ended.',
    [],
  );
  const skewed = metrics.gauge('gpuaas_node_clock_skew_max_seconds', 'The clock that is most wrong.', []);
  metrics.onScrape(async () => {
    const viewer = systemViewer('nodes', { correlationId: ids.next() });
    const fleet = await db.read(viewer, (tx) => readFleet(tx, clock.now()));
    waiting.set(fleet.tasksWaiting);
    oldest.set(fleet.oldestTaskSeconds);
    expiring.set(fleet.certificatesExpiring);
    skewed.set(fleet.clockSkewMaxSeconds);
  });
}

/** Slots come free all the time, and seldom the last one of a node that is being emptied: a busy second costs two looks. */
const restMs = 500;

/** Sees drains and removals through: what was asked for once, and takes as long as it takes. */
export async function emptyNodes(
  parts: Pick<Ports, 'database'> & Omit<Common<unknown>, 'config'>,
  settings: {
    readonly tenants: NodeTenants;
    readonly lease: Lease;
    readonly onRemovable: (run: string, removal: Removal) => Promise<void>;
  },
): Promise<void> {
  const { database, clock, ids, log, scope } = parts;
  const db = database.database;
  const drains = makeDrains({ db, begin: actsOf('nodes', ids), ids, clock, log, moveSlots, tenants: settings.tenants });
  const { lease } = settings;
  const rounds = { clock, log, lease, restMs };
  const draining = scope.keep('node-drains', startReconciler(drains, { ...rounds, everyMs: lookEveryMs }));
  // The last slot that comes free is heard at once; the timer is for deadlines, and for a word that was lost.
  scope.keep('node-drains wake-up', await database.listen(capacityChannel, draining.wake));
  const removals = makeRemovals({ db, ids, begin: settings.onRemovable });
  const removing = scope.keep('node-removals', startReconciler(removals, { ...rounds, everyMs: lookAgainMs }));
  scope.keep('node-removals wake-up', await database.listen(capacityChannel, removing.wake));
}
