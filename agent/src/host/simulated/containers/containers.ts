import { isDeepStrictEqual } from 'node:util';
import {
  type OciLogLine,
  type OciWorkload,
  ociMost,
  type Proof,
  type TaskOutput,
  type TaskParams,
} from '@gpuaas/contract/node';
import type { Clock } from '../../../clock.ts';
import { type Host, HostFailure, type Work } from '../../port.ts';
import { refuseDoubles } from '../../workload-order.ts';
import { type HostParts, passed } from '../parts.ts';
import type { ContainerState, HostState } from '../state.ts';
import { makeSimulatedApps } from './apps.ts';

type Launch = TaskParams<'app.oci_launch'>;
type Methods = 'launchContainer' | 'stopContainer' | 'containers' | 'containerLogs' | 'connectContainer';

/**
 * Containers that are lines in the state of the host: no image is fetched and no program of it runs. A small server in this process
 * answers at their ports, and says that it is simulated.
 */
export interface SimulatedContainers {
  readonly methods: Pick<Host, Methods>;
  /** Its machine was stopped: what ran in it has ended, and does not begin again by itself. */
  endAll(allocationId: string): Promise<void>;
  /** Ends every connection to a simulated container. */
  close(): void;
  /** Forgets everything of an allocation after its end, and adds the proof of it. */
  afterwards<P extends { readonly allocation_id: string }, R extends object>(
    end: (params: P, work: Work) => Promise<R>,
  ): (params: P, work: Work) => Promise<R & { readonly containers_removed: Proof }>;
}

const failedWith = 1;
const firstHost = 10;

export function makeSimulatedContainers(parts: HostParts, clock: Clock): SimulatedContainers {
  const { store } = parts;
  const apps = makeSimulatedApps();
  const own = (allocationId: string) =>
    Object.values(store.now.containers ?? {}).filter((one) => one.allocation_id === allocationId);
  const edit = (workloadId: string, change: (container: ContainerState) => void) =>
    store.change((draft) => {
      const found = draft.containers?.[workloadId];
      if (found) change(found);
    });
  const methods: SimulatedContainers['methods'] = {
    launchContainer: (params, work) => launch(parts, clock, params, work),
    async stopContainer(params, work) {
      const found = store.now.containers?.[params.workload_id];
      if (found?.allocation_id !== params.allocation_id) throw unknown(params);
      await parts.rest.phase(work, 'shutdown', 'destroy');
      await edit(params.workload_id, (one) => {
        one.finished_at ??= clock.now().toISOString();
        one.exit_code ??= 0;
        one.state = 'stopped';
      });
      apps.endOf(params.workload_id);
      return stopped(params, store.now.containers?.[params.workload_id]);
    },
    async containers({ allocation_id, workload_id }) {
      return own(allocation_id)
        .filter((one) => workload_id === undefined || one.workload_id === workload_id)
        .map((one) => showWorkload(store.now, one));
    },
    async containerLogs(params) {
      const found = store.now.containers?.[params.workload_id];
      if (found?.allocation_id !== params.allocation_id) throw unknown(params);
      const lines = logOf(found);
      const kept = lines.slice(-params.tail_lines);
      return { simulated: true, truncated: kept.length < lines.length, lines: kept };
    },
    async connectContainer({ allocationId, workloadId, port }) {
      const found = store.now.containers?.[workloadId];
      const isPort = found?.order.ports.some((one) => one.port === port);
      if (found?.allocation_id !== allocationId || !isPort) {
        throw new HostFailure(
          'not_found',
          `Allocation ${allocationId} has no workload ${workloadId} with port ${port}.`,
        );
      }
      if (showWorkload(store.now, found).state !== 'running') {
        throw new HostFailure('container_failed', `Workload ${workloadId} does not run.`);
      }
      return apps.connect(found, port);
    },
  };
  const release = async (allocationId: string): Promise<Proof> => {
    const gone = own(allocationId).length;
    for (const one of own(allocationId)) apps.endOf(one.workload_id);
    await store.change((draft) => {
      for (const one of Object.values(draft.containers ?? {})) {
        if (one.allocation_id === allocationId) delete draft.containers?.[one.workload_id];
      }
    });
    return passed(`${gone} simulated containers of ${allocationId} are gone.`);
  };
  return {
    methods,
    endAll: (allocationId) =>
      store.change((draft) => {
        for (const one of Object.values(draft.containers ?? {})) {
          if (one.allocation_id !== allocationId || one.state !== 'running') continue;
          one.finished_at ??= clock.now().toISOString();
          one.exit_code ??= 0;
          one.state = 'exited';
        }
      }),
    close: () => apps.close(),
    afterwards: (end) => async (params, work) => {
      const proofs = await end(params, work);
      return { ...proofs, containers_removed: await release(params.allocation_id) };
    },
  };
}

