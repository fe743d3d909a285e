import { type BeginAct, type Database, systemViewer } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Objects } from '../../ports/objects/port.ts';
import { confirmArchive, listUnconfirmed, readBatch, readLinks } from './store.ts';
import { verifyArchive } from './verify.ts';

/**
 * Reads each new archive and compares it with the rows that it is to replace. The relay writes archives and removes rows, and the
 * database removes none whose archive was not confirmed, which only the api can do: a stolen relay alone cannot lose history. What
 * does not fit stays unconfirmed, and the alert of archives that stay open says so.
 */
export const makeConfirming = (parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly objects: Objects;
  readonly ids: Ids;
  readonly log: Log;
}): Reconciler => ({
  name: 'history-confirming',
  async round(signal) {
    const { db, ids, log } = parts;
    const viewer = systemViewer('history', { correlationId: ids.next() });
    for (const archive of await db.read(viewer, listUnconfirmed)) {
      if (signal.aborted) return 'idle';
      const { chains, rows } = await db.read(viewer, async (tx) => ({
        chains: await readLinks(tx, archive.id),
        rows: archive.subject === 'audit' ? undefined : await readBatch(tx, archive.id),
      }));
      const { intact, broken } = await verifyArchive(parts.objects, archive, chains, rows);
      if (!intact) {
        log.error(
          { archive: archive.id, key: archive.object_key, broken },
          'an archive does not hold what it replaces',
        );
        continue;
      }
      await db.write(parts.begin('history.confirm', { correlationId: ids.next() }), async (tx) => {
        await confirmArchive(tx, archive);
        const change = { subject: archive.subject, sha256: archive.sha256 };
        return tx.commit(undefined, { target: { type: 'history', id: archive.id }, change, events: 'none' });
      });
    }
    return 'idle';
  },
});
