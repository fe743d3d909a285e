import type { TaskSigner } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

const listSql = sql(
  'task-signer-list',
  `select id, public_key, sealed_private_key, state, version, published_at, effective_at, retires_at,
     endorsed_by, endorsement, (sum(version) over ())::bigint as sequence from task_signers
   order by published_at desc, id desc limit $1`,
);
const getSql = sql(
  'task-signer-get',
  `select id, public_key, sealed_private_key, state, version, published_at, effective_at, retires_at,
     endorsed_by, endorsement from task_signers where id = $1`,
);
const insertSql = sql(
  'task-signer-insert',
  `insert into task_signers (id, public_key, sealed_private_key, effective_at, endorsed_by, endorsement)
   values ($1, $2, $3, $4, $5, $6)`,
);
const supersedeSql = sql(
  'task-signer-supersede-move',
  `update task_signers set state = 'grace', version = version + 1, retires_at = $1 where state = 'active'`,
);
const activateSql = sql(
  'task-signer-activate-move',
  `update task_signers set state = 'active', version = version + 1, effective_at = act_time() where id = $1`,
);
const dueSql = sql(
  'task-signer-due',
  `select id from task_signers where state = 'staged' and effective_at <= $1 order by published_at desc limit 1
   for update`,
);
const retireDueSql = sql(
  'task-signer-retire-due-move',
  `update task_signers set state = 'retired', version = version + 1
   where id = $1 and state = 'grace' and retires_at <= $2`,
);
const overdueSql = sql(
  'task-signer-overdue',
  `select id from task_signers where state = 'grace' and retires_at <= $1 order by retires_at, id`,
);
const ageingSql = sql(
  'task-signer-ageing',
  `select exists (select from task_signers
     where (state = 'staged' and effective_at <= $1) or (state = 'grace' and retires_at <= $1)) as due`,
);

/** Said when the keys have changed: each process that signs or announces looks again. */
export const signersChannel = 'gpuaas_task_signers';

export const lockSigner = sql('task-signer-lock', 'select state, version from task_signers where id = $1 for update');
export const moveSigner = sql(
  'task-signer-move',
  `update task_signers set state = $2, version = $3,
     retires_at = case when $2 in ('retired', 'revoked') then act_time() else retires_at end
   where id = $1`,
);

export interface SignerRow {
  readonly id: string;
  readonly public_key: string;
  readonly sealed_private_key: Buffer;
  readonly state: TaskSigner['state'];
  readonly version: bigint;
  readonly published_at: Date;
  readonly effective_at: Date;
  readonly retires_at: Date | null;
  readonly endorsed_by: string | null;
  readonly endorsement: string | null;
}

/** With the number of all changes so far: keys are never deleted, and each change raises a version by one. */
export interface ListedSigner extends SignerRow {
  readonly sequence: bigint;
}

export const showSigner = (row: SignerRow): TaskSigner => ({
  id: row.id,
  public_key: row.public_key,
  state: row.state,
  version: Number(row.version),
  published_at: row.published_at.toISOString(),
  effective_at: row.effective_at.toISOString(),
  retires_at: row.retires_at?.toISOString() ?? null,
});

export const listSigners = (tx: ReadTx, limit: number) => tx.rows<ListedSigner>(listSql, [limit]);
export const findSigner = async (tx: ReadTx, id: string) => (await tx.rows<SignerRow>(getSql, [id]))[0];

export interface NewSigner {
  readonly id: string;
  readonly publicKey: string;
  readonly sealed: Buffer;
  /** By the key before it; the first one has nobody. */
  readonly endorsed?: { readonly by: string; readonly signature: string };
}
export const insertSigner = (tx: WriteTx, signer: NewSigner, effectiveAt: Date) =>
  tx.run(insertSql, [
    ...[signer.id, signer.publicKey, signer.sealed, effectiveAt],
    ...[signer.endorsed?.by ?? null, signer.endorsed?.signature ?? null],
  ]);

/** The one that signed goes into its grace, and this one signs. */
export async function succeedSigner(tx: WriteTx, id: string, graceEndsAt: Date): Promise<void> {
  await tx.run(supersedeSql, [graceEndsAt]);
  await tx.run(activateSql, [id]);
}
export const isAgeing = async (tx: ReadTx, now: Date): Promise<boolean> =>
  (await tx.rows<{ due: boolean }>(ageingSql, [now]))[0]?.due ?? false;
export const findDueSigner = async (tx: WriteTx, now: Date) => (await tx.rows<{ id: string }>(dueSql, [now]))[0]?.id;
export const listOverdueSigners = async (tx: ReadTx, now: Date) =>
  (await tx.rows<{ id: string }>(overdueSql, [now])).map(({ id }) => id);
/** Answers how many were retired: one, or none. */
export const retireDueSigner = (tx: WriteTx, id: string, now: Date) => tx.run(retireDueSql, [id, now]);
