import { makePresence, newcomersChannel, pulseChannel, readFleet, type Tasks } from '../../domains/nodes/index.ts';
import type { Policies } from '../../domains/policy/index.ts';
import { actsOf, systemViewer } from '../../kernel/act.ts';
import type { Common } from '../../kernel/process.ts';
import { startReconciler } from '../../kernel/reconciler.ts';
import type { Ports } from '../../ports/open.ts';

/** Whether nodes are there is looked at this often; who reports for the first time, or again, is seen at once. */
const lookEveryMs = 2_000;

/** Admits who reports for the first time, loses who is silent, takes back who returns; and counts the fleet. */
export async function watchNodes(
  parts: Pick<Ports, 'database'> & Omit<Common<unknown>, 'config'>,
  settings: { readonly policies: Policies; readonly tasks: Tasks },
): Promise<void> {
  const { database, clock, ids, log, metrics, scope } = parts;
  const { policies, tasks } = settings;
  const db = database.database;
  const moves = metrics.counter('gpuaas_node_moves_total', 'Nodes that were admitted, lost or came back.', [
    'transition',
  ]);
  const presence = makePresence({
    db,
    begin: actsOf('nodes', ids),
    ids,
    clock,
    log,
    lostAfterSeconds: () => policies.number('node.lost_after_seconds'),
    // What a new node is made of is asked at once; what becomes of the answer is an operator's decision.
    onAdmitted: async (tx, node, correlationId) => {
      await tasks.queueTask(tx, {
        nodeId: node.id,
        type: 'slice.topology_discover',
        params: {},
        generation: 1,
        ttlSeconds: policies.number('node.task_ttl_seconds'),
        correlationId,
      });
    },
    onMoved: (transition) => moves.inc({ transition }),
  });
  const watching = scope.keep('node-presence', startReconciler(presence, { clock, log, everyMs: lookEveryMs }));
  scope.keep('node-newcomers', await database.listen(newcomersChannel, watching.wake));
  scope.keep('node-pulse', await database.listen(pulseChannel, presence.pulse));

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
