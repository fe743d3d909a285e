import { type ReadTx, sql } from '../../../kernel/act.ts';
import type { Payer } from './focus.ts';

const payerSql = sql(
  'export-payer',
  `select o.id as "organizationId", o.name as organization from organizations o
   where o.id = $1 and o.deleted_at is null and mine(o.id)`,
);
export const findPayer = async (tx: ReadTx, organizationId: string): Promise<Payer | undefined> =>
  (await tx.rows<Payer>(payerSql, [organizationId]))[0];
