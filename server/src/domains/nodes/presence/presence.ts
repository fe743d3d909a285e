import { nodeLost, nodeQuarantined, nodeReturned } from '@gpuaas/contract';
import { type BeginAct, type Database, type ReadTx, sql, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { secondMs } from '../../../kernel/units.ts';
import type { NodeBrief } from '../enrolment/identity-store.ts';
import { pulseMissedMs, sweepBatch } from '../facts.ts';
import { advanceNode } from '../machine.ts';
import type { Newcomer } from '../sagas/onboard.ts';

/** Nodes whose state does not fit what was last heard of them. */
const changedSql = sql(
  'node-presence',
  `select n.id, n.name, n.region, n.state, r.reported_at from nodes n left join node_reports r on r.node_id = n.id
   where (n.state = 'offline' and r.reported_at >= $1)
     or (n.state = 'active' and $2::timestamptz is not null and coalesce(r.reported_at, n.updated_at) < $2)
   order by n.id limit $3`,
);
/** Nodes that enrolled and were heard since, and are not in service yet. */
const newcomersSql = sql(
  'node-newcomers',
  `select n.id, n.enrolled_at from nodes n join node_reports r on r.node_id = n.id
   where n.state = 'enrolling' and r.reported_at >= n.enrolled_at and ($1::uuid is null or n.id > $1)
   order by n.id limit $2`,
);
/** Nodes that enrolled too long ago and were not heard since. */
const unheardSql = sql(
  'node-unheard',
  `select n.id, n.name, n.region, n.state, n.enrolled_at from nodes n left join node_reports r on r.node_id = n.id
   where n.state = 'enrolling' and n.enrolled_at < $1 and (r.reported_at is null or r.reported_at < n.enrolled_at)
   order by n.id limit $2`,
);
const reportSql = sql('node-last-report', 'select reported_at from node_reports where node_id = $1');

/** Said every few seconds by each process that hears nodes. */
export const pulseChannel = 'gpuaas_node_pulse';
/** Said when a node was heard for the first time, or again. */
export const newcomersChannel = 'gpuaas_node_newcomers';

interface EnrolledRow {
  readonly id: string;
  readonly enrolled_at: Date;
}
const listNewcomers = (tx: ReadTx, after: string | undefined) =>
  tx.rows<EnrolledRow>(newcomersSql, [after ?? null, sweepBatch]);

interface Unheard extends NodeBrief {
  readonly enrolled_at: Date;
}
interface Seen extends NodeBrief {
  readonly reported_at: Date | null;
}

/**
 * Presence of nodes. A node that reports for the first time is onboarded by a saga (`sagas/onboard.ts`), which is
 * started here from the tables, even if its event was lost. A node is lost when it was silent for too long while we
 * were listening: time in which this process did not run, no api received reports, or reports could not be written does
 * not count. So after an outage of our own every node has a whole period to reconnect.
 */
export function makePresence(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly lostAfterSeconds: () => number;
  /** How long after its enrolment a node has to be heard, while we listen. */
  readonly heardWithinSeconds: () => number;
  /** Begins to take a node in that was heard for the first time. The same run again is the same beginning. */
  readonly onNewcomer: (run: string, newcomer: Newcomer) => Promise<void>;
  readonly onMoved?: (transition: 'lose' | 'return') => void;
  /** Called at each round: nodes last heard before the first time are silent, nodes heard after the second are not. */
  readonly onLooked?: (silentBefore: Date | undefined, heardAfter: Date) => Promise<void>;
}): Reconciler & { pulse(): void } {
  const { db, clock, ids } = parts;
  let lastPulseMs = Number.NEGATIVE_INFINITY;
  let lastRoundMs = Number.NEGATIVE_INFINITY;
  let listeningSinceMs = Number.POSITIVE_INFINITY;
  const nowMs = () => clock.now().getTime();
  const lostAfterMs = () => parts.lostAfterSeconds() * secondMs;
  const look = <T>(work: (tx: ReadTx) => Promise<T>) =>
    db.read(systemViewer('nodes', { correlationId: ids.next() }), work);

  /** Who was last heard before this is lost; undefined while nobody may be. */
  function silentSince(): Date | undefined {
    const now = nowMs();
    if (now - lastPulseMs > pulseMissedMs || now - lastRoundMs > pulseMissedMs) listeningSinceMs = now;
    lastRoundMs = now;
    return now - listeningSinceMs >= lostAfterMs() ? new Date(now - lostAfterMs()) : undefined;
  }

  /** A node that enrolled and never reported would wait for ever: an operator finds it in quarantine, with the reason. */
  async function giveUp(node: Unheard): Promise<void> {
    const correlationId = ids.next();
    const about = { node_id: node.id, name: node.name, region: node.region };
    const reason = `It enrolled at ${node.enrolled_at.toISOString()} and was not heard since: look at its agent, or issue it another token.`;
    await db.write(parts.begin('node.quarantine', { correlationId }), async (tx) => {
      const moved = await advanceNode(tx, node.id, 'quarantine', { reason });
      if (moved === undefined) return tx.abandon(new Fault('node_not_found', 'There is no such object.'));
      if (moved instanceof Fault) return tx.abandon(moved);
      if (moved.from !== 'enrolling' || !(await isSilent(tx, node.id, node.enrolled_at))) {
        return tx.abandon(new Fault('illegal_transition', 'It has reported meanwhile.'));
      }
      return tx.commit(undefined, {
        target: { type: 'node', id: node.id },
        change: { state: [moved.from, moved.to], reason },
        events: [nodeQuarantined.of(node.id, { ...about, reason })],
      });
    });
  }

  async function settle(node: Seen, silentBefore: Date | undefined): Promise<void> {
    const correlationId = ids.next();
    const transition = node.state === 'offline' ? 'return' : 'lose';
    const about = { node_id: node.id, name: node.name, region: node.region };
    const kind = { return: nodeReturned, lose: nodeLost }[transition];
    const reason = transition === 'lose' ? `no report since ${node.reported_at?.toISOString() ?? 'ever'}` : undefined;
    const written = await db.write(parts.begin(`node.${transition}`, { correlationId }), async (tx) => {
      const moved = await advanceNode(tx, node.id, transition, { reason });
      // Another process was faster, or an operator changed it: the next round sees the new state.
      if (moved === undefined) return tx.abandon(new Fault('node_not_found', 'There is no such object.'));
      if (moved instanceof Fault) return tx.abandon(moved);
      if (transition === 'lose' && !(await isSilent(tx, node.id, silentBefore))) {
        return tx.abandon(new Fault('illegal_transition', 'It has reported meanwhile.'));
      }
      return tx.commit(undefined, {
        target: { type: 'node', id: node.id },
        change: { state: [moved.from, moved.to], ...(reason && { reason }) },
        events: [kind.of(node.id, about)],
      });
    });
    if (!(written instanceof Fault)) parts.onMoved?.(transition);
  }

  /** Runs that were begun here, so that a look that comes too early begins nothing again. */
  let begun: ReadonlySet<string> = new Set();
  async function welcome(first: readonly EnrolledRow[]): Promise<void> {
    const seen = new Set<string>();
    for (let newcomers = first; ; ) {
      for (const { id, enrolled_at } of newcomers) {
        const run = `${id}.${enrolled_at.getTime()}`;
        try {
          if (!begun.has(run)) await parts.onNewcomer(run, { nodeId: id, enrolledAt: enrolled_at.toISOString() });
          seen.add(run);
        } catch (error) {
          parts.log.warn({ err: error, node: id }, 'a node could not be taken in yet');
        }
      }
      const last = newcomers.at(-1)?.id;
      if (last === undefined || newcomers.length < sweepBatch) break;
      newcomers = await look((tx) => listNewcomers(tx, last));
    }
    begun = seen;
  }

  return {
    name: 'node-presence',
    pulse() {
      const now = nowMs();
      if (now - lastPulseMs > pulseMissedMs) listeningSinceMs = now;
      lastPulseMs = now;
    },
    async round() {
      const silentBefore = silentSince();
      const heardAfter = new Date(nowMs() - lostAfterMs());
      const withinMs = parts.heardWithinSeconds() * secondMs;
      const enrolledBefore = nowMs() - listeningSinceMs >= withinMs ? new Date(nowMs() - withinMs) : undefined;
      const [newcomers, changed, unheard] = await look((tx) =>
        Promise.all([
          listNewcomers(tx, undefined),
          tx.rows<Seen>(changedSql, [heardAfter, silentBefore ?? null, sweepBatch]),
          enrolledBefore ? tx.rows<Unheard>(unheardSql, [enrolledBefore, sweepBatch]) : [],
        ]),
      );
      await welcome(newcomers);
      for (const node of enrolledBefore ? unheard : []) {
        try {
          await giveUp(node);
        } catch (error) {
          parts.log.warn({ err: error, node: node.id }, 'a node that was never heard could not be put aside');
        }
      }
      for (const node of changed) {
        try {
          await settle(node, silentBefore);
        } catch (error) {
          // One that cannot be settled must not keep the others from it.
          parts.log.warn({ err: error, node: node.id }, 'the state of a node could not be settled');
        }
      }
      await parts.onLooked?.(silentBefore, heardAfter);
      return changed.length === sweepBatch ? 'more' : 'idle';
    },
  };
}

async function isSilent(tx: ReadTx, nodeId: string, before: Date | undefined): Promise<boolean> {
  const [row] = await tx.rows<{ reported_at: Date }>(reportSql, [nodeId]);
  return before !== undefined && (!row || row.reported_at < before);
}
