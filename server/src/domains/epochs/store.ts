import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const beginSql = sql(
  'epoch-begin',
  `insert into installation_epochs (number, backup_id, backup_taken_at, generation_floor)
   select coalesce((select max(e.number) from installation_epochs e), 1) + 1, $1, $2,
     greatest(coalesce((select max(s.generation) from slots s), 0),
       coalesce((select max(e.generation_floor) from installation_epochs e), 0)) + $3
   returning number, generation_floor`,
);
const nodesSql = sql(
  'epoch-nodes',
  `select id from nodes where state not in ('bootstrap_issued', 'deleted') order by id`,
);

export const insertEpoch = async (
  tx: WriteTx,
  backup: { readonly id: string; readonly takenAt: Date },
  skipped: number,
) => (await tx.rows<{ number: number; generation_floor: bigint }>(beginSql, [backup.id, backup.takenAt, skipped]))[0];
export const listKnownNodes = async (tx: ReadTx): Promise<string[]> =>
  (await tx.rows<{ id: string }>(nodesSql)).map(({ id }) => id);
