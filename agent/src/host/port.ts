import type { Duplex } from 'node:stream';
import type {
  HostTopology,
  NodeCondition,
  NodeSample,
  OciWorkload,
  ReadinessAttestation,
  TaskOutput,
  TaskParams,
} from '@gpuaas/contract/node';

/**
 * What a host can do for the agent. Two adapters stand behind it and pass one suite (`conformance.ts`): `simulated`,
 * a machine that does not exist and fails on demand, and `linux`, the machine that the agent runs on.
 *
 * Every method may be called again after a crash at any point of an earlier call, with the same params: it finds what
 * is there, keeps what is right and mends the rest. Expected trouble is thrown as a `HostFailure`; anything else that
 * is thrown is a bug of ours and reported as such.
 */
export interface Host {
  readonly kind: 'simulated' | 'linux';
  topology(work: Work): Promise<HostTopology>;
  health(work: Work): Promise<TaskOutput<'diag.health_probe'>>;
  provisionSlice(params: TaskParams<'slice.vm_provision'>, work: Work): Promise<ReadinessAttestation>;
  releaseSlice(params: TaskParams<'slice.vm_release'>, work: Work): Promise<TaskOutput<'slice.vm_release'>>;
  provisionUser(params: TaskParams<'allocation.provision_user'>, work: Work): Promise<ReadinessAttestation>;
  revokeUser(params: TaskParams<'allocation.revoke_user'>, work: Work): Promise<TaskOutput<'allocation.revoke_user'>>;
  /** The keys of the allocation are exactly these afterwards, all at once. Answers the fingerprints of those installed. */
  installKeys(params: TaskParams<'allocation.install_authorized_keys'>, work: Work): Promise<readonly string[]>;
  attest(params: TaskParams<'allocation.attest'>, work: Work): Promise<ReadinessAttestation>;
  restart(params: TaskParams<'allocation.restart'>, work: Work): Promise<ReadinessAttestation>;
  /**
   * Ends what runs for an allocation and lets nobody in, until `start`. Its disk, home and GPUs stay its own. Stopping what is
   * stopped proves the same again.
   */
  stop(params: TaskParams<'allocation.stop'>, work: Work): Promise<TaskOutput<'allocation.stop'>>;
  /** Brings a stopped allocation back with its disk. What runs already is proven to run, with these keys. */
  start(params: TaskParams<'allocation.start'>, work: Work): Promise<ReadinessAttestation>;
  reimage(params: TaskParams<'node.reimage_prepare'>, work: Work): Promise<TaskOutput<'node.reimage_prepare'>>;
  /**
   * Ends the machine or login of an allocation whose lease ran out, without anybody's word but the lease's. Disks are
   * left as they are: wiping is a release, and needs the control plane.
   */
  endRuntime(allocationId: string): Promise<void>;
  /** What really runs here, whatever the lease files say. */
  runtimes(): Promise<readonly HostRuntime[]>;
  /**
   * UUIDs of the GPUs of an allocation that the host itself sees, whatever the machine inside says; none when nothing of the
   * allocation is here. Trouble with looking is thrown: nothing seen is an answer, not a failure. Cheap.
   */
  gpusOf(allocationId: string): Promise<readonly string[]>;
  /** How the host is, right now, for every heartbeat. Cheap. */
  conditions(): Promise<readonly NodeCondition[]>;
  /** Percent by slot index, where the host can tell. */
  utilization(): Promise<readonly number[] | undefined>;
  /** What the host measures now: itself, and each machine of a slice that tells. */
  samples(): Promise<readonly HostSample[]>;
  /** What the machines of slices wrote on their consoles since the last call, a bounded number of lines. Each is answered once. */
  consoles(): Promise<readonly ConsoleLine[]>;
  /** Digests of the images that lie here and were verified; undefined where the host cannot tell. Cheap. */
  images(): Promise<readonly string[] | undefined>;
  /**
   * A container of an allocation, on the host for a whole node and inside its machine for a slice. The same order again finds it
   * running; another order under its id is refused, and so is any order once it was stopped.
   */
  launchContainer(params: TaskParams<'app.oci_launch'>, work: Work): Promise<OciWorkload>;
  stopContainer(params: TaskParams<'app.oci_stop'>, work: Work): Promise<TaskOutput<'app.oci_stop'>>;
  /** Cheap, and beside everything else. Nothing known is an empty answer. */
  containers(params: TaskParams<'app.oci_status'>, work: Work): Promise<readonly OciWorkload[]>;
  containerLogs(params: TaskParams<'app.oci_logs'>, work: Work): Promise<TaskOutput<'app.oci_logs'>>;
  /**
   * A connection to one port of a container. A container that does not run, and a port that its order does not name, are refused.
   */
  connectContainer(order: ConnectOrder): Promise<Duplex>;
  openShell(order: ShellOrder): Promise<Shell>;
  /** The bytes of a connection to the sshd of the machine, or of connections to one port of it. */
  openStream(order: StreamOrder): Promise<Shell>;
  close(): Promise<void>;
}

