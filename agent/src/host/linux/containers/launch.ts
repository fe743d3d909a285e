import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type OciWorkload, ociMost, type TaskParams } from '@gpuaas/contract/node';
import { HostFailure, type Work } from '../../port.ts';
import { refuseDoubles } from '../../workload-order.ts';
import { complaintOf } from '../commands.ts';
import { makePhases, rest } from '../phases.ts';
import { removeFlat } from '../slices/folders.ts';
import { create, remove, start } from './argv.ts';
import { prepareEngine, refuseForeign } from './images.ts';
import { type Inspection, stateOf, troubleWith } from './inspection.ts';
import { type ContainerParts, conflict, look, overtaken, podman, workloadOf } from './parts.ts';
import { type ContainerRecord, firstFree, specOf, type WorkloadRecord } from './records.ts';
import { firstHost, mostNetworks } from './settings.ts';

type Launch = TaskParams<'app.oci_launch'>;

const startMs = 120_000;
const betweenLooksMs = 250;
/** How often a container is looked at that was started and does not say that it runs. */
const mostLooks = 120;
const lastHost = 254;

/**
 * A container from the order to a process that runs. The order is in the record before anything is made. Each step looks at what is
 * there, so an attempt that was interrupted is simply taken again; and the container is started last, after podman has said that it is
 * what was ordered.
 */
export const makeLaunch = (parts: ContainerParts) => (params: Launch, work: Work) =>
  parts.turns.take(params.allocation_id, async (ending): Promise<OciWorkload> => {
    const phases = makePhases(work, parts.clock);
    phases.begin('lease');
    refuseDoubles(params);
    await refuseOthers(parts, params);
    const before = await parts.records.get(params.allocation_id);
    const record = await claim(parts, params, work.generation);
    const workload = find(record, params.workload_id);
    try {
      return await make(parts, { params, work, record, workload, phases, ending });
    } catch (error) {
      if (error instanceof HostFailure && error.code !== 'aborted') await undo(parts, params, before);
      throw error;
    }
  });

interface Making {
  readonly params: Launch;
  readonly work: Work;
  readonly record: ContainerRecord;
  readonly workload: WorkloadRecord;
  readonly phases: ReturnType<typeof makePhases>;
  readonly ending: AbortSignal;
}

async function make(parts: ContainerParts, making: Making): Promise<OciWorkload> {
  const { params, work, record, workload, phases, ending } = making;
  phases.begin('host_check');
  const [lack] = await parts.missing();
  if (lack !== undefined) throw new HostFailure('host_not_ready', lack);
  await prepareEngine(parts.places, parts.settings);
  const found = await look(parts, params.workload_id);
  const runs = found && stateOf(found) === 'running' && found.Config.Labels?.['gpuaas.spec'] === workload.spec;
  if (!runs) {
    phases.begin('image');
    const fetching = { seconds: params.pull_seconds, signal: work.signal, ending };
    const imageId = await parts.images.ensure(params.image, fetching);
    phases.begin('volumes');
    for (const { name, size_mib } of params.volumes) {
      await parts.volumes.ensure(params.allocation_id, { name, size_mib, owner: params.user });
    }
    phases.begin('network');
    await mustSucceed(parts, remove(params.workload_id), 'An earlier container does not go');
    await parts.network.connect(record, workload);
    phases.begin('container');
    await makeContainer(parts, making, imageId);
  }
  phases.begin('readiness');
  return settle(parts, making);
}

async function makeContainer(parts: ContainerParts, { params, workload }: Making, imageId: string): Promise<void> {
  const { places } = parts;
  await writeFiles(parts, params);
  const words = create({ order: params, spec: workload.spec, imageId, places, logMib: parts.settings.logMib });
  const result = await podman(parts, words, startMs);
  if (result.status !== 0) throw refusalOf(complaintOf(result));
  const made = await look(parts, params.workload_id);
  const trouble = made ? troubleWith(made, params, imageId, places) : 'it is not there';
  if (trouble !== undefined) {
    throw new HostFailure('workload_invalid', `Podman made another container than was ordered: ${trouble}.`);
  }
  await expectHeld(parts, params, {});
  // The machine may have been stopped while the image was fetched.
  await parts.living(params.allocation_id);
  // Podman looks for the devices of GPUs only now.
  const started = await podman(parts, start(params.workload_id), startMs);
  if (started.status !== 0) throw refusalOf(complaintOf(started));
}

