import { type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { startReconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { denialsLookAgainMs } from '../facts.ts';
import { denialsChannel } from './identities.ts';
import { listDenied } from './identity-store.ts';

/** Which certificates are no longer good, though they have not expired. */
export interface Denials {
  denies(shown: { readonly nodeId: string; readonly serial: string }): boolean;
  close(): Promise<void>;
}

/**
 * The list is a table that survives a crash; each process holds it in memory, receives additions at once and reloads it
 * on a timer, so a check costs no I/O and a revocation takes effect within seconds even if a message is lost.
 */
export async function openDenials(parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly listen: (channel: string, listener: () => void) => Promise<{ close(): Promise<void> }>;
  /** After every look: connections that are denied now are to be cut. */
  readonly onLook: () => void;
}): Promise<Denials> {
  let serials: ReadonlySet<string> = new Set();
  let nodes: ReadonlySet<string> = new Set();
  const look = async () => {
    const viewer = systemViewer('nodes', { correlationId: parts.ids.next() });
    const denied = await parts.db.read(viewer, listDenied);
    serials = new Set(denied.serials);
    nodes = new Set(denied.nodes);
    parts.onLook();
  };
  await look();
  const looking = startReconciler(
    { name: 'node-denials', round: () => look().then(() => 'idle' as const) },
    { clock: parts.clock, log: parts.log, everyMs: denialsLookAgainMs },
  );
  const listening = await parts.listen(denialsChannel, looking.wake);
  return {
    denies: ({ nodeId, serial }) => serials.has(serial) || nodes.has(nodeId),
    async close() {
      await listening.close();
      await looking.close();
    },
  };
}