/** A look at the host or at one of its guests; the agent says when it was taken. */
export type HostSample = Omit<NodeSample, 'at'>;

/** One line of the console of a machine; the agent says when it was read. */
export interface ConsoleLine {
  readonly allocationId: string;
  readonly text: string;
}

/** One attempt at one piece of work. */
export interface Work {
  /** The generation of the lease that this belongs to. */
  readonly generation: number;
  /** Called as a phase begins; the last one ends when the method returns. */
  phase(name: string, percent?: number): void;
  readonly signal: AbortSignal;
}

export interface HostRuntime {
  readonly allocationId: string;
  readonly shape: 'slice' | 'bare_metal';
  readonly running: boolean;
}

export interface ShellOrder {
  readonly allocationId: string;
  readonly username: string;
  readonly columns: number;
  readonly rows: number;
}
export interface StreamOrder {
  readonly allocationId: string;
  readonly username: string;
  readonly to: { readonly kind: 'ssh' } | { readonly kind: 'forward'; readonly port: number };
}
export interface ConnectOrder {
  readonly allocationId: string;
  readonly workloadId: string;
  readonly port: number;
}
/** A real PTY. Reading stops while the reader is slow: nothing is buffered without bound. */
export interface Shell {
  readonly pid: number;
  readonly output: ReadableStream<Uint8Array>;
  write(bytes: Uint8Array): Promise<void>;
  resize(columns: number, rows: number): void;
  readonly exited: Promise<{ readonly code: number | undefined }>;
  /** Hangs up, and kills the shell if it does not go. What it put aside may live on. */
  kill(): void;
  /** Ends the shell with everything that it started, also what left its session. Throws when something does not end. */
  end(): Promise<void>;
}

/** Trouble that a host can have. The code is for programs, the message for an operator; neither carries a secret. */
export class HostFailure extends Error {
  readonly code: HostFailureCode;
  constructor(code: HostFailureCode, message: string) {
    super(message);
    this.name = 'HostFailure';
    this.code = code;
  }
}
export const hostFailureCodes = [
  'lease_conflict',
  'host_not_ready',
  'vfio_stuck',
  'image_unavailable',
  'driver_unavailable',
  'disk_full',
  'disk_dirty',
  'wipe_unverified',
  'machine_failed',
  'guest_hung',
  'gpu_missing',
  'gpu_unhealthy',
  'gpu_mismatch',
  'isolation_failed',
  'ssh_unreachable',
  'guest_setup_failed',
  'user_conflict',
  'user_remains',
  'registry_refused',
  'image_mismatch',
  'workload_conflict',
  'workload_invalid',
  'quota_unsupported',
  'container_failed',
  'container_hung',
  'not_found',
  'not_supported',
  'aborted',
] as const;
export type HostFailureCode = (typeof hostFailureCodes)[number];