/** Waits until it runs, and looks once more: many programs that cannot work end within a moment. */
async function settle(parts: ContainerParts, { params, work }: Making): Promise<OciWorkload> {
  let found: Inspection | undefined;
  for (let looks = 0; looks < mostLooks; looks += 1) {
    found = await look(parts, params.workload_id);
    if (!found || stateOf(found) !== 'making') break;
    await rest(parts.clock, betweenLooksMs, work.signal);
  }
  const held = await expectHeld(parts, params, { state: 'running' }).catch(async (error: unknown) => {
    await podman(parts, remove(params.workload_id), startMs);
    throw error;
  });
  await rest(parts.clock, betweenLooksMs, work.signal);
  const workload = workloadOf(
    parts.settings,
    held,
    find(held, params.workload_id),
    await look(parts, params.workload_id),
  );
  if (workload.state === 'running' || (workload.state === 'exited' && workload.exit_code === 0)) return workload;
  const why = workload.out_of_memory
    ? 'it wanted more memory than it may have'
    : `it ended with ${workload.exit_code ?? 'nothing'}`;
  throw new HostFailure('container_failed', `The container did not stay: ${why}. Its log says more.`);
}

/** The lease may have ended, or the workload may have been stopped, while an image was fetched. */
function expectHeld(parts: ContainerParts, params: Launch, more: Partial<WorkloadRecord>): Promise<ContainerRecord> {
  return parts.records.change(params.allocation_id, (now) => {
    const own = now?.workloads.find(({ workload_id }) => workload_id === params.workload_id);
    if (!now || now.state === 'ended' || !own || own.state === 'stopped') {
      throw conflict('The lease or the workload ended while the work was under way.');
    }
    return { ...now, workloads: now.workloads.map((one) => (one === own ? { ...own, ...more } : one)) };
  });
}

async function refuseOthers(parts: ContainerParts, { allocation_id, image, gpu_uuids }: Launch): Promise<void> {
  await parts.living(allocation_id);
  refuseForeign(parts.settings, image);
  const own = gpu_uuids.length === 0 ? [] : await parts.gpus();
  const foreign = gpu_uuids.find((uuid) => !own.includes(uuid));
  if (foreign === undefined) return;
  throw new HostFailure('gpu_mismatch', `${foreign} does not belong to allocation ${allocation_id}.`);
}

function claim(parts: ContainerParts, params: Launch, generation: number): Promise<ContainerRecord> {
  const spec = specOf(params);
  return parts.records.change(params.allocation_id, (now, others) => {
    if (now && now.generation > generation) throw overtaken(now, generation);
    if (now?.state === 'ended') throw conflict('The lease has ended; it can only be released.');
    const known = now?.workloads.find(({ workload_id }) => workload_id === params.workload_id);
    const foreign = others.some(({ workloads }) => workloads.some((one) => one.workload_id === params.workload_id));
    if (known?.state === 'stopped' || foreign)
      throw clash(`Workload ${params.workload_id} was stopped for good or is another’s.`);
    if (known && known.spec !== spec) throw clash(`Workload ${params.workload_id} exists with another order.`);
    const volumes = new Map(now?.volumes.map(({ name, size_mib }) => [name, size_mib]));
    for (const { name, size_mib } of params.volumes) {
      if ((volumes.get(name) ?? size_mib) !== size_mib) throw clash(`Volume ${name} exists with another size.`);
      volumes.set(name, size_mib);
    }
    const index =
      now?.index ??
      firstFree(
        others.map((one) => one.index),
        0,
        mostNetworks,
      );
    const all = now?.workloads ?? [];
    const host =
      known?.host ??
      firstFree(
        all.map((one) => one.host),
        firstHost,
        lastHost,
      );
    if (index === undefined || host === undefined || (!known && all.length >= ociMost.workloads)) {
      throw new HostFailure('host_not_ready', 'The host has as many workloads as it can have. Stop and release some.');
    }
    const own = known ?? recordOf(params, spec, host);
    return {
      allocation_id: params.allocation_id,
      generation,
      state: 'open' as const,
      index,
      workloads: known ? all : [...all, own],
      volumes: [...volumes].map(([name, size_mib]) => ({ name, size_mib })),
    };
  });
}
const clash = (message: string) => new HostFailure('workload_conflict', message);

