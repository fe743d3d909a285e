import type { Log } from '../../../kernel/telemetry/log.ts';
import { sweepBatch } from '../facts.ts';
import type { Newcomer } from '../sagas/onboard.ts';
import type { EnrolledRow } from './presence-store.ts';

/** Begins to take in every node that was heard for the first time, page by page. One that fails is tried next time. */
export function makeWelcome(parts: {
  readonly log: Log;
  readonly onNewcomer: (run: string, newcomer: Newcomer) => Promise<void>;
  readonly listAfter: (nodeId: string) => Promise<readonly EnrolledRow[]>;
}) {
  /** Runs that were begun here, so that a look that comes too early begins nothing again. */
  let begun: ReadonlySet<string> = new Set();
  return async function welcome(first: readonly EnrolledRow[]): Promise<void> {
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
      newcomers = await parts.listAfter(last);
    }
    begun = seen;
  };
}
