import { routes } from '@gpuaas/contract';
import { openAllocations } from '../../domains/allocations/index.ts';
import { listRunningVersion, makeAppInstances } from '../../domains/app-instances/index.ts';
import { makeApps } from '../../domains/apps/index.ts';
import { makeLaunchMoney, makeStorageMoney, readCharged } from '../../domains/billing/index.ts';
import { makeInventory } from '../../domains/inventory/index.ts';
import { makeTasks } from '../../domains/nodes/index.ts';
import { openPolicies } from '../../domains/policy/index.ts';
import { openServiceAccounts } from '../../domains/service-accounts/index.ts';
import { makeFileStorage, makeTransfers } from '../../domains/storage/index.ts';
import { openTenancy, secretOfInvitations } from '../../domains/tenancy/index.ts';
import { makeTerminals, openPlatformKeys } from '../../domains/terminal/index.ts';
import { tokenPath } from '../../edge/oauth/token-endpoint.ts';
import { actsOf } from '../../kernel/act.ts';
import { makeHasFactor, ownFactorsOf } from './factors.ts';
import { openIdentities } from './identities.ts';
import { openSigners } from './nodes.ts';
import type { ApiParts, ApiSettings } from './settings.ts';

export type ApiDomains = Awaited<ReturnType<typeof openDomains>>;

/**
 * Opens the domains that keep something in memory or that others ask: policies first, because everybody asks them.
 * A domain that has only routes needs no line here; see routes/.
 */
export async function openDomains(parts: ApiParts, settings: ApiSettings) {
  const { database, cache, clock, ids, log, metrics, objects, scope, storage } = parts;
  const db = database.database;
  const { region, keyring } = settings;
  const ownFactors = ownFactorsOf(settings);
  const policies = scope.keep(
    'policies',
    await openPolicies({
      ...{ ...database, db, ids, clock, log },
      overrides: settings.policies ?? {},
      hasFactor: ownFactors && makeHasFactor({ db, ids, own: ownFactors }),
    }),
  );
  const identities = openIdentities(parts, settings, policies);
  const letters = keyring?.find('letters');
  const offered = routes.filter(({ only }) => only !== 'simulator' || settings.simulator !== undefined);
  const tenancy = scope.keep(
    'tenancy',
    await openTenancy({
      ...{ ...database, db, ids, clock, region, policies, offered },
      invitationSecret: letters && secretOfInvitations(letters),
    }),
  );
  const serviceAccounts = scope.keep(
    'service-accounts',
    await openServiceAccounts({
      ...{ ...database, db, ids, clock, region, tokenPath },
      begin: actsOf('service-accounts', ids),
      seal: keyring?.find('service-accounts'),
      publicUrl: settings.publicUrl,
      audience: settings.audience,
      keyMaxDays: (who) => policies.number('auth.service_account_key_max_days', who),
      tokenSeconds: (organizationId) => policies.number('auth.service_account_token_seconds', { organizationId }),
      flush: identities.flush,
    }),
  );
  const taskSigners = await openSigners(parts, { seal: keyring?.find('task-signers'), policies });
  const tasks = makeTasks({ ids, clock, signer: taskSigners });
  const gateway = settings.terminalGateway;
  const allocations = scope.keep(
    'allocations',
    await openAllocations({
      ...{ db, ids, clock, log, region, policies, listen: database.listen, tasks, readCharged },
      money: makeLaunchMoney({ policies, ids }),
      hasTerminals: gateway !== undefined,
    }),
  );
  const sshSeal = keyring?.find('ssh');
  const platformKeys =
    gateway && sshSeal
      ? await openPlatformKeys({ db, ids, begin: actsOf('terminal', ids), seal: sshSeal }, [
          ...(settings.jumpHost ? (['jump_host'] as const) : []),
          'user_authority',
        ])
      : undefined;
  const transfers = makeTransfers({
    ...{ storage, clock, seal: keyring?.find('storage'), publicUrl: settings.publicUrl },
  });
  const jump = platformKeys && settings.jumpHost;
  return {
    ...{ policies, identities, letters, offered, tenancy, serviceAccounts, taskSigners, tasks, allocations },
    apps: makeApps({
      ...{ db, ids, clock, region, policy: policies.number, affectedBy: listRunningVersion },
      ownRegistry: settings.ownRegistry,
    }),
    appInstances: makeAppInstances({
      ...{ db, ids, clock, policies, tasks, cache, capacity: allocations.door, place: appsPlaceOf(settings) },
    }),
    transfers,
    fileStorage: makeFileStorage({
      ...{ db, ids, clock, log, metrics, policies, storage, transfers, begin: actsOf('storage', ids) },
      publicUrl: settings.publicUrl,
      money: makeStorageMoney({ policies }),
    }),
    inventory: makeInventory({ db, ids, clock, region }),
    terminals: makeTerminals({ db, ids, clock, policies, cache, metrics, gateway, jump, platformKeys, objects }),
  };
}

/** Where apps are, and where the people sign in who use them. */
export const appsPlaceOf = ({ appsUrl, publicUrl }: Pick<ApiSettings, 'appsUrl' | 'publicUrl'>) =>
  appsUrl === undefined ? undefined : { url: appsUrl, consoleUrl: publicUrl };
