import { makeApplyResult, makeNoteProgress, taskTimes } from '../../domains/allocations/index.ts';
import { makeApplyAppResult, makeNoteAppProgress } from '../../domains/app-instances/index.ts';
import { openEvidenceDesk } from '../../domains/billing/index.ts';
import {
  makeDispatch,
  makeIdentities,
  makeNodeReports,
  makeOpenRelease,
  makeResults,
  makeTasks,
  newcomersChannel,
  openDenials,
  openImageReports,
  openReports,
  openTaskSigners,
  pulseChannel,
  type TaskSigners,
  tasksChannel,
} from '../../domains/nodes/index.ts';
import type { Policies } from '../../domains/policy/index.ts';
import { makeTakeSamples, makeTelemetryPoints } from '../../domains/telemetry/index.ts';
import { makeApplyTerminalResult } from '../../domains/terminal/index.ts';
import type { RateLimit } from '../../edge/http/admission/rate-limit.ts';
import type { NodeLimits } from '../../edge/nodes/budget.ts';
import { type NodeListener, openNodeListener } from '../../edge/nodes/listener.ts';
import { openWaitingRoom } from '../../edge/nodes/waiting-room.ts';
import { actsOf } from '../../kernel/act.ts';
import type { Common } from '../../kernel/process/process.ts';
import { startReconciler } from '../../kernel/process/reconciler.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { latencyBuckets } from '../../kernel/telemetry/metrics.ts';
import type { Certificates } from '../../ports/certificates/port.ts';
import type { Ports } from '../../ports/open.ts';

const pulseEveryMs = 5_000;

/** Opens the keys that sign tasks, for a process that signs tasks or shows the keys. */
export async function openSigners(
  parts: Pick<Ports, 'database'> & Omit<Common<unknown>, 'config' | 'metrics'>,
  settings: { readonly seal: Pick<Seal, 'close' | 'open'> | undefined; readonly policies: Policies },
): Promise<TaskSigners> {
  const { database, clock, ids, log, scope } = parts;
  const { policies } = settings;
  return scope.keep(
    'task-signers',
    await openTaskSigners({
      db: database.database,
      begin: actsOf('nodes', ids),
      ids,
      clock,
      log,
      seal: settings.seal,
      overlapSeconds: () => policies.number('node.signer_overlap_seconds'),
      graceHours: () => policies.number('node.signer_grace_hours'),
      listen: database.listen,
    }),
  );
}

export interface DoorSettings {
  readonly host: string;
  readonly port: number;
  /** The names under which nodes reach the api. */
  readonly names: readonly string[];
  readonly handshakeMs?: number;
  readonly limits?: NodeLimits;
  readonly certificates: Certificates;
  /** Where nodes push their logs; they keep them when left out. */
  readonly logsUrl?: string | undefined;
  /** Where nodes with containers keep a tunnel to each copy of the app-proxy. */
  readonly appTunnelUrls?: readonly string[] | undefined;
}

/** What the door of nodes is opened over. */
type DoorParts = Pick<Ports, 'database' | 'objects'> & Omit<Common<unknown>, 'config'>;
interface WholeDoorSettings extends DoorSettings {
  readonly policies: Policies;
  readonly signers: TaskSigners;
  readonly rateLimit: RateLimit;
  /** How many times as fast GPU time may pass on simulated hosts; no faster when left out. */
  readonly gpuTimeSpeed?: () => number;
}

