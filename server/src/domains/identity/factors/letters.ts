import { factorsChanged } from '@gpuaas/contract';
import { type Act, type BeginAct, type Database, systemViewer, type WriteTx } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import { drop, find, findUser, insert } from './letters-store.ts';

/**
 * Emails about changes of second factors, so that a person learns of a change that they did not make. The api knows the
 * address of an account; the email-worker does not, and reads here what it has to write.
 */
export type FactorChange =
  | 'factor_added'
  | 'factor_removed'
  | 'recovery_codes_renewed'
  | 'recovery_code_used'
  | 'factors_reset';

/** Whom a letter goes to. An account without a mail address gets none. */
export interface Addressee {
  readonly accountId: string;
  readonly login: string;
  readonly email: string | undefined;
}

/** Hands a letter to the process that sends it, as part of the change. Answers the events to commit. */
export async function addSecurityLetter(tx: WriteTx, ids: Ids, to: Addressee, change: FactorChange) {
  if (!to.email) return 'none' as const;
  const id = ids.next();
  await tx.run(insert, [id, to.accountId, to.login, to.email, change]);
  const [user] = await tx.rows<{ id: string }>(findUser, [to.accountId]);
  return [factorsChanged.of(to.accountId, { letter_id: id, change, ...(user && { user_id: user.id }) })];
}

const actionOf: Readonly<Record<FactorChange, string>> = {
  factor_added: 'factor.add',
  factor_removed: 'factor.remove',
  recovery_codes_renewed: 'factor.renew_codes',
  recovery_code_used: 'factor.use_code',
  factors_reset: 'user.factors_reset',
};

/** Records a change that was made outside of the API: on a sign-in page, or by an administrator on the command line. */
export type RecordFactorChange = (to: Addressee, change: FactorChange, details?: object) => Promise<void>;
export const makeRecordFactorChange =
  (parts: {
    readonly db: Database;
    readonly begin: BeginAct;
    readonly ids: Ids;
    /** Ends the sign-ins of the account in the same transaction. Answers how many sessions there were. */
    readonly endSignIns?: (tx: WriteTx, by: Act, accountId: string) => Promise<number>;
  }): RecordFactorChange =>
  async (to, change, details) => {
    const act = parts.begin(actionOf[change], { correlationId: parts.ids.next() });
    await parts.db.write(act, async (tx) => {
      const events = await addSecurityLetter(tx, parts.ids, to, change);
      const target = { type: 'account', id: to.accountId };
      const sessions = await parts.endSignIns?.(tx, act, to.accountId);
      const ended = sessions === undefined ? undefined : { ended: { sessions } };
      return tx.commit(undefined, { target, events, ...((details || ended) && { change: { ...details, ...ended } }) });
    });
  };

export interface SecurityLetter {
  readonly login: string;
  readonly email: string;
  readonly change: FactorChange;
  readonly at: Date;
}
export type FindSecurityLetter = (id: string, correlationId: string) => Promise<SecurityLetter | undefined>;
/** The letter, for the process that sends it. */
export const makeFindSecurityLetter =
  (parts: { readonly db: Database }): FindSecurityLetter =>
  async (id, correlationId) => {
    const [row] = await parts.db.read(systemViewer('identity', { correlationId }), (tx) =>
      tx.rows<Omit<SecurityLetter, 'at'> & { created_at: Date }>(find, [id]),
    );
    return row && { login: row.login, email: row.email, change: row.change, at: row.created_at };
  };

/** Forgets the address once the letter has left, or will never leave. */
export const dropSecurityLetter = (tx: WriteTx, id: string) => tx.run(drop, [id]);