async function launch(parts: HostParts, clock: Clock, params: Launch, work: Work): Promise<OciWorkload> {
  const { store, faults, rest } = parts;
  const { workload_id } = params;
  await rest.phase(work, 'lease');
  await store.change((draft) => claim(parts, draft, params, work.generation));
  await rest.phase(work, 'host_check');
  if (store.now.containers?.[workload_id]?.state !== 'running') {
    const isCached = store.now.images.includes(digestOf(params));
    await rest.phase(work, 'image', isCached ? 'image_cached' : 'image');
    if (await faults.strike('image_unavailable')) {
      await store.change((draft) => forget(draft, workload_id));
      throw new HostFailure('image_unavailable', `${params.image} cannot be fetched.`);
    }
    await rest.phase(work, 'volumes');
    await rest.phase(work, 'network');
    await rest.phase(work, 'container');
    if (await faults.strike('container_hung')) await untilCalledOff(work);
    const crashes = await faults.strike('container_crash');
    await store.change((draft) => begin(draft, params, clock.now().toISOString(), crashes));
  }
  await rest.phase(work, 'readiness', 'look');
  const found = store.now.containers?.[workload_id];
  if (!found || isEnded(store.now, params.allocation_id)) throw ended();
  const seen = showWorkload(store.now, found);
  if (seen.state === 'running') return seen;
  throw new HostFailure('container_failed', `The container did not stay: it ended with ${seen.exit_code}.`);
}

function claim(parts: HostParts, draft: HostState, params: Launch, generation: number): void {
  const runtime = draft.machines[params.allocation_id] ?? draft.users[params.allocation_id];
  if (!runtime || runtime.state === 'stopped')
    throw new HostFailure('not_found', `Nothing runs for allocation ${params.allocation_id}.`);
  if (isEnded(draft, params.allocation_id)) throw ended();
  if (runtime.generation > generation) throw ended();
  refuseDoubles(params);
  const machine = draft.machines[params.allocation_id];
  const gpus = (machine?.slots ?? parts.hardware.slots).map(({ gpu_uuid }) => gpu_uuid);
  const foreign = params.gpu_uuids.find((uuid) => !gpus.includes(uuid));
  if (foreign !== undefined) {
    throw new HostFailure('gpu_mismatch', `${foreign} does not belong to allocation ${params.allocation_id}.`);
  }
  draft.containers ??= {};
  const known = draft.containers[params.workload_id];
  if (known && (known.state === 'stopped' || !isDeepStrictEqual(known.order, kept(params)))) {
    throw new HostFailure(
      'workload_conflict',
      `Workload ${params.workload_id} exists already, or was stopped for good.`,
    );
  }
  draft.containers[params.workload_id] ??= {
    allocation_id: params.allocation_id,
    workload_id: params.workload_id,
    order: kept(params),
    host: firstHost + Object.keys(draft.containers).length,
    state: 'making',
    started_at: null,
    finished_at: null,
    exit_code: null,
  };
}

