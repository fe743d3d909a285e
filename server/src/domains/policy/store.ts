import type { PolicyLevel, PolicySetting, PolicyValue } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const allSettings = sql(
  'policy-settings',
  `select id, key, level, subject_id, value, hard, reason, updated_at from policy_values order by key, level, subject_id`,
);
const plans = sql('policy-plans', `select id, plan from organizations where plan <> 'standard' and mine(id)`);
const upsert = sql(
  'policy-set',
  `insert into policy_values (id, key, level, subject_id, value, hard, reason) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (key, level, subject_id) do update
     set value = excluded.value, hard = excluded.hard, reason = excluded.reason, updated_at = excluded.updated_at
   returning id, key, level, subject_id, value, hard, reason, updated_at`,
);
const remove = sql(
  'policy-unset',
  `delete from policy_values where key = $1 and level = $2 and subject_id = $3
   returning id, key, level, subject_id, value, hard, reason, updated_at`,
);

interface Row {
  readonly id: string;
  readonly key: string;
  readonly level: PolicyLevel;
  readonly subject_id: string;
  readonly value: PolicyValue;
  readonly hard: boolean;
  readonly reason: string;
  readonly updated_at: Date;
}

export const showSetting = (row: Row): PolicySetting => ({
  ...row,
  subject_id: row.subject_id === '' ? null : row.subject_id,
  updated_at: row.updated_at.toISOString(),
});

export const listSettings = (tx: ReadTx) => tx.rows<Row>(allSettings);
export const listPlans = (tx: ReadTx) => tx.rows<{ id: string; plan: string }>(plans);

export const upsertSetting = async (
  tx: WriteTx,
  row: Pick<Row, 'id' | 'key' | 'level' | 'subject_id' | 'value' | 'hard' | 'reason'>,
): Promise<Row | undefined> =>
  (
    await tx.rows<Row>(upsert, [
      row.id,
      row.key,
      row.level,
      row.subject_id,
      JSON.stringify(row.value),
      row.hard,
      row.reason,
    ])
  )[0];
export const removeSetting = async (tx: WriteTx, key: string, level: PolicyLevel, subjectId: string) =>
  (await tx.rows<Row>(remove, [key, level, subjectId]))[0];
