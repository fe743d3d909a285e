import type { ReadTx } from '../../../kernel/act.ts';
import { authoritiesSql } from './reconcile-store.ts';

/** The authorities whose certificates the machines of a host let in, as a part of its tasks. Older agents do not know it. */
export async function authoritiesFor(tx: ReadTx, nodeId: string): Promise<{ readonly trusted_authorities?: string[] }> {
  const [row] = await tx.rows<{ authorities: string[] | null }>(authoritiesSql, [nodeId]);
  return row?.authorities ? { trusted_authorities: row.authorities } : {};
}
