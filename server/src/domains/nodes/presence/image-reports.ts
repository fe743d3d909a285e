import type { BeginAct, Database, WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { maxReportsHeld, nodesAtOnce, reportsEveryMs } from '../facts.ts';
import { forgetSql, noteSql } from './image-reports-store.ts';

/**
 * Which images nodes have, as they say with their heartbeats. What a node names is noted if it is an image of the
 * catalog; what it named before and does not name any more is forgotten. What an operator noted about a host that
 * never said anything stays: such a host cannot tell.
 *
 * Nearly always nothing has changed, and then nothing is asked. A process that has just started takes each first word as
 * changes, so what another one could not write down is made up for.
 */
export interface ImageReports {
  hear(nodeId: string, images: readonly string[]): void;
  close(): Promise<void>;
}
interface ImageChange {
  readonly nodeId: string;
  readonly has: readonly string[];
  readonly lost: readonly string[];
}

const pairs = (changes: readonly ImageChange[], of: (one: ImageChange) => readonly string[]) => {
  const all = changes.flatMap((one) => of(one).map((digest) => [one.nodeId, digest] as const));
  return [all.map(([nodeId]) => nodeId), all.map(([, digest]) => digest)];
};

export function openImageReports(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}): ImageReports {
  const { clock } = parts;
  const known = new Map<string, readonly string[]>();
  let waiting = new Map<string, ImageChange>();
  let writing: Promise<void> | undefined;
  const stopping = new AbortController();

  async function note(tx: WriteTx, changes: readonly ImageChange[]) {
    const [noted, forgotten] = await Promise.all([
      tx.run(
        noteSql,
        pairs(changes, ({ has }) => has),
      ),
      tx.run(
        forgetSql,
        pairs(changes, ({ lost }) => lost),
      ),
    ]);
    if (noted + forgotten === 0) return tx.abandon(new Fault('node_not_found', 'Nothing has changed.'));
    const target = { type: 'node', id: changes.length === 1 ? (changes[0]?.nodeId ?? 'none') : 'many' };
    return tx.commit(undefined, { target, change: { nodes: changes.length, noted, forgotten }, events: 'none' });
  }

  async function write(): Promise<void> {
    while (waiting.size > 0 && !stopping.signal.aborted) {
      const changes = [...waiting.values()].slice(0, nodesAtOnce);
      for (const { nodeId } of changes) waiting.delete(nodeId);
      try {
        await parts.db.write(parts.begin('node.images_report', { correlationId: parts.ids.next() }), (tx) =>
          note(tx, changes),
        );
      } catch (error) {
        // Taken for unheard: the next heartbeat says it again.
        for (const { nodeId } of changes) known.delete(nodeId);
        parts.log.warn({ err: error, nodes: changes.length }, 'images of nodes could not be noted');
      }
      await clock.sleep(reportsEveryMs, stopping.signal).catch(() => undefined);
    }
    writing = undefined;
  }

  return {
    hear(nodeId, images) {
      const before = known.get(nodeId);
      if (before && before.length === images.length && before.every((digest) => images.includes(digest))) return;
      if (!before && known.size >= maxReportsHeld) return;
      const lost = [...(waiting.get(nodeId)?.lost ?? []), ...(before ?? [])].filter((one) => !images.includes(one));
      known.set(nodeId, images);
      if (images.length === 0 && lost.length === 0) return;
      waiting.set(nodeId, { nodeId, has: images, lost });
      writing ??= write();
    },
    async close() {
      stopping.abort(new Error('closed'));
      waiting = new Map();
      await writing;
    },
  };
}
