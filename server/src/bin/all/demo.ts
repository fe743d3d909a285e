import { makeIdentities } from '../../domains/identity/index.ts';
import { actsOf } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { type LocalAccounts, type Login, people } from './accounts.ts';
import { makeCaller } from './caller.ts';

/**
 * Fills an empty installation with demo data. Everything goes through the public API except the roles of operators,
 * which only an administrator of the platform can give.
 */
export async function seedDemo(spec: {
  readonly apiUrl: string;
  readonly databaseUrl: string;
  readonly accounts: LocalAccounts;
  /** The registry of this start, which images of verified apps may come from. */
  readonly registry: string;
}): Promise<void> {
  const as = async (login: Login) => {
    const token = await spec.accounts.tokenFor(login);
    return makeCaller(spec.apiUrl, async () => token);
  };
  const owner = await as('owner');
  const slug = 'demo';
  const mine = (await owner('GET', '/api/v1/me')) as { organizations: { id: string; slug: string }[] };
  let organizationId = mine.organizations.find((each) => each.slug === slug)?.id;
  if (!organizationId) {
    const made = (await owner('POST', '/api/v1/organizations', { name: 'Demo', slug })) as { id: string };
    organizationId = made.id;
    await owner('POST', `/api/v1/organizations/${organizationId}/projects`, { name: 'Playground', slug: 'playground' });
  }
  await Promise.all(
    people.map(async (person) => {
      if (!('role' in person) || person.role === 'owner') return;
      const guest = await as(person.login);
      const known = (await guest('GET', '/api/v1/me')) as typeof mine;
      if (known.organizations.some(({ id }) => id === organizationId)) return;
      // An address of its own each time: an invitation that a killed start left behind must not be in the way.
      const email = `${person.login}-${systemIds
        .secret(6)
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, '0')}@demo.example`;
      const invitation = (await owner('POST', `/api/v1/organizations/${organizationId}/invitations`, {
        email,
        role: person.role,
      })) as { token: string };
      await guest('POST', '/api/v1/invitations/accept', { token: invitation.token });
    }),
  );
  await bindPlatformRoles(spec);
  await Promise.all(
    people.map(async ({ login, name }) => {
      const person = await as(login);
      const known = (await person('GET', '/api/v1/me')) as { display_name: string | null };
      if (known.display_name === null) await person('PATCH', '/api/v1/me', { display_name: name });
    }),
  );
  const operator = await as('operator');
  await operator('POST', '/api/v1/admin/catalog/defaults', { reason: 'a local start begins with something to sell' });
  await giveCredit(operator, organizationId);
  await priceStorage(operator);
  const sources = (await operator('GET', '/api/v1/admin/app-sources')) as { data: { registry: string }[] };
  if (sources.data.some(({ registry }) => registry === spec.registry)) return;
  await operator('POST', '/api/v1/admin/app-sources', { registry: spec.registry });
}

/** Money to try things with, once. The operator gives it: what one person may give in a day is left to finance. */
async function giveCredit(operator: ReturnType<typeof makeCaller>, organizationId: string): Promise<void> {
  const accounts = (await operator('GET', `/api/v1/admin/billing/accounts?q=${organizationId}`)) as {
    data: { entries: number; balance: { currency: string } }[];
  };
  const [account] = accounts.data;
  if (!account || account.entries > 0) return;
  await operator('POST', `/api/v1/admin/billing/accounts/${organizationId}/grants`, {
    amount_minor: '100000',
    currency: account.balance.currency,
    reason: 'credit to try everything with',
  });
}

/** Stored files cost 0.00003 USD for a GiB and hour, about 0.02 USD a month, until finance sets another price. */
async function priceStorage(operator: ReturnType<typeof makeCaller>): Promise<void> {
  const path = '/api/v1/admin/billing/storage-prices';
  const prices = (await operator('GET', path)) as { data: unknown[] };
  if (prices.data.length > 0) return;
  const price = { currency: 'USD', rate_micro: '3000' };
  await operator('POST', path, { ...price, reason: 'a local start begins with something to charge' });
}

async function bindPlatformRoles(spec: Parameters<typeof seedDemo>[0]): Promise<void> {
  const database = await openPostgres({
    url: spec.databaseUrl,
    clock: systemClock,
    ids: systemIds,
    log: silentLog,
    name: 'demo',
    poolSize: 2,
  });
  try {
    const identities = makeIdentities({
      db: database.database,
      begin: actsOf('start', systemIds),
      ids: systemIds,
      clock: systemClock,
    });
    for (const person of people) {
      if (!('platformRole' in person)) continue;
      const correlationId = systemIds.next();
      const identity = { issuer: spec.accounts.issuer, subject: spec.accounts.subjectOf(person.login) };
      const { id, platformRoles } = await identities.recognise({ ...identity, kind: 'user' }, correlationId);
      if (platformRoles.length === 0) await identities.bindPlatformRole(id, person.platformRole, correlationId);
    }
  } finally {
    await database.close();
  }
}
