import { type BeginAct, type Database, type ReadTx, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { secondMs } from '../../../kernel/units.ts';
import { maxSurveyed } from '../facts.ts';
import { noteAllocation } from '../life/machine.ts';
import { readCandidates } from '../placement/candidates-store.ts';
import type { HostReservation, Line, LinePlan, Waiter } from './plan.ts';
import {
  dropReservation,
  expectReservation,
  findReservation,
  keepReservation,
  type LineRow,
  listEnds,
  listLineHosts,
  listQueue,
  type QueueRow,
} from './store.ts';

export interface LineView extends Line {
  readonly rows: ReadonlyMap<string, QueueRow>;
}
export interface LineLook {
  readonly now: Date;
  readonly ageingSeconds: number;
  readonly provisionSeconds: number;
  readonly lostAfterSeconds: number;
  readonly imageRequired: boolean;
  readonly batch: number;
}

/** Everything that the plan of a line is made from, read at once for all who wait in it. */
export async function readLine(tx: ReadTx, line: LineRow, look: LineLook): Promise<LineView> {
  const { sku, region } = line;
  const rows = await listQueue(tx, { ...look, sku, region, limit: maxSurveyed, ofKind: look.batch });
  const ids = await listLineHosts(tx, line, maxSurveyed);
  const nodes = await readCandidates(tx, ids, look.lostAfterSeconds);
  const ends = new Map<string, Date>();
  for (const { slot_id, ends_at } of await listEnds(tx, ids, look.provisionSeconds)) {
    if (ends_at) ends.set(slot_id, ends_at);
  }
  const held = await findReservation(tx, line);
  return {
    now: look.now,
    ageingMs: look.ageingSeconds * secondMs,
    rows: new Map(rows.map((row) => [row.id, row])),
    waiters: rows.map((row) => waiterOf(row, line, look)),
    hosts: nodes.map((node) => ({ node, ends })),
    reservation: held && {
      ...{ allocationId: held.allocation_id, nodeId: held.node_id },
      slotIds:
        held.slot_ids.length > 0
          ? held.slot_ids
          : (nodes.find(({ id }) => id === held.node_id)?.slots ?? []).map(({ id }) => id),
      expectedStartAt: held.expected_start_at ?? undefined,
    },
  };
}

function waiterOf(row: QueueRow, line: LineRow, look: LineLook): Waiter {
  const isSlice = row.capacity_shape === 'gpu_slice';
  const lasts = row.max_duration_seconds;
  return {
    id: row.id,
    since: row.created_at,
    except: new Set(row.tried),
    lastsMs: lasts === null ? undefined : (look.provisionSeconds + lasts) * secondMs,
    request: {
      ...{ sku: row.sku, gpus: row.gpu_count, region: row.region, shape: row.capacity_shape, nvme: isSlice },
      fabric: isSlice && line.fabric,
      image: isSlice && row.image_id ? { id: row.image_id, mustBeCached: look.imageRequired } : undefined,
    },
  };
}

/** Writes down which host the oldest request waits for, where that has changed. */
export async function writeHostReservation(
  parts: { readonly db: Database; readonly begin: BeginAct; readonly ids: Ids },
  line: LineRow,
  view: LineView,
  plan: LinePlan,
): Promise<void> {
  const [before, after] = [view.reservation, plan.reservation];
  if (isSame(before, after)) return;
  const isMoved = !holdsSame(before, after);
  const row = after && view.rows.get(after.allocationId);
  const whose = row && { organizationId: row.organization_id, projectId: row.project_id };
  const act = parts.begin('allocation.reserve_host', { correlationId: parts.ids.next(), ...whose });
  await parts.db.write(act, async (tx) => {
    if (isMoved) await dropReservation(tx, line);
    if (after) {
      const kept = {
        ...{ allocation_id: after.allocationId, node_id: after.nodeId, slot_ids: after.slotIds },
        expected_start_at: after.expectedStartAt ?? null,
      };
      const written = isMoved ? await keepReservation(tx, line, kept) : await expectReservation(tx, kept);
      // Another process was first, or the host waits for another line: the next round looks again.
      if (written === 0) return tx.abandon(new Fault('version_conflict', 'The reservation was changed meanwhile.'));
      if (isMoved) {
        await noteAllocation(tx, after.allocationId, {
          ...{ ids: parts.ids, correlationId: act.correlationId, kind: 'note', name: 'host_reserved' },
          detail: { expected_start_at: kept.expected_start_at },
        });
      }
    }
    return tx.commit(undefined, {
      target: { type: 'allocation', id: after?.allocationId ?? before?.allocationId ?? '' },
      change: {
        host: [before?.nodeId ?? null, after?.nodeId ?? null],
        slots: after?.slotIds ?? [],
        expected_start_at: after?.expectedStartAt ?? null,
      },
      ...(row && { organizationId: row.organization_id }),
      events: 'none',
    });
  });
}
const holdsSame = (a: HostReservation | undefined, b: HostReservation | undefined): boolean =>
  a?.allocationId === b?.allocationId &&
  a?.nodeId === b?.nodeId &&
  a?.slotIds.toSorted().join() === b?.slotIds.toSorted().join();
const isSame = (a: HostReservation | undefined, b: HostReservation | undefined): boolean =>
  holdsSame(a, b) && a?.expectedStartAt?.getTime() === b?.expectedStartAt?.getTime();

export const systemView = (parts: { readonly ids: Ids }) =>
  systemViewer('allocation-queue', { correlationId: parts.ids.next() });
