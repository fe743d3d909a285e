import type { PolicyLevel, PolicySetting, PolicyValue } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const allSettings = sql(
  'policy-settings',
  `select id, key, level, subject_id, value, hard, reason, updated_at from policy_values order by key, level, subject_id`,
);
const plans = sql('policy-plans', `select id, plan from organizations where plan <> 'standard' and mine(id)`);
/** With an expected value ($8, $9) it writes only where that value stands, or none does if none is expected. */
const upsert = sql(
  'policy-set',
  `insert into policy_values as v (id, key, level, subject_id, value, hard, reason)
   select $1::uuid, $2::text, $3::text, $4::text, $5::jsonb, $6::boolean, $7::text
   where not $8::boolean or $9::jsonb is null
     or exists (select from policy_values e where e.key = $2 and e.level = $3 and e.subject_id = $4)
   on conflict (key, level, subject_id) do update
     set value = excluded.value, hard = excluded.hard, reason = excluded.reason, updated_at = excluded.updated_at
     where not $8::boolean or v.value = $9::jsonb
   returning v.id, v.key, v.level, v.subject_id, v.value, v.hard, v.reason, v.updated_at`,
);
const one = sql(
  'policy-setting',
  `select id, key, level, subject_id, value, hard, reason, updated_at from policy_values
   where key = $1 and level = $2 and subject_id = $3`,
);
const lastChanger = sql(
  'policy-last-changer',
  `select coalesce(n.display_name, i.username) as name from audit_logs l
   join user_posix_identities i on i.user_id::text = l.actor_id
   left join user_names n on n.user_id = i.user_id
   where l.target_id = $1 and l.target_type = 'policy' and l.result = 'success'
     and (l.organization_id is null or mine(l.organization_id))
     and l.change ->> 'level' = $2 and l.change ->> 'subject_id' = $3
   order by l.id desc limit 1`,
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

type Place = Pick<Row, 'key' | 'level' | 'subject_id'>;

/** Undefined where another value than the expected one stands. */
export const upsertSetting = async (
  tx: WriteTx,
  row: Place & Pick<Row, 'id' | 'value' | 'hard' | 'reason'>,
  expected: PolicyValue | null | undefined,
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
      expected !== undefined,
      expected === undefined || expected === null ? null : JSON.stringify(expected),
    ])
  )[0];
export const findSetting = async (tx: ReadTx, { key, level, subject_id }: Place): Promise<Row | undefined> =>
  (await tx.rows<Row>(one, [key, level, subject_id]))[0];
/** Who set or removed a value last; undefined where the log does not name a person. */
export const findLastChanger = async (tx: ReadTx, { key, level, subject_id }: Place): Promise<string | undefined> =>
  (await tx.rows<{ name: string }>(lastChanger, [key, level, subject_id]))[0]?.name;
export const removeSetting = async (tx: WriteTx, key: string, level: PolicyLevel, subjectId: string) =>
  (await tx.rows<Row>(remove, [key, level, subjectId]))[0];