/** Opens the door of nodes: identities, reports, tasks and results. */
export async function openNodeDoor(parts: DoorParts, settings: WholeDoorSettings): Promise<NodeListener> {
  const { database, clock, ids, log, metrics, scope } = parts;
  const { policies, signers, certificates } = settings;
  const db = database.database;
  const room = openTaskRoom(parts, policies);
  const reports = openNodeReports(parts);
  const evidence = scope.keep(
    'usage-evidence',
    openEvidenceDesk({
      ...{ db, begin: actsOf('billing', ids), ids, clock, log, metrics },
      speed: settings.gpuTimeSpeed ?? (() => 1),
    }),
  );
  let listener: NodeListener | undefined;
  const denials = scope.keep(
    'node-denials',
    await openDenials({ db, ids, clock, log, listen: database.listen, onLook: () => listener?.cutDenied() }),
  );
  listener = scope.keep(
    'node-listener',
    await openNodeListener({
      ...settings,
      ...{ database: db, clock, ids, log, metrics, reports, room },
      identities: makeIdentities({
        ...{ db, certificates, signers, ids, clock },
        certificateHours: () => policies.number('node.certificate_hours'),
        heartbeatSeconds: () => policies.number('node.heartbeat_seconds'),
      }),
      results: makeNodeResults(parts, settings),
      openRelease: makeOpenRelease({ db, ids, objects: parts.objects }),
      takeUsage: evidence.take,
      takeSamples: makeTakeSamples({ points: makeTelemetryPoints(database.unaudited), policies, clock, metrics }),
      denials: () => denials,
      signers: signers.announced,
    }),
  );
  scope.keep('node-tasks wake-up', await database.listen(tasksChannel, room.wake));
  return listener;
}

/** Where nodes wait for their tasks. */
function openTaskRoom({ database, clock, ids, log, metrics }: DoorParts, policies: Policies) {
  const waited = metrics.histogram(
    'gpuaas_node_task_dispatch_seconds',
    'Time from the decision about a task to its hand-out.',
    [],
    latencyBuckets,
  );
  return openWaitingRoom({
    clock,
    log,
    tasks: makeDispatch({
      ...{ db: database.database, begin: actsOf('nodes', ids), ids, clock },
      redispatchSeconds: () => policies.number('node.task_redispatch_seconds'),
      onDispatched: (seconds) => waited.observe(seconds),
    }),
  });
}

/** Takes the results of tasks. The domain that gave a task out applies its result; it answers undefined for any other task. */
function makeNodeResults({ database, clock, ids, metrics }: DoorParts, { policies, signers }: WholeDoorSettings) {
  const db = database.database;
  const refused = metrics.counter('gpuaas_node_results_refused_total', 'Results of nodes that were refused, by code.', [
    'code',
  ]);
  const tasks = makeTasks({ ids, clock, signer: signers });
  const applyToTerminal = makeApplyTerminalResult({ clock });
  const applyToAllocation = makeApplyResult({ db, ids, clock, tasks, ...taskTimes(policies) });
  const applyToApp = makeApplyAppResult({ db, ids, clock, tasks, policies, place: undefined });
  const noteOfApp = makeNoteAppProgress();
  const noteOfAllocation = makeNoteProgress({ ids });
  return makeResults({
    db,
    clock,
    onRefused: (code) => refused.inc({ code }),
    applyResult: async (...of) =>
      (await applyToTerminal(...of)) ?? (await applyToApp(...of)) ?? applyToAllocation(...of),
    noteProgress: async (...of) => (await noteOfApp(...of)) ?? noteOfAllocation(...of),
  });
}

/** Takes heartbeats and writes them in batches. A pulse says that they are written: only then silence means something. */
function openNodeReports({ database, clock, ids, log, metrics, scope }: DoorParts) {
  const written = metrics.counter('gpuaas_node_reports_written_total', 'Heartbeats that were written.', []);
  const writes = metrics.counter('gpuaas_node_report_writes_total', 'Transactions that wrote heartbeats.', []);
  const begin = actsOf('nodes', ids);
  const images = scope.keep('node-images', openImageReports({ db: database.database, begin, ids, clock, log }));
  const reports = openReports({
    ...{ reports: makeNodeReports(database.unaudited), clock, log },
    onNewcomers: () => database.notify(newcomersChannel),
    onImages: images.hear,
    onWritten: (nodes) => {
      writes.inc();
      written.inc(nodes);
    },
  });
  scope.keep(
    'node-pulse',
    startReconciler(
      {
        name: 'node-pulse',
        async round() {
          if (reports.healthy) database.notify(pulseChannel);
          return 'idle';
        },
      },
      { clock, log, everyMs: pulseEveryMs },
    ),
  );
  return reports;
}
