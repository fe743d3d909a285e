import { canonicalJson, type NodeUsageAnswer, type NodeUsageRecord } from '@gpuaas/contract/node';
import type { BeginAct, Database } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { isSignedBy } from '../nodes/index.ts';
import { type BillingTime, databaseTime } from './accrual-store.ts';
import { type EvidenceRow, findResultKeys, storeEvidence } from './evidence-store.ts';
import {
  aheadMs,
  evidenceChannel,
  evidenceEveryMs,
  lengthOfDayMs,
  microPerMinor,
  mostReportsWaiting,
} from './facts.ts';

type Outcome = NodeUsageAnswer['outcomes'][number];

/** Where nodes hand in what they saw of their leases. */
export interface EvidenceDesk {
  /** Resolves once every record of the report is written, refused for good, or to be sent again. */
  take(nodeId: string, records: readonly NodeUsageRecord[]): Promise<NodeUsageAnswer>;
  close(): Promise<void>;
}
interface Waiting {
  readonly nodeId: string;
  readonly records: readonly NodeUsageRecord[];
  readonly done: PromiseWithResolvers<NodeUsageAnswer>;
}
interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Asked in the transaction that stores; the database's when left out. */
  readonly time?: BillingTime;
  /** How many times as fast GPU time passes on simulated hosts. */
  readonly speed: () => number;
}

/**
 * Reports of all nodes are gathered and written together, at most once a second: one transaction and one row of the audit log,
 * however large the fleet. When a batch fails, each report is tried alone, so that one node cannot hold up the others.
 */
export function openEvidenceDesk(parts: Parts): EvidenceDesk {
  const { clock, log } = parts;
  const counted = parts.metrics.counter(
    'gpuaas_usage_records_total',
    'Usage records of nodes, by what became of them.',
    ['outcome'],
  );
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  const stopping = new AbortController();
  const settle = async (batch: readonly Waiting[]): Promise<void> => {
    const answers = await write(parts, batch);
    batch.forEach(({ done }, at) => {
      const outcomes = answers[at] ?? [];
      for (const outcome of outcomes) counted.inc({ outcome });
      done.resolve({ outcomes });
    });
  };
  const apart = async (one: Waiting): Promise<void> =>
    settle([one]).catch((error: unknown) => {
      log.warn({ err: error, node_id: one.nodeId }, 'usage records of a node could not be written');
      one.done.reject(error);
    });
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const beganMs = clock.now().getTime();
      await settle(batch).catch(async () => {
        for (const one of batch) await apart(one);
      });
      const restMs = beganMs + evidenceEveryMs - clock.now().getTime();
      if (restMs > 0) await clock.sleep(restMs, stopping.signal).catch(() => undefined);
    }
    writing = undefined;
  };
  return {
    take(nodeId, records) {
      if (waiting.length >= mostReportsWaiting)
        return Promise.reject(new Error('too many reports of usage are waiting'));
      const done = Promise.withResolvers<NodeUsageAnswer>();
      waiting.push({ nodeId, records, done });
      writing ??= drain();
      return done.promise;
    },
    async close() {
      stopping.abort(new Error('closed'));
      await writing;
    },
  };
}

async function write(
  { db, begin, ids, speed, time = databaseTime }: Parts,
  batch: readonly Waiting[],
): Promise<Outcome[][]> {
  const outcomes: Outcome[][] = batch.map(({ records }) => records.map(() => 'refused'));
  const written = await db.write(begin('usage.record', { correlationId: ids.next() }), async (tx) => {
    const keys = await findResultKeys(tx, [...new Set(batch.map(({ nodeId }) => nodeId))]);
    const places: (readonly [number, number])[] = [];
    const rows = batch.flatMap(({ nodeId, records }, at) =>
      checkRecords(nodeId, keys.get(nodeId) ?? undefined, records).flatMap((row, of) => {
        if (!row) return [];
        places.push([at, of]);
        return [{ ...row, n: places.length - 1 }];
      }),
    );
    const judged =
      rows.length > 0
        ? await storeEvidence(tx, rows, { microPerMinor, aheadMs, now: await time(tx), speed: speed() })
        : [];
    for (const { n, outcome } of judged) {
      const [at, of] = places[n] ?? [];
      if (at !== undefined && of !== undefined) (outcomes[at] as Outcome[])[of] = outcome;
    }
    const stored = judged.filter(({ is_new }) => is_new).length;
    if (stored === 0) return tx.abandon(new Fault('resource_not_found', 'Nothing was new.'));
    tx.wake(evidenceChannel, 'new');
    return tx.commit(undefined, {
      target: { type: 'usage_evidence', id: 'nodes' },
      change: { nodes: keys.size, records: stored },
      events: 'none',
    });
  });
  void written;
  return outcomes;
}

/** The records that their node signed, in an order that makes sense; undefined for the others. */
export function checkRecords(
  nodeId: string,
  resultKey: string | undefined,
  records: readonly NodeUsageRecord[],
): (Omit<EvidenceRow, 'n'> | undefined)[] {
  const lastTo = new Map<string, number>();
  return records.map((record) => {
    const [fromMs, toMs] = [Date.parse(record.from), Date.parse(record.to)];
    const isInOrder =
      fromMs < toMs && toMs - fromMs <= lengthOfDayMs && fromMs >= (lastTo.get(record.allocation_id) ?? 0);
    if (!resultKey || record.node_id !== nodeId || !isInOrder || !isSignedBy(record, resultKey)) return undefined;
    lastTo.set(record.allocation_id, toMs);
    return {
      node_id: nodeId,
      allocation_id: record.allocation_id,
      generation: record.generation,
      sequence: record.sequence,
      from_at: new Date(fromMs).toISOString(),
      to_at: new Date(toMs).toISOString(),
      gpus: [...new Set(record.gpus)],
      final: record.final,
      speed: record.speed ?? 1,
      record: canonicalJson(record),
      result_key: resultKey,
    };
  });
}
