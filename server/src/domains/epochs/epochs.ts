import type { Act, Database } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { type Finding, replaceAlerts } from '../attention/index.ts';
import { skipNumbers } from '../invoicing/index.ts';
import { generationsSkipped } from './facts.ts';
import { insertEpoch, listKnownNodes } from './store.ts';

export interface Epoch {
  readonly number: number;
  readonly generationFloor: bigint;
  /** The last number of each series of documents, as if that many had been issued. */
  readonly series: Readonly<Record<string, string>>;
  /** Hosts that sell nothing until their report was compared. */
  readonly nodes: number;
}

/** The first thing that happens after a restore, before any process starts. */
export async function beginEpoch(
  db: Database,
  act: Act,
  backup: { readonly id: string; readonly takenAt: Date; readonly skippedNumbers: number },
): Promise<Epoch> {
  const unchecked: Finding = {
    ...{ kind: 'restored_unchecked', effect: 'blocks_sale', slotId: null, allocationId: null },
    message: `The installation was restored from a backup of ${backup.takenAt.toISOString()}. What the node holds has not been compared with it yet.`,
    tenantMessage: null,
  };
  const written = await db.write(act, async (tx) => {
    const epoch = await insertEpoch(tx, backup, generationsSkipped);
    if (!epoch) return tx.abandon(new Fault('version_conflict', 'The epoch could not begin.'));
    const numbers = await skipNumbers(tx, backup.skippedNumbers);
    const nodes = await listKnownNodes(tx);
    for (const nodeId of nodes) await replaceAlerts(tx, { source: 'drift', nodeId }, [unchecked]);
    const series = Object.fromEntries(numbers.map(({ series, last }) => [series, last.toString()]));
    const begun = { number: epoch.number, generationFloor: epoch.generation_floor, series, nodes: nodes.length };
    return tx.commit(begun, {
      target: { type: 'installation', id: backup.id },
      change: { epoch: epoch.number, generation_floor: epoch.generation_floor.toString(), ...series },
      events: 'none',
    });
  });
  if (written instanceof Fault) throw written;
  return written.value;
}
