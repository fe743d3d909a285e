import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { Proof } from './attestation.ts';

/**
 * Containers on hosts. Every value here reaches the arguments of podman, a file that it reads, or a rule of the firewall, so each is
 * narrow and bounded. There is no field for a tag, a capability, a host path, a host network or a privileged container: what has no
 * field cannot be ordered.
 */
const strict = { additionalProperties: false } as const;
const ofWorkload = { allocation_id: Uuid, workload_id: Uuid };

export const OciImageReference = Type.String({
  maxLength: 400,
  pattern:
    '^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?(?:/[a-z0-9]{1,64}(?:[._-][a-z0-9]{1,64}){0,8}){1,8}@sha256:[0-9a-f]{64}$',
  description:
    'Registry, repository and digest. A tag may mean another image tomorrow, so a reference with a tag is refused.',
});
/** One word of a command. It may have any letter but NUL, which no program can be given. */
const Word = Type.String({ maxLength: 4096, pattern: '^[^\\u0000]*$' });
const Label = Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$' });
const VolumeName = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$' });
const MountPath = Type.String({
  maxLength: 255,
  pattern: '^(?!/(?:proc|sys|dev|etc)(?:/|$))(?:/\\.?[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}){1,8}$',
  description: 'An absolute path, outside of what the system of the container keeps for itself.',
});
const Environment = Type.Array(
  Type.Object(
    {
      name: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' }),
      value: Type.String({ maxLength: 4096, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
    },
    strict,
  ),
  { maxItems: 200, description: 'Each name once. Values may be secret: they are in no argument list and in no log.' },
);
const Volume = Type.Object(
  {
    name: VolumeName,
    path: MountPath,
    size_mib: Type.Integer({ minimum: 16, maximum: 16_777_216, description: 'A hard limit, reserved on the disk.' }),
    read_only: Type.Boolean(),
  },
  strict,
);
const Port = Type.Object({ name: Label, port: Type.Integer({ minimum: 1, maximum: 65_535 }) }, strict);
const Ports = Type.Array(Port, {
  maxItems: 16,
  description: 'TCP ports at which the host may reach the container. Nothing reaches any other port.',
});
const RootFileSystem = Type.Union(
  [
    Type.Object({ kind: Type.Literal('read_only') }, strict),
    Type.Object(
      { kind: Type.Literal('writable'), size_mib: Type.Integer({ minimum: 16, maximum: 16_777_216 }) },
      strict,
    ),
  ],
  { description: 'A writable one is refused where the host cannot hold it to its size.' },
);
const Limits = Type.Object(
  {
    cpu_millis: Type.Integer({ minimum: 10, maximum: 1_024_000, description: 'Thousandths of a processor.' }),
    memory_mib: Type.Integer({
      minimum: 16,
      maximum: 16_777_216,
      description: 'Without swap, /tmp and /dev/shm in it.',
    }),
    pids: Type.Integer({ minimum: 1, maximum: 65_536, description: 'Processes and threads.' }),
    shm_mib: Type.Integer({ minimum: 1, maximum: 1_048_576, description: 'The size of /dev/shm.' }),
    scratch_mib: Type.Integer({ minimum: 1, maximum: 1_048_576, description: 'The size of /tmp, which is in memory.' }),
  },
  strict,
);

export const OciLaunchParams = Type.Object(
  {
    ...ofWorkload,
    labels: Type.Object({ instance_id: Uuid, component: Label, correlation_id: Uuid }, strict),
    image: OciImageReference,
    command: Type.Optional(
      Type.Array(Word, { minItems: 1, maxItems: 64, description: 'Instead of the entry point of the image.' }),
    ),
    args: Type.Array(Word, { maxItems: 64 }),
    env: Environment,
    user: Type.Object(
      {
        uid: Type.Integer({ minimum: 1, maximum: 2_000_000_000 }),
        gid: Type.Integer({ minimum: 1, maximum: 2_000_000_000 }),
      },
      { ...strict, description: 'Never root.' },
    ),
    root: RootFileSystem,
    ports: Ports,
    volumes: Type.Array(Volume, {
      maxItems: 8,
      description: 'They belong to the allocation and outlive the container.',
    }),
    limits: Limits,
    gpu_uuids: Type.Array(Type.String({ pattern: '^GPU-[0-9a-f-]{36}$' }), {
      maxItems: 64,
      uniqueItems: true,
      description: 'GPUs of this allocation. Empty: none.',
    }),
    egress: Type.Enum(['none', 'internet'], {
      description:
        'What the container may reach. Never the host, private networks, metadata services or other allocations.',
    }),
    pull_seconds: Type.Integer({ minimum: 1, maximum: 3000, description: 'How long fetching the image may take.' }),
  },
  strict,
);

/** `exited` by itself; `stopped` by order, for good; `lost`: it was here and is not, as after a reinstalled host. */
export const ociStates = ['making', 'running', 'exited', 'stopped', 'lost'] as const;
export const OciWorkload = Type.Object(
  {
    workload_id: Uuid,
    state: Type.Enum([...ociStates]),
    place: Type.Enum(['host', 'guest'], { description: 'The containers of a slice run inside its machine.' }),
    simulated: Type.Boolean(),
    image_digest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
    started_at: Type.Union([Timestamp, Type.Null()]),
    finished_at: Type.Union([Timestamp, Type.Null()]),
    exit_code: Type.Union([Type.Integer(), Type.Null()]),
    out_of_memory: Type.Boolean({
      description: 'The engine says that it ended because it wanted more memory than it may have.',
    }),
    address: Type.Union([Type.String({ maxLength: 45 }), Type.Null()], {
      description: 'Where the host reaches its ports, while it runs.',
    }),
    ports: Ports,
  },
  { ...strict, $id: 'OciWorkload' },
);
export type OciWorkload = Static<typeof OciWorkload>;

export const OciStopParams = Type.Object(
  {
    ...ofWorkload,
    grace_seconds: Type.Integer({ minimum: 0, maximum: 600 }),
    remove_volumes: Type.Boolean({ description: 'Volumes that another workload still has stay.' }),
  },
  strict,
);
export const OciStopOutput = Type.Object(
  {
    container_absent: Proof,
    network_absent: Proof,
    volumes_removed: Type.Union([Proof, Type.Null()]),
    exit_code: Type.Union([Type.Integer(), Type.Null()]),
  },
  strict,
);

export const OciStatusParams = Type.Object({ allocation_id: Uuid, workload_id: Type.Optional(Uuid) }, strict);
export const OciStatusOutput = Type.Object({ workloads: Type.Array(OciWorkload, { maxItems: 64 }) }, strict);

export const OciReadyParams = Type.Object(
  {
    ...ofWorkload,
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    path: Type.Union([Type.String({ maxLength: 512, pattern: "^/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*$" }), Type.Null()], {
      description: 'What is asked for with GET. Null: a connection is enough.',
    }),
    wait_seconds: Type.Integer({ minimum: 1, maximum: 60, description: 'How long the host looks again and again.' }),
  },
  strict,
);
export const OciReadyOutput = Type.Object(
  {
    ready: Type.Boolean({ description: 'It answered, with a status below 500 where a path was asked for.' }),
    detail: Type.String({ maxLength: 200 }),
    workload: Type.Union([OciWorkload, Type.Null()]),
  },
  strict,
);

export const ociMost = { workloads: 64, logLines: 1_000, logBytes: 65_536 } as const;
export const OciLogsParams = Type.Object(
  { ...ofWorkload, tail_lines: Type.Integer({ minimum: 1, maximum: ociMost.logLines }) },
  strict,
);
export const OciLogLine = Type.Object(
  {
    at: Type.Union([Timestamp, Type.Null()]),
    stream: Type.Enum(['stdout', 'stderr']),
    text: Type.String({ maxLength: ociMost.logBytes }),
  },
  { ...strict, $id: 'OciLogLine' },
);
export type OciLogLine = Static<typeof OciLogLine>;
export const OciLogsOutput = Type.Object(
  {
    simulated: Type.Boolean(),
    truncated: Type.Boolean({ description: 'There was more than fits into this answer or than the host keeps.' }),
    lines: Type.Array(OciLogLine, { maxItems: ociMost.logLines }),
  },
  strict,
);

/** The phases of a launch, in their order. */
export const ociPhases = ['lease', 'host_check', 'image', 'volumes', 'network', 'container', 'readiness'] as const;

/** Why a launch, a stop or a look at containers fails, beside what every task may fail with. */
export const ociFailures = {
  registry_refused: 'The operator of the host does not let images come from this registry.',
  image_unavailable: 'The registry did not give the image in time.',
  image_mismatch: 'What the registry gave is not the image of this digest.',
  workload_conflict: 'The workload or the volume exists already and is another one, or it was stopped for good.',
  workload_invalid: 'The order names something twice, or podman made something else than was ordered.',
  quota_unsupported: 'The host cannot hold this file system to its size.',
  container_failed: 'The container did not start, or ended with an error at once.',
  container_hung: 'The container could not be ended.',
  gpu_mismatch: 'A GPU in the order does not belong to the allocation.',
  gpu_missing: 'The host has no CDI device for a GPU in the order.',
  isolation_failed: 'The walls around the container could not be built or are not there.',
  disk_full: 'There is no room for the image or a volume.',
  host_not_ready: 'The host lacks a program or a setting.',
  not_supported: 'The host runs no containers for this allocation.',
  lease_conflict: 'The lease ended, or another generation holds it.',
} as const;
export type OciFailureCode = keyof typeof ociFailures;
