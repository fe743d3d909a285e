import { type Static, type TSchema, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { TerminalName, TerminalRecording, TerminalSide } from '../terminal/frames.ts';
import { TerminalPort } from '../terminal/kinds.ts';
import { Proof, ReadinessAttestation } from './attestation.ts';
import {
  OciLaunchParams,
  OciLogsOutput,
  OciLogsParams,
  OciReadyOutput,
  OciReadyParams,
  OciStatusOutput,
  OciStatusParams,
  OciStopOutput,
  OciStopParams,
  OciWorkload,
  ociPhases,
} from './oci.ts';
import { HostTopology, SlotCandidate } from './topology.ts';

/**
 * Values that end up in argument lists, file names and cloud-init documents on hosts are narrow on purpose: what they
 * may contain has no meaning to any of these. Nothing begins with a dash.
 */
const Username = Type.String({ pattern: '^[a-z][a-z0-9_-]{0,31}$' });
const Hostname = Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$' });
const Digest = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' });
const AuthorizedKey = Type.String({
  pattern: '^[a-z0-9@.-]{1,60} [A-Za-z0-9+/]{1,12000}={0,2}$',
  description: 'Type and key; no options, no comment.',
});
const AuthorizedKeys = Type.Array(AuthorizedKey, { maxItems: 200 });
/** Only hosts with the ability `ssh_certificates` get it. A certificate opens the allocation that its principal names. */
const TrustedAuthorities = Type.Optional(
  Type.Array(Type.String({ pattern: '^ssh-ed25519 [A-Za-z0-9+/]{1,200}={0,2}$' }), {
    maxItems: 8,
    description: 'Public keys of the authority whose certificates open the login, beside the keys.',
  }),
);
const strict = { additionalProperties: false } as const;

const Login = Type.Object(
  {
    username: Username,
    uid: Type.Integer({ minimum: 1000, maximum: 2_000_000_000 }),
    gid: Type.Integer({ minimum: 1000, maximum: 2_000_000_000 }),
  },
  strict,
);
const Image = Type.Object(
  {
    slug: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,99}$' }),
    digest: Digest,
    driver_strategy: Type.Enum(['preinstalled', 'cloud_init']),
  },
  strict,
);
/** The node ends the lease at its deadline by itself, also without the control plane. */
const Lease = Type.Object({ deadline_at: Type.Union([Timestamp, Type.Null()]) }, strict);
/** What must be found before the allocation may become active. */
const Expectation = Type.Object(
  {
    gpu_model: Type.String({ minLength: 1, maxLength: 100 }),
    gpu_uuids: Type.Array(Type.String({ pattern: '^GPU-[0-9a-f-]{36}$' }), { minItems: 1, maxItems: 64 }),
    gpu_memory_mib: Type.Integer({ minimum: 1 }),
  },
  strict,
);
const Slot = Type.Object(
  {
    slot_id: Uuid,
    slot_index: Type.Integer({ minimum: 0, maximum: 255 }),
    gpu_uuid: SlotCandidate.properties.gpu_uuid,
    pci_address: SlotCandidate.properties.pci_address,
    fabric_vf_pci_address: SlotCandidate.properties.fabric_vf_pci_address,
    nvme_device: SlotCandidate.properties.nvme_device,
    mac_address: SlotCandidate.properties.mac_address,
    private_ip: SlotCandidate.properties.private_ip,
    numa_node: SlotCandidate.properties.numa_node,
  },
  strict,
);
export type TaskSlot = Static<typeof Slot>;

const ofAllocation = { allocation_id: Uuid };
const containersRemoved = Type.Optional(
  Type.Object(Proof.properties, {
    description: 'No container, volume or network of the allocation is left. Older agents leave it out.',
  }),
);
const nothing = Type.Object({}, strict);

interface TaskKind {
  readonly summary: string;
  readonly params: TSchema;
  readonly output: TSchema;
}
const task = <const P extends TSchema, const O extends TSchema>(summary: string, params: P, output: O) =>
  ({ summary, params, output }) satisfies TaskKind;

