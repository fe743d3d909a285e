import type { PlatformRole } from '@gpuaas/contract';
import { type Act, type Database, type ReadTx, sql } from '../../kernel/act.ts';
import { insertBinding } from './store.ts';

const role: PlatformRole = 'platform_superadmin';
const anySql = sql(
  'operator-any',
  'select user_id from platform_role_bindings where role = $1 and deleted_at is null limit 1',
);
/**
 * Two who come at once come one after the other: one of them finds the other. Not LOCK TABLE: PostgreSQL before 17 takes
 * that inside BEGIN and COMMIT only, and a write of ours has neither.
 */
const aloneSql = sql('operator-alone', `select pg_advisory_xact_lock(hashtextextended('gpuaas first operator', 0))`);

/** Whether there is a superadmin already. */
export const hasOperator = async (tx: ReadTx): Promise<boolean> => (await tx.rows(anySql, [role])).length > 0;

/**
 * Makes a person the first superadmin. An installation begins without one, and operators are made by operators, so the
 * first one is made by an administrator with access to the database. A refusal leaves an audit row too.
 */
export async function bindFirstOperator(
  db: Database,
  act: Act,
  personId: string,
  { again }: { readonly again: boolean },
): Promise<'bound' | 'refused'> {
  const { value } = await db.write(act, async (tx) => {
    await tx.run(aloneSql, []);
    const target = { type: 'user', id: personId };
    if (!again && (await hasOperator(tx))) {
      const change = { refused: 'There is an operator already.' };
      return tx.commit('refused' as const, { target, change, result: 'failure', events: 'none' });
    }
    await insertBinding(tx, personId, role, act.actorId);
    return tx.commit('bound' as const, { target, change: { role, again }, events: 'none' });
  });
  return value;
}
