import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

/** The name of a row, for its seal: the first key of a kind has the name of the kind. */
const at = `case when number = 1 then kind else kind || ' ' || number end`;

const list = sql(
  'ssh-platform-keys',
  `select kind, number, public_key, created_at, used_from, retired_at from ssh_platform_keys order by kind, number`,
);
/** Of one kind: the announced one, the current one, and those that were retired less than $2 seconds ago. */
const living = sql(
  'ssh-platform-keys-living',
  `select kind, number, public_key, created_at, used_from, retired_at from ssh_platform_keys
   where kind = $1 and (retired_at is null or retired_at > act_time() - $2::integer * interval '1 second')
   order by number`,
);
const secret = sql(
  'ssh-platform-key-secret',
  `select number, public_key, sealed_private_key from ssh_platform_keys
   where kind = $1 and used_from is not null and retired_at is null`,
);
const insert = sql(
  'ssh-platform-key-insert',
  `insert into ssh_platform_keys (kind, number, public_key, sealed_private_key, used_from)
   values ($1, $2, $3, $4, case when $5::boolean then act_time() end) on conflict do nothing
   returning kind, number, public_key, created_at, used_from, retired_at`,
);
const hold = sql(
  'ssh-platform-keys-hold',
  `select pg_advisory_xact_lock(hashtextextended('ssh-platform-keys ' || $1::text, 0))`,
);
const retire = sql(
  'ssh-platform-key-retire',
  `update ssh_platform_keys set retired_at = act_time() where kind = $1 and used_from is not null and retired_at is null`,
);
const use = sql(
  'ssh-platform-key-use',
  `update ssh_platform_keys set used_from = act_time() where kind = $1 and used_from is null
   returning kind, number, public_key, created_at, used_from, retired_at`,
);
export const sealedCount = sql(
  'ssh-platform-key-sealed-count',
  `select sealed_key_id(sealed_private_key) as key_id, count(*) as values from ssh_platform_keys group by 1 order by 1`,
);
export const sealedStale = sql(
  'ssh-platform-key-sealed-stale',
  `select ${at} as at, sealed_private_key as sealed from ssh_platform_keys
   where sealed_key_id(sealed_private_key) = any ($1::text[]) and ${at} > $2 order by 1 limit $3`,
);
export const sealedReplace = sql(
  'ssh-platform-key-sealed-replace',
  `update ssh_platform_keys set sealed_private_key = $3 where ${at} = $1 and sealed_private_key = $2`,
);

export interface PlatformKeyRow {
  readonly kind: string;
  readonly number: number;
  readonly public_key: string;
  readonly created_at: Date;
  readonly used_from: Date | null;
  readonly retired_at: Date | null;
}
export const listPlatformKeys = (tx: ReadTx) => tx.rows<PlatformKeyRow>(list);
export const listLivingKeys = (tx: ReadTx, kind: string, retiredSeconds: number) =>
  tx.rows<PlatformKeyRow>(living, [kind, retiredSeconds]);
export const findSecret = async (tx: ReadTx, kind: string) =>
  (await tx.rows<{ number: number; public_key: string; sealed_private_key: Buffer }>(secret, [kind]))[0];
/** Nobody else changes the keys of this kind until the act ends. */
export const holdKind = (tx: WriteTx, kind: string) => tx.rows(hold, [kind]);
/** A key that is there stays. */
export const insertPlatformKey = async (
  tx: WriteTx,
  one: { readonly kind: string; readonly number: number; readonly publicKey: string; readonly sealed: Buffer },
  isUsedNow: boolean,
) => (await tx.rows<PlatformKeyRow>(insert, [one.kind, one.number, one.publicKey, one.sealed, isUsedNow]))[0];
/** The announced key is the current one afterwards. */
export async function switchKeys(tx: WriteTx, kind: string): Promise<PlatformKeyRow | undefined> {
  await tx.run(retire, [kind]);
  return (await tx.rows<PlatformKeyRow>(use, [kind]))[0];
}
