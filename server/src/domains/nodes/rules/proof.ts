import { type ReadTx, sql } from '../../../kernel/act.ts';

/**
 * When the newest probe of a host was asked for that found it healthy. It counts from the moment it was asked for: a probe
 * that began before something was put aside says nothing about what put it aside.
 */
export const probedAt = (node: string): string =>
  `(select max(t.created_at) from node_tasks t where t.node_id = ${node} and t.allocation_id is null
     and (t.organization_id is null or mine(t.organization_id))
     and t.task_type = 'diag.health_probe' and t.state = 'succeeded' and t.result -> 'output' ->> 'healthy' = 'true')`;
/** When the newest alert was raised that keeps a slot from being sold. */
export const alertedAt = (slot: string): string =>
  `(select max(a.since) from alerts a where a.node_id = ${slot}.node_id and a.effect = 'blocks_sale'
     and a.allocation_id is null and (a.slot_id is null or a.slot_id = ${slot}.id))`;

const ofSlotsSql = sql(
  'slot-proofs',
  `select s.id, s.updated_at, ${probedAt('s.node_id')} as probed_at, ${alertedAt('s')} as alerted_at
   from slots s where s.id = any ($1::uuid[])`,
);

export interface SlotProof {
  /** When it was put aside. */
  readonly updated_at: Date;
  readonly probed_at: Date | null;
  readonly alerted_at: Date | null;
}
export const needsProbe = (since: Date): string =>
  `Probe it first: a health probe has to pass that was asked for after ${since.toISOString()}.`;

/** Why a slot may not be cleared yet, as far as proof of its health goes. */
export function whyNoClear({ updated_at, alerted_at, probed_at }: SlotProof): string | null {
  const from = new Date(Math.max(updated_at.getTime(), alerted_at?.getTime() ?? 0));
  return probed_at && probed_at > from ? null : needsProbe(from);
}

/** The same for several, which are locked: the first reason that there is. */
export async function whyNoneMayClear(tx: ReadTx, slotIds: readonly string[]): Promise<string | null> {
  const proofs = await tx.rows<SlotProof>(ofSlotsSql, [slotIds]);
  return proofs.map(whyNoClear).find((why) => why !== null) ?? null;
}