function begin(draft: HostState, params: Launch, now: string, crashes: boolean): void {
  const found = draft.containers?.[params.workload_id];
  if (!found || found.state === 'stopped' || isEnded(draft, params.allocation_id)) throw ended();
  if (!draft.images.includes(digestOf(params))) draft.images.push(digestOf(params));
  Object.assign(found, {
    state: crashes ? 'exited' : 'running',
    started_at: now,
    finished_at: crashes ? now : null,
    exit_code: crashes ? failedWith : null,
  });
}

const forget = (draft: HostState, workloadId: string) => {
  if (draft.containers?.[workloadId]?.state === 'making') delete draft.containers[workloadId];
};
/** No progress, until the executor calls the work off. */
const untilCalledOff = (work: Work) =>
  new Promise<never>((_, reject) => {
    const tell = () => reject(new HostFailure('aborted', 'The work was called off.'));
    work.signal.addEventListener('abort', tell, { once: true });
    if (work.signal.aborted) tell();
  });

const ended = () => new HostFailure('lease_conflict', 'The lease or the workload ended while the work was under way.');
const unknown = (of: { readonly allocation_id: string; readonly workload_id: string }) =>
  new HostFailure('not_found', `Allocation ${of.allocation_id} has no workload ${of.workload_id}.`);
const isEnded = ({ machines, users }: HostState, allocationId: string) =>
  (machines[allocationId] ?? users[allocationId])?.state !== 'running';
const digestOf = ({ image }: Pick<Launch, 'image'>) => image.slice(image.indexOf('@') + 1);

/** What is kept of an order: neither the values of variables, which may be secret, nor who asked and how long it may take. */
const kept = ({ env, labels, pull_seconds: _seconds, ...rest }: Launch): ContainerState['order'] => ({
  ...rest,
  labels: { instance_id: labels.instance_id, component: labels.component },
  env_names: env.map(({ name }) => name),
});

function showWorkload(state: HostState, one: ContainerState): OciWorkload {
  // The end of a lease ends its containers, also those that nobody has written down as ended.
  const isOver = one.state === 'running' && isEnded(state, one.allocation_id);
  return {
    workload_id: one.workload_id,
    state: isOver ? 'exited' : one.state,
    place: state.machines[one.allocation_id] ? 'guest' : 'host',
    simulated: true,
    image_digest: digestOf(one.order),
    started_at: one.started_at,
    finished_at: one.finished_at,
    exit_code: one.exit_code,
    out_of_memory: false,
    address: one.state === 'running' && !isOver ? `10.101.0.${one.host}` : null,
    ports: one.order.ports,
  };
}

function stopped(params: TaskParams<'app.oci_stop'>, one: ContainerState | undefined): TaskOutput<'app.oci_stop'> {
  return {
    container_absent: passed(`No container of workload ${params.workload_id} is simulated any more.`),
    network_absent: passed(`No network of workload ${params.workload_id} is simulated any more.`),
    volumes_removed: params.remove_volumes ? passed('Simulated volumes hold nothing.') : null,
    exit_code: one?.exit_code ?? null,
  };
}

/** What a container would have printed. Each line says that nothing ran. */
function logOf({ order, started_at, finished_at, exit_code }: ContainerState): OciLogLine[] {
  if (started_at === null) return [];
  const say = (at: string, text: string, stream: 'stdout' | 'stderr' = 'stdout'): OciLogLine => ({
    at,
    stream,
    text: `[simulated] ${text}`.slice(0, ociMost.logBytes),
  });
  return [
    say(started_at, `${order.labels.component} would start from ${order.image}`),
    say(
      started_at,
      `${order.gpu_uuids.length} GPUs, ${order.limits.memory_mib} MiB, ${order.limits.pids} processes at most`,
    ),
    ...order.ports.map(({ name, port }) => say(started_at, `${name} would listen on port ${port}`)),
    ...(exit_code !== null && finished_at !== null
      ? [say(finished_at, `ended with ${exit_code}`, exit_code === 0 ? 'stdout' : 'stderr')]
      : []),
  ];
}
