import type { DeclaredEvent } from '@gpuaas/contract';
import type { WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Moved } from '../../kernel/machine.ts';
import { eventsOf } from './announce.ts';
import { longestReason } from './facts.ts';
import { moveTo } from './machine.ts';
import type { InstanceParts } from './parts.ts';
import { type InstanceRow, insertMoment, noteOtherFailure } from './store.ts';

/** What a change of state gives to the act that commits it: its events, and its line of the audit row. */
export interface Changed {
  readonly events: readonly DeclaredEvent[];
  readonly change: { readonly state: readonly [string, string] };
}
const changed = (moved: Moved, events: readonly DeclaredEvent[]): Changed => ({
  events,
  change: { state: [moved.from, moved.to] },
});
type Of = Pick<InstanceParts, 'ids'> & { readonly correlationId: string };

/** It answers: its routes lead to it from now on. Undefined when its state does not allow this any more. */
export async function becomeReady(tx: WriteTx, of: Of, row: InstanceRow): Promise<Changed | undefined> {
  const moved = await moveTo(tx, row, 'ready', of);
  return moved instanceof Fault ? undefined : changed(moved, eventsOf(row, moved));
}

export async function becomeFailed(
  tx: WriteTx,
  of: Of,
  row: InstanceRow,
  failure: { readonly code: string; readonly reason: string },
): Promise<Changed | undefined> {
  const cut = { code: failure.code, reason: failure.reason.slice(0, longestReason) };
  const moved = await moveTo(tx, row, 'fail', { ...of, also: { failure: cut } });
  return moved instanceof Fault ? undefined : changed(moved, eventsOf(row, moved, { failure: cut }));
}

/** Writes another reason to an instance that has failed, one with which it is not tried again. */
export async function giveUp(
  tx: WriteTx,
  of: Of,
  row: InstanceRow,
  failure: { readonly code: string; readonly reason: string },
): Promise<void> {
  const cut = { code: failure.code, reason: failure.reason.slice(0, longestReason) };
  await noteOtherFailure(tx, row.id, cut);
  await insertMoment(tx, {
    ...{ id: of.ids.next(), organizationId: row.organization_id, instanceId: row.id, name: 'give_up', detail: cut },
    correlationId: of.correlationId,
  });
}

export async function becomeStopped(tx: WriteTx, of: Of, row: InstanceRow): Promise<Changed | undefined> {
  const moved = await moveTo(tx, row, 'stopped', of);
  return moved instanceof Fault ? undefined : changed(moved, eventsOf(row, moved));
}

/**
 * The end of an instance: a person released it and its host has confirmed that nothing of it is left, or its allocation has ended. The
 * machine calls both transitions `lose`.
 */
export async function becomeReleased(
  tx: WriteTx,
  of: Of,
  row: InstanceRow,
  reason: 'user' | 'allocation_ended',
): Promise<Changed | undefined> {
  const moved = await moveTo(tx, row, 'lose', { ...of, also: { endReason: reason } });
  return moved instanceof Fault ? undefined : changed(moved, eventsOf(row, moved, { reason }));
}
