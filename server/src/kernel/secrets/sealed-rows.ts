import { type BeginAct, type Database, type Sql, systemViewer, type WriteTx } from '../act.ts';
import type { Ids } from '../id.ts';
import type { Purpose } from './keyring.ts';
import type { Seal } from './seal.ts';
import { pageOf, type SealedValues } from './sealed-values.ts';

/** Sealed values in a table that acts write: each page is one act, and its audit row says how many values it sealed anew. */
export function sealedRows(parts: {
  readonly purpose: Purpose;
  readonly table: string;
  readonly seal: Seal;
  readonly place: (id: string) => string;
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  /** Answers `key_id` and `values`. */
  readonly count: Sql;
  /** Given ids of keys, a place and a limit, answers `at` and `sealed` in the order of `at`. */
  readonly stale: Sql;
  /** Given `at`, the sealed text that was read and the new one, changes the row if it still holds the first. */
  readonly replace: Sql;
  readonly changed?: (tx: WriteTx) => void;
}): SealedValues {
  const { purpose, table, seal, db, ids } = parts;
  const [, ...others] = seal.keyIds;
  return {
    purpose,
    table,
    keyIds: seal.keyIds,
    async counts() {
      const rows = await db.read(systemViewer('secrets', { correlationId: ids.next() }), (tx) =>
        tx.rows<{ key_id: string; values: bigint }>(parts.count),
      );
      return rows.map(({ key_id, values }) => ({ keyId: key_id, values: Number(values) }));
    },
    async reseal(after, limit) {
      if (others.length === 0) return { resealed: 0, after: undefined };
      const look = { correlationId: ids.next() };
      const rows = await db.read(systemViewer('secrets', look), (tx) =>
        tx.rows<{ at: string; sealed: Buffer }>(parts.stale, [others, after, limit]),
      );
      if (rows.length === 0) return { resealed: 0, after: undefined };
      const resealed = await db.write(parts.begin('secrets.reseal', look), async (tx) => {
        let done = 0;
        for (const { at, sealed } of rows) {
          const place = parts.place(at);
          done += await tx.run(parts.replace, [at, sealed, seal.close(seal.open(sealed, place), place)]);
        }
        parts.changed?.(tx);
        return tx.commit(done, {
          target: { type: 'sealed_values', id: table },
          change: { values: done, key: seal.keyIds[0] },
          events: 'none',
        });
      });
      return pageOf(rows, limit, resealed.value);
    },
  };
}