/** Everything a node can be asked to do. An agent that does not know a type refuses the task and touches nothing. */
export const nodeTaskKinds = {
  'slice.topology_discover': task(
    'Look at PCI devices, disks, bridges, fabric and kernel arguments, and answer with candidate slots and what still blocks the host. Advice only, until an operator approves slots.',
    nothing,
    Type.Object({ topology: HostTopology }, strict),
  ),
  'slice.vm_provision': task(
    'Make one slice: lease, host check, VFIO bind, image, seed, address, disk, virtual machine, and a probe that it is ready.',
    Type.Object(
      {
        ...ofAllocation,
        hostname: Hostname,
        slots: Type.Array(Slot, { minItems: 1, maxItems: 16 }),
        profile: Type.Object(
          {
            name: Type.String({ pattern: '^[a-z0-9_]{1,64}$' }),
            vcpus: Type.Integer({ minimum: 1, maximum: 1024 }),
            memory_mib: Type.Integer({ minimum: 256, maximum: 16_777_216 }),
          },
          strict,
        ),
        image: Image,
        login: Login,
        authorized_keys: AuthorizedKeys,
        trusted_authorities: TrustedAuthorities,
        lease: Lease,
        expect: Expectation,
      },
      strict,
    ),
    Type.Object({ attestation: ReadinessAttestation }, strict),
  ),
  'slice.vm_release': task(
    'End one slice: shut the machine down, destroy it if it will not stop, wipe its disk, unbind its devices.',
    Type.Object(
      {
        ...ofAllocation,
        slots: Type.Array(Slot, { minItems: 1, maxItems: 16 }),
        isolation_model: Type.Enum(['user-revoke', 'full-reimage']),
        grace_seconds: Type.Integer({ minimum: 0, maximum: 3600 }),
      },
      strict,
    ),
    Type.Object(
      {
        machine_absent: Proof,
        disk_wiped: Proof,
        devices_unbound: Proof,
        reimaged: Type.Union([Proof, Type.Null()]),
        containers_removed: containersRemoved,
        machine_ended: Type.Optional(
          Type.Enum(['shut_down', 'destroyed', 'absent'], {
            description:
              'How the machine ended in this attempt; destroyed: it did not shut down in its time. Older agents leave it out.',
          }),
        ),
      },
      strict,
    ),
  ),
  'allocation.provision_user': task(
    'Make the login of a whole-node allocation, and prove that the node is what was asked for.',
    Type.Object(
      {
        ...ofAllocation,
        login: Login,
        authorized_keys: AuthorizedKeys,
        trusted_authorities: TrustedAuthorities,
        lease: Lease,
        expect: Expectation,
      },
      strict,
    ),
    Type.Object({ attestation: ReadinessAttestation }, strict),
  ),
  'allocation.revoke_user': task(
    'Remove the login of a whole-node allocation and end its processes.',
    Type.Object({ ...ofAllocation, login: Login }, strict),
    Type.Object({ user_absent: Proof, processes_ended: Proof, containers_removed: containersRemoved }, strict),
  ),
  'allocation.install_authorized_keys': task(
    'Make the SSH keys of an allocation exactly those given.',
    Type.Object(
      { ...ofAllocation, login: Login, authorized_keys: AuthorizedKeys, trusted_authorities: TrustedAuthorities },
      strict,
    ),
    Type.Object(
      {
        installed: Type.Integer({ minimum: 0 }),
        fingerprints: Type.Optional(
          Type.Array(Type.String({ pattern: '^SHA256:[A-Za-z0-9+/]{43}$' }), {
            maxItems: 200,
            description:
              'Fingerprints of the keys that are installed now, as OpenSSH writes them. Older agents leave it out.',
          }),
        ),
      },
      strict,
    ),
  ),
  'allocation.attest': task(
    'Attest again what an active allocation was promised.',
    Type.Object({ ...ofAllocation, login: Login, expect: Expectation }, strict),
    Type.Object({ attestation: ReadinessAttestation }, strict),
  ),
  'allocation.extend_lease': task(
    'Move the deadline at which the node ends the lease by itself.',
    Type.Object({ ...ofAllocation, lease: Lease }, strict),
    Type.Object({ deadline_at: Type.Union([Timestamp, Type.Null()]) }, strict),
  ),
  'allocation.restart': task(
    'Reboot the machine of an active allocation, which stays the same allocation.',
    Type.Object({ ...ofAllocation, login: Login, expect: Expectation }, strict),
    Type.Object({ attestation: ReadinessAttestation }, strict),
  ),
  'allocation.stop': task(
    'Stop the machine of an active allocation and keep its disk: shut a slice down, end the processes of a whole node and close its login. The lease goes on.',
    Type.Object({ ...ofAllocation, login: Login, grace_seconds: Type.Integer({ minimum: 0, maximum: 3600 }) }, strict),
    Type.Object({ machine_stopped: Proof }, strict),
  ),
  'allocation.start': task(
    'Start a stopped machine with the disk that it had, install exactly the given SSH keys, and prove that it is ready.',
    Type.Object({ ...ofAllocation, login: Login, authorized_keys: AuthorizedKeys, expect: Expectation }, strict),
    Type.Object({ attestation: ReadinessAttestation }, strict),
  ),
  'node.reimage_prepare': task(
    'Prepare the host, reimage it, and prove it.',
    Type.Object({ image: Image }, strict),
    Type.Object({ reimaged: Proof }, strict),
  ),
  'node.drain': task(
    'Take no more work and let running work end.',
    Type.Object({ deadline_at: Type.Union([Timestamp, Type.Null()]) }, strict),
    Type.Object({ running: Type.Array(Uuid, { maxItems: 256 }) }, strict),
  ),
  'node.self_update': task(
    'Replace the agent with another release, named by digest.',
    Type.Object({ version: Type.String({ pattern: '^[0-9A-Za-z.+-]{1,64}$' }), digest: Digest }, strict),
    Type.Object({ from_version: Type.String(), to_version: Type.String() }, strict),
  ),
  'diag.health_probe': task(
    'Report the health of the host.',
    nothing,
    Type.Object(
      {
        checks: Type.Record(Type.String(), Proof),
        healthy: Type.Boolean(),
      },
      strict,
    ),
  ),
  'terminal.open': task(
    'Open a shell for one terminal session; done when bytes can flow.',
    Type.Object(
      {
        ...ofAllocation,
        session_id: Uuid,
        login: Login,
        name: TerminalName,
        columns: TerminalSide,
        rows: TerminalSide,
        ends_at: Timestamp,
        gateway_url: Type.String({
          pattern: '^wss://[A-Za-z0-9.:\\[\\]-]{1,255}$',
          description: 'The address for nodes of all gateway copies; the agent appends the path of its session.',
        }),
        grace_seconds: Type.Integer({
          minimum: 0,
          maximum: 86_400,
          description: 'How long the shell lives on and the agent dials again after the connection was lost.',
        }),
        idle_seconds: Type.Integer({
          minimum: 0,
          maximum: 604_800,
          description: 'The shell ends when nothing was typed for this time. 0: never.',
        }),
        ring_bytes: Type.Integer({ minimum: 4096, maximum: 16_777_216 }),
        recording: TerminalRecording,
        stream: Type.Optional(
          Type.Union(
            [
              Type.Object({ kind: Type.Literal('ssh') }, strict),
              Type.Object({ kind: Type.Literal('forward'), port: TerminalPort }, strict),
            ],
            { description: 'Bytes to the sshd of the machine, or to one port of it, instead of a shell.' },
          ),
        ),
      },
      strict,
    ),
    nothing,
  ),
  'app.oci_launch': task(
    'Start a container from an image named by digest; done when it runs. The same order again finds it running.',
    OciLaunchParams,
    Type.Object({ workload: OciWorkload }, strict),
  ),
  'app.oci_stop': task(
    'Stop a container for good and remove it with its network. Its log stays until the allocation is released.',
    OciStopParams,
    OciStopOutput,
  ),
  'app.oci_status': task('Say how the containers of an allocation are.', OciStatusParams, OciStatusOutput),
  'app.oci_ready': task(
    'Wait until a container answers at a port, for a bounded time, and say whether it does.',
    OciReadyParams,
    OciReadyOutput,
  ),
  'app.oci_logs': task('Give the last lines that a container has printed.', OciLogsParams, OciLogsOutput),
} as const;
export type NodeTaskType = keyof typeof nodeTaskKinds;
export type TaskParams<T extends NodeTaskType> = Static<(typeof nodeTaskKinds)[T]['params']>;
export type TaskOutput<T extends NodeTaskType> = Static<(typeof nodeTaskKinds)[T]['output']>;

