import { denialsChannel, openCredentials } from '../../domains/identity/index.ts';
import type { Policies } from '../../domains/policy/index.ts';
import { foundPersonalOrganization } from '../../domains/tenancy/index.ts';
import { sessionSubject } from '../../edge/http/admission/deny-list.ts';
import { actsOf } from '../../kernel/act.ts';
import type { Accounts } from '../../ports/identity-provider/port.ts';
import { beginFor } from './begin-for.ts';
import { ownFactorsOf } from './factors.ts';
import type { ApiParts, ApiSettings } from './settings.ts';

/** Opens what the api knows of people: credentials, sign-ins, tokens and second factors. */
export function openIdentities(parts: ApiParts, settings: ApiSettings, policies: Policies) {
  const { database, clock, ids, log, scope } = parts;
  const { accounts } = settings;
  return scope.keep(
    'credentials',
    openCredentials({
      db: database.database,
      begin: actsOf('identity', ids),
      ids,
      clock,
      log,
      unaudited: database.unaudited,
      sessionSubject,
      sessionMaxHours: () => policies.number('auth.session_max_hours'),
      personalTokenMaxDays: (who) => policies.number('auth.personal_token_max_days', who),
      announce: () => database.notify(denialsChannel),
      accounts: accounts && {
        ...accounts,
        issuer: settings.issuerName ?? settings.issuer,
        mailsOf: mailsOf(accounts),
        signInsEndedAt: signInsEndedAt(accounts),
      },
      factors: ownFactorsOf(settings),
      isFactorRequired: (who) => policies.value('auth.step_up_mfa_required', who),
      beginFor: beginFor(ids),
      welcome: async (tx, personId) =>
        policies.value('auth.personal_organizations_enabled')
          ? foundPersonalOrganization(tx, personId, ids.next())
          : undefined,
    }),
  );
}

const signInsEndedAt = (accounts: Accounts) => async (id: string) => (await accounts.find({ id }))?.signInsEndedAt;

/** Addresses that an account of our own provider is known by: its mail, and its login where that is one. */
const mailsOf = (accounts: Accounts) => async (id: string) => {
  const account = await accounts.find({ id });
  return [account?.email, account?.login].flatMap((mail) => (mail?.includes('@') ? [mail.toLowerCase()] : []));
};
