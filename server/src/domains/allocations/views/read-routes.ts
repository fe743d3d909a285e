import {
  type AllocationDetail,
  allocationAttestations,
  allocationCounts,
  allocationGet,
  allocationList,
  allocationPlacement,
  allocationTimeline,
} from '@gpuaas/contract';
import type { ReadinessAttestation } from '@gpuaas/contract/node';
import { handlers, type Mounted, type ReadTx, systemViewer, type Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import { listKeys } from '../launch/launch-store.ts';
import type { AllocationParts } from '../parts.ts';
import type { Decision } from '../placement/decide.ts';
import { sayWhy } from '../placement/explain.ts';
import { findQueued } from '../queue/store.ts';
import { listAttempts } from '../retry/attempts-store.ts';
import {
  type AllocationRow,
  countAllocations,
  findAllocation,
  findFailedPhase,
  findReceipt,
  lastDecision,
  listAllocations,
  listAttestations,
  listTimeline,
} from '../store.ts';
import { noStates } from '../totals/read-store.ts';
import { showAllocation, showDecision } from './show.ts';

const on = handlers<AllocationParts>();
export const absent = () => new Fault('allocation_not_found', 'There is no such object.');

const list = on(allocationList, (parts, who, { query }) =>
  readPage({
    name: query.order === 'oldest' ? 'allocations-oldest' : 'allocations',
    query,
    read: (before, limit) =>
      parts.db.read(who, (tx) =>
        listAllocations(tx, { projectId: who.projectId, organizationId: who.organizationId }, query, before, limit),
      ),
    keyOf: (row: AllocationRow) => row.id,
    show: (row) => showAllocation(row, parts.limits(who)),
  }),
);

const counts = on(allocationCounts, async ({ db }, who, { query }) => {
  const of = { projectId: who.projectId, organizationId: who.organizationId };
  const rows = await db.read(who, (tx) => countAllocations(tx, of, query));
  return {
    total: rows.reduce((sum, { n }) => sum + n, 0),
    states: { ...noStates, ...Object.fromEntries(rows.map(({ state, n }) => [state, n])) },
  };
});

const get = on(allocationGet, async (parts, who, { params }) => {
  const detail = await parts.db.read(who, (tx) => showDetail(tx, parts, who, params.allocation_id));
  return detail ?? absent();
});

/** An allocation with its keys, its receipt, and its place in the queue while it waits. */
export async function showDetail(
  tx: ReadTx,
  parts: AllocationParts,
  who: Viewer,
  id: string,
): Promise<AllocationDetail | undefined> {
  const row = await findAllocation(tx, id);
  if (!row) return undefined;
  const { receipt, later } = await findReceipt(tx, id);
  const attestation = receipt?.document as ReadinessAttestation | undefined;
  return {
    ...showAllocation(row, parts.limits(who)),
    ssh_keys: (await listKeys(tx, id)).map(({ ssh_key_id, fingerprint }) => ({ ssh_key_id, fingerprint })),
    queue: await showQueued(tx, parts, who, row),
    failed_attempts: (await listAttempts(tx, id)).map(({ attempt, failure_code, failure_reason, failed_at }) => ({
      ...{ attempt, code: failure_code, reason: failure_reason },
      failed_at: failed_at.toISOString(),
    })),
    failed_phase: await failedPhaseOf(tx, row),
    charged: await parts.readCharged(tx, id),
    receipt:
      receipt && attestation
        ? {
            attestation_id: receipt.id,
            taken_at: receipt.taken_at.toISOString(),
            passed: receipt.passed,
            simulated: attestation.simulated ?? row.simulated,
            gpus: attestation.gpus.length,
            driver_version: attestation.driver_version,
            cuda_version: attestation.cuda_version,
          }
        : null,
    last_attestation: later
      ? { attestation_id: later.id, taken_at: later.taken_at.toISOString(), passed: later.passed }
      : null,
  };
}

/** The step at which a launch failed; null for one that became active, or that has not failed. */
async function failedPhaseOf(tx: ReadTx, row: AllocationRow): Promise<string | null> {
  if (row.state !== 'failed' || row.active_at) return null;
  if (!row.provisioning_started_at) return 'placed';
  return (await findFailedPhase(tx, row.id)) ?? 'lease';
}

async function showQueued(
  tx: ReadTx,
  parts: AllocationParts,
  who: Viewer,
  row: AllocationRow,
): Promise<AllocationDetail['queue']> {
  if (row.placement_status !== 'queued' || !row.queue_deadline_at) return null;
  const decision = await lastDecision(tx, row.id);
  // Who else waits is nobody's business; how many do is everybody's.
  const queued = await parts.db.read(systemViewer('allocations', who), (all) =>
    findQueued(all, row.id, parts.policies.number('allocation.queue_ageing_seconds')),
  );
  return {
    position: queued?.position ?? 1,
    deadline_at: row.queue_deadline_at.toISOString(),
    reason: queued?.has_host
      ? 'A host is reserved for it, and is still in use.'
      : decision
        ? sayWhy(decision.document as Decision, { isQueued: true })
        : 'Nothing of this kind and size is free.',
    host_reserved: queued?.has_host ?? false,
    expected_start_at: queued?.expected_start_at?.toISOString() ?? null,
  };
}

const timeline = on(allocationTimeline, async ({ db }, who, { params, query }) => {
  const isThere = await db.read(who, (tx) => findAllocation(tx, params.allocation_id));
  if (!isThere) return absent();
  return readPage({
    name: 'allocation-timeline',
    query,
    read: (after, limit) => db.read(who, (tx) => listTimeline(tx, params.allocation_id, after, limit)),
    keyOf: (row) => row.id,
    show: (row) => ({
      ...row,
      at: row.at.toISOString(),
      version: row.version === null ? null : Number(row.version),
    }),
  });
});

const placement = on(allocationPlacement, async ({ db }, who, { params }) => {
  const row = await db.read(who, (tx) => lastDecision(tx, params.allocation_id));
  return row ? showDecision(row) : absent();
});

const attestations = on(allocationAttestations, async ({ db }, who, { params, query }) => {
  const allocation = await db.read(who, (tx) => findAllocation(tx, params.allocation_id));
  if (!allocation) return absent();
  return readPage({
    name: 'allocation-attestations',
    query,
    read: (before, limit) => db.read(who, (tx) => listAttestations(tx, params.allocation_id, before, limit)),
    keyOf: (row) => row.id,
    show: ({ document, ...row }) => ({
      ...row,
      generation: Number(row.generation),
      simulated: (document as ReadinessAttestation).simulated ?? allocation.simulated,
      attestation: document as ReadinessAttestation,
      taken_at: row.taken_at.toISOString(),
    }),
  });
});

export const readRoutes = (parts: AllocationParts): Mounted[] =>
  [list, counts, get, timeline, placement, attestations].map((bind) => bind(parts));