const recordOf = (params: Launch, spec: string, host: number): WorkloadRecord => ({
  workload_id: params.workload_id,
  state: 'making',
  spec,
  image_digest: params.image.slice(params.image.indexOf('@') + 1),
  host,
  component: params.labels.component,
  ports: params.ports,
  egress: params.egress,
  volumes: params.volumes.map(({ name }) => name),
});

/** An order that cannot be carried out leaves nothing behind. A container that has run stays, with its log. */
async function undo(parts: ContainerParts, params: Launch, before: ContainerRecord | undefined): Promise<void> {
  const record = await parts.records.get(params.allocation_id);
  const own = record?.workloads.find(({ workload_id }) => workload_id === params.workload_id);
  if (!record || own?.state !== 'making' || (await parts.missing()).length > 0) return;
  await podman(parts, remove(params.workload_id), startMs);
  await parts.network.disconnect(record, own);
  const kept = new Set(before?.volumes.map(({ name }) => name));
  const added = own.volumes.filter((name) => !kept.has(name));
  for (const name of added) await parts.volumes.remove(params.allocation_id, name);
  await removeFlat(parts.places.files(params.allocation_id, params.workload_id));
  await parts.records.change(
    params.allocation_id,
    (now) =>
      now && {
        ...now,
        workloads: now.workloads.filter(({ workload_id }) => workload_id !== params.workload_id),
        volumes: now.volumes.filter(({ name }) => !added.includes(name)),
      },
  );
  await parts.network.reconcile();
}

function refusalOf(complaint: string): HostFailure {
  if (/storage option overlay\.size/i.test(complaint)) {
    return new HostFailure(
      'quota_unsupported',
      'The file system of the host cannot bound a writable root. Order a read-only root and volumes, or put the state of the agent on XFS with pquota.',
    );
  }
  if (/CDI device/i.test(complaint)) {
    return new HostFailure(
      'gpu_missing',
      `The host has no CDI device for a GPU: ${complaint}. Run nvidia-ctk cdi generate.`,
    );
  }
  return new HostFailure('container_failed', `The container does not start: ${complaint}.`);
}

async function mustSucceed(parts: ContainerParts, words: readonly string[], what: string): Promise<void> {
  const result = await podman(parts, words, startMs);
  if (result.status !== 0) throw new HostFailure('container_failed', `${what}: ${complaintOf(result)}.`);
}

/** What podman and the container read. Values of variables may be secret, so only root reads the file. */
async function writeFiles({ places, settings }: ContainerParts, params: Launch): Promise<void> {
  const folder = places.files(params.allocation_id, params.workload_id);
  const log = places.log(params.allocation_id, params.workload_id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mkdir(dirname(log), { recursive: true, mode: 0o700 });
  await rm(log, { force: true });
  const servers = params.egress === 'internet' ? settings.nameServers : [];
  const files = {
    env: { text: params.env.map(({ name, value }) => `${name}=${value}\n`).join(''), mode: 0o600 },
    hosts: { text: `127.0.0.1 localhost\n127.0.1.1 ${params.labels.component}\n`, mode: 0o644 },
    'resolv.conf': { text: servers.map((server) => `nameserver ${server}\n`).join(''), mode: 0o644 },
  };
  for (const [name, { text, mode }] of Object.entries(files)) {
    await rm(join(folder, name), { force: true });
    await writeFile(join(folder, name), text, { mode, flag: 'wx' });
  }
}

function find(record: ContainerRecord, workloadId: string): WorkloadRecord {
  const own = record.workloads.find(({ workload_id }) => workload_id === workloadId);
  if (!own) throw conflict(`Workload ${workloadId} is gone.`);
  return own;
}
