import { findAccountOf, type OwnFactors, type RecordFactorChange } from '../../domains/identity/index.ts';
import type { Database } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { Accounts, FactorTry } from '../../ports/identity-provider/port.ts';

export type FactorsOfAccounts = Omit<OwnFactors, 'issuer'>;
/** The second factors of our own provider, as the domain wants them; nothing where another one keeps them. */
export function ownFactorsOf(settings: {
  readonly issuer: string;
  readonly issuerName?: string;
  readonly factors?: FactorsOfAccounts;
}): OwnFactors | undefined {
  return settings.factors && { ...settings.factors, issuer: settings.issuerName ?? settings.issuer };
}

export const makeHasFactor =
  (parts: { readonly db: Database; readonly ids: Ids; readonly own: OwnFactors }) =>
  async (personId: string): Promise<boolean> => {
    const account = await findAccountOf(parts, personId);
    // For people of another provider only the sign-in itself counts.
    return account === undefined || parts.own.factors.has(account);
  };

/** What happens on the pages of sign-in is written down as what happens in the API is. */
export const makeFactorChanged =
  (record: RecordFactorChange, accounts: Pick<Accounts, 'find'> | undefined) =>
  async (accountId: string, change: Parameters<RecordFactorChange>[1]): Promise<void> => {
    const account = await accounts?.find({ id: accountId });
    if (account) await record({ accountId, login: account.login, email: account.email }, change);
  };

/** Counts attempts of second factors: a caller who guesses codes knows a password already. */
export function countFactorTries(metrics: Pick<Metrics, 'counter'>): (attempt: FactorTry) => void {
  const tries = metrics.counter(
    'gpuaas_second_factor_tries_total',
    'Tries of second factors, by kind of factor and result.',
    ['by', 'result'],
  );
  return ({ by, result }) => tries.inc({ by, result });
}