export const nodeTaskTypes = Object.keys(nodeTaskKinds) as NodeTaskType[];
/** What each type means, for pages and schemas. */
export const nodeTasks = Object.fromEntries(
  Object.entries(nodeTaskKinds).map(([type, { summary }]) => [type, summary]),
) as Readonly<Record<NodeTaskType, string>>;

export const NodeTaskType = Type.Enum(nodeTaskTypes, {
  $id: 'NodeTaskType',
  description: 'Names may be added. An agent that meets one it does not know refuses it without any effect.',
});

export const NodeTaskParams = Type.Object(
  {},
  { $id: 'NodeTaskParams', description: 'The params of the task’s type; x-gpuaas-tasks has the schema of each.' },
);

/** The phases of making a slice, in their order. A node reports each as it begins. */
export const slicePhases = [
  'lease',
  'host_check',
  'vfio_bind',
  'image',
  'seed',
  'address',
  'disk',
  'machine',
  'readiness',
] as const;
/** The phases of handing a whole node over. */
export const bareMetalPhases = ['lease', 'host_check', 'user', 'readiness'] as const;
/**
 * How a release escalates: the machine is asked to shut down, destroyed when its time is over, and its slots are quarantined when it
 * cannot be destroyed or its devices cannot be taken back. The first two are phases, the third follows from these failures.
 */
export const quarantiningFailures: readonly string[] = ['guest_hung', 'vfio_stuck'];
export const taskPhases = [
  ...new Set([
    ...slicePhases,
    ...bareMetalPhases,
    ...ociPhases,
    'shutdown',
    'destroy',
    'wipe',
    'unbind',
    'reimage',
    'reboot',
  ]),
] as const;
