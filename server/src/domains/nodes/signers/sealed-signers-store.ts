import { type BeginAct, type Database, sql } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { sealedRows } from '../../../kernel/secrets/sealed-rows.ts';
import type { SealedValues } from '../../../kernel/secrets/sealed-values.ts';
import { signersPlace } from './signer-keys.ts';
import { signersChannel } from './signers-store.ts';

const count = sql(
  'task-signer-sealed-count',
  `select sealed_key_id(sealed_private_key) as key_id, count(*) as values from task_signers group by 1 order by 1`,
);
const stale = sql(
  'task-signer-sealed-stale',
  `select id::text as at, sealed_private_key as sealed from task_signers
   where sealed_key_id(sealed_private_key) = any ($1::text[]) and id::text > $2 order by id::text limit $3`,
);
const replace = sql(
  'task-signer-sealed-replace',
  `update task_signers set sealed_private_key = $3, version = version + 1 where id = $1 and sealed_private_key = $2`,
);

/** The private halves of the keys that sign tasks. */
export const sealedSigners = (parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly seal: Seal;
}): SealedValues =>
  sealedRows({
    ...parts,
    ...{ purpose: 'task-signers', table: 'task_signers', place: signersPlace, count, stale, replace },
    changed: (tx) => tx.wake(signersChannel, 'resealed'),
  });
