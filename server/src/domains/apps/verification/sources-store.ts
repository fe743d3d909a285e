import type { AppSource } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

export interface SourceRow {
  readonly id: string;
  readonly registry: string;
  readonly repository: string;
  readonly created_at: Date;
}
const insert = sql(
  'app-source-insert',
  'insert into app_sources (id, registry, repository) values ($1, $2, $3) on conflict (registry, repository) do nothing',
);
const find = sql('app-source-find', 'select id, registry, repository, created_at from app_sources where id = $1');
const list = sql(
  'app-source-list',
  `select id, registry, repository, created_at from app_sources
   where $1::uuid is null or id < $1 order by id desc limit $2`,
);
const ofRegistry = sql(
  'app-source-of-registry',
  'select id, registry, repository, created_at from app_sources where registry = $1',
);
const remove = sql('app-source-delete', 'delete from app_sources where id = $1');

/** False when it is there already. */
export const insertSource = async (tx: WriteTx, one: Omit<SourceRow, 'created_at'>): Promise<boolean> =>
  (await tx.run(insert, [one.id, one.registry, one.repository])) > 0;
export const findSource = async (tx: ReadTx, id: string): Promise<SourceRow | undefined> =>
  (await tx.rows<SourceRow>(find, [id]))[0];
export const listSources = (tx: ReadTx, after: string | undefined, limit: number) =>
  tx.rows<SourceRow>(list, [after ?? null, limit]);
export const listSourcesOf = (tx: ReadTx, registry: string) => tx.rows<SourceRow>(ofRegistry, [registry]);
export const deleteSource = (tx: WriteTx, id: string) => tx.run(remove, [id]);
export const showSource = (row: SourceRow): AppSource => ({ ...row, created_at: row.created_at.toISOString() });
