import type { TaskParams, TaskSlot } from '@gpuaas/contract/node';
import type { ReadTx, WriteTx } from '../../../kernel/act.ts';
import type { Promised } from './attestation.ts';
import { holdAllocation, readAllocation, readLeaseSql } from './store.ts';

/** An allocation that has a place, under one lease, with everything that its node has to know. Read in one statement. */
export interface LeasedAllocation {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly state: string;
  readonly version: number;
  readonly shape: 'baremetal' | 'gpu_slice';
  readonly nodeId: string;
  readonly simulated: boolean;
  readonly generation: number;
  readonly isolationModel: 'user-revoke' | 'full-reimage';
  readonly maxDurationSeconds: number | undefined;
  readonly expiresAt: Date | undefined;
  readonly releaseAttempts: number;
  /** When it ended for its owner: the beginning of its release. */
  readonly endedAt: Date | undefined;
  readonly releaseReason: string | undefined;
  readonly profile: TaskParams<'slice.vm_provision'>['profile'] | undefined;
  readonly image: TaskParams<'slice.vm_provision'>['image'] | undefined;
  readonly login: TaskParams<'allocation.provision_user'>['login'];
  readonly slots: readonly TaskSlot[];
  readonly keys: readonly string[];
  /** Whose certificates the machine lets in; null for a host that cannot. */
  readonly authorities: readonly string[] | null;
  readonly promised: Promised;
}

interface Row {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly state: string;
  readonly version: bigint;
  readonly capacity_shape: LeasedAllocation['shape'];
  readonly node_id: string | null;
  readonly simulated: boolean;
  readonly generation: bigint;
  readonly isolation_model: LeasedAllocation['isolationModel'];
  readonly max_duration_seconds: number | null;
  readonly expires_at: Date | null;
  readonly ended_at: Date | null;
  readonly release_attempts: number;
  readonly release_reason: string | null;
  readonly profile: LeasedAllocation['profile'] | null;
  readonly login: LeasedAllocation['login'] | null;
  readonly gpu_model: string;
  readonly gpu_memory_mib: number;
  readonly minimum_driver: string | null;
  readonly minimum_cuda: string | null;
  readonly image: LeasedAllocation['image'] | null;
  readonly slots: TaskSlot[];
  readonly keys: string[];
  readonly authorities: string[] | null;
}

/**
 * Undefined while the allocation has no place. With the generation of a failed attempt it answers that attempt: its host, its
 * slots and the state `failed`, whatever the state of the allocation is now.
 */
export async function readLeased(
  tx: ReadTx,
  allocationId: string,
  generation?: number,
): Promise<LeasedAllocation | undefined> {
  const [row] = await tx.rows<Row>(readAllocation, [allocationId, generation ?? null]);
  if (!row || row.node_id === null || row.login === null) return undefined;
  return {
    id: row.id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    state: row.state,
    version: Number(row.version),
    shape: row.capacity_shape,
    nodeId: row.node_id,
    simulated: row.simulated,
    generation: Number(row.generation),
    isolationModel: row.isolation_model,
    maxDurationSeconds: row.max_duration_seconds ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    releaseAttempts: row.release_attempts,
    endedAt: row.ended_at ?? undefined,
    releaseReason: row.release_reason ?? undefined,
    profile: row.profile ?? undefined,
    image: row.image ?? undefined,
    login: row.login,
    slots: row.slots,
    keys: row.keys,
    authorities: row.authorities,
    promised: {
      allocationId: row.id,
      username: row.login.username,
      gpuModel: row.gpu_model,
      gpuUuids: row.slots.map(({ gpu_uuid }) => gpu_uuid),
      gpuMemoryMib: row.gpu_memory_mib,
      minimumDriver: row.minimum_driver ?? undefined,
      minimumCuda: row.minimum_cuda ?? undefined,
    },
  };
}

/** The state of a lease, for callers that only ask whether there is work left. */
export interface LeaseState extends Pick<LeasedAllocation, 'shape' | 'isolationModel' | 'generation' | 'state'> {
  /** It was active once, whatever its state is now. */
  readonly wasActive: boolean;
}
export async function readLeaseState(
  tx: ReadTx,
  allocationId: string,
  ofLease?: number,
): Promise<LeaseState | undefined> {
  const [row] = await tx.rows<{
    readonly state: string;
    readonly generation: bigint;
    readonly was_active: boolean;
    readonly shape: LeasedAllocation['shape'];
    readonly isolation_model: LeasedAllocation['isolationModel'];
  }>(readLeaseSql, [allocationId, ofLease ?? null]);
  if (!row) return undefined;
  const { state, generation, was_active: wasActive, shape, isolation_model: isolationModel } = row;
  return { state, generation: Number(generation), wasActive, shape, isolationModel };
}

/** The same, and locks the allocation until the end of the transaction. */
export async function holdLeased(
  tx: WriteTx,
  allocationId: string,
  generation?: number,
): Promise<LeasedAllocation | undefined> {
  const [, leased] = await Promise.all([
    tx.rows(holdAllocation, [allocationId]),
    readLeased(tx, allocationId, generation),
  ]);
  return leased;
}

/** What the node must find before it may report the allocation as ready. */
export const expectationOf = ({ promised }: LeasedAllocation): TaskParams<'allocation.attest'>['expect'] => ({
  gpu_model: promised.gpuModel,
  gpu_uuids: [...promised.gpuUuids],
  gpu_memory_mib: promised.gpuMemoryMib,
});

/** A name that host tools accept, and that leads back to the allocation. */
export const hostnameOf = (allocationId: string): string => `a-${allocationId}`;
