import { allocationMachine, type StatesOf, type Transition } from '@gpuaas/contract';
import type { WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { type Moved, notFrom, stepOf } from '../../../kernel/machine.ts';
import { changeAllocation, insertTimeline, stepAllocation } from './machine-store.ts';

export type AllocationTransition = Transition<StatesOf<typeof allocationMachine>>;
export type AllocationState = keyof StatesOf<typeof allocationMachine>;
export type PlacementStatus = 'queued' | 'reserved' | 'leased' | 'freed';

/** Columns that change together with a transition. A column that is left out keeps its value. */
export interface AllocationFacts {
  readonly placementStatus?: PlacementStatus;
  readonly nodeId?: string;
  readonly generation?: number;
  readonly access?: object;
  readonly expiresAt?: Date;
  readonly failureCode?: string;
  readonly failureReason?: string;
  readonly releaseReason?: string;
  readonly releaseAttempts?: number;
}
export interface MovedAllocation extends Moved {
  readonly organizationId: string;
  readonly projectId: string;
  /** As they are after the move. */
  readonly nodeId: string | undefined;
  readonly generation: number;
  /** Whether its host is simulated; undefined while it has none. */
  readonly simulated: boolean | undefined;
}
/** The fields that every event of an allocation has. */
export const aboutMoved = (
  id: string,
  moved: Pick<MovedAllocation, 'organizationId' | 'projectId' | 'version' | 'simulated'>,
) => ({
  allocation_id: id,
  organization_id: moved.organizationId,
  project_id: moved.projectId,
  version: moved.version,
  ...(moved.simulated !== undefined && { simulated: moved.simulated }),
});

interface SteppedRow {
  readonly organization_id: string;
  readonly project_id: string;
  readonly state: AllocationState;
  readonly version: bigint;
  readonly generation: bigint;
  readonly node_id: string | null;
  readonly simulated: boolean | null;
  readonly moved: boolean;
}

/**
 * The only code that changes the state of an allocation: along the table of transitions, from the version and the lease
 * that the caller saw, together with the line of its timeline. Undefined when there is no such allocation.
 *
 * Lock order: a transaction that moves both locks the allocation before its slots, so two transactions cannot deadlock.
 */
export async function advanceAllocation(
  tx: WriteTx,
  id: string,
  transition: AllocationTransition,
  move: {
    readonly ids: Ids;
    readonly correlationId: string;
    readonly seenVersion?: number | undefined;
    /** The lease that the caller saw. A late caller is refused. */
    readonly seenGeneration?: number | undefined;
    readonly detail?: object;
    readonly set?: AllocationFacts;
  },
): Promise<MovedAllocation | undefined | Fault<'illegal_transition' | 'version_conflict'>> {
  const { from, to } = stepOf(allocationMachine, transition);
  const set = move.set ?? {};
  const [row] = await tx.rows<SteppedRow>(stepAllocation, [
    ...[id, from, to, move.seenVersion ?? null, move.seenGeneration ?? null],
    ...[move.ids.next(), transition, JSON.stringify(move.detail ?? {}), move.correlationId],
    ...[set.placementStatus ?? null, set.nodeId ?? null, set.generation ?? null],
    ...[set.access ? JSON.stringify(set.access) : null, set.expiresAt ?? null],
    ...[set.failureCode ?? null, set.failureReason ?? null, set.releaseReason ?? null, set.releaseAttempts ?? null],
  ]);
  if (!row) return undefined;
  const version = Number(row.version);
  if (row.moved) {
    return {
      from: row.state,
      to,
      version: version + 1,
      organizationId: row.organization_id,
      projectId: row.project_id,
      nodeId: set.nodeId ?? row.node_id ?? undefined,
      generation: set.generation ?? Number(row.generation),
      simulated: row.simulated ?? undefined,
    };
  }
  const stale =
    (move.seenVersion !== undefined && move.seenVersion !== version) ||
    (move.seenGeneration !== undefined && move.seenGeneration !== Number(row.generation));
  if (stale) {
    return new Fault('version_conflict', `It was changed in the meantime: it is at version ${version}.`, {
      version,
      generation: Number(row.generation),
    });
  }
  return notFrom(allocationMachine, row.state);
}

/** Changes columns without moving the state, as one more version. The caller holds the row or accepts that the last write wins. */
export async function updateFacts(
  tx: WriteTx,
  id: string,
  set: Pick<AllocationFacts, 'placementStatus' | 'nodeId' | 'generation' | 'access' | 'expiresAt'>,
): Promise<number | undefined> {
  const [row] = await tx.rows<{ version: bigint }>(changeAllocation, [
    id,
    set.placementStatus ?? null,
    set.nodeId ?? null,
    set.generation ?? null,
    set.access ? JSON.stringify(set.access) : null,
    set.expiresAt ?? null,
  ]);
  return row && Number(row.version);
}

/** A line of the timeline that is no transition: a phase that began, a task that was queued, a note. */
export async function noteAllocation(
  tx: WriteTx,
  id: string,
  note: {
    readonly ids: Ids;
    readonly correlationId: string;
    readonly kind: 'phase' | 'task' | 'note';
    readonly name: string;
    readonly detail?: object;
  },
): Promise<void> {
  const detail = JSON.stringify(note.detail ?? {});
  await tx.run(insertTimeline, [
    note.ids.next(),
    id,
    note.kind,
    note.name,
    null,
    null,
    null,
    detail,
    note.correlationId,
  ]);
}
