import { makeIdentities } from '../../domains/identity/index.ts';
import { actsOf } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/log.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import type { LocalIssuer } from './issuer.ts';

/** The people of a local start, named by what they may do. */
export const people = [
  { subject: 'owner', may: 'owns the organization "Demo"' },
  { subject: 'operator', may: 'operates the platform' },
] as const;

export interface Demo {
  readonly logins: readonly { readonly subject: string; readonly may: string; readonly tokenPath: string }[];
}

/** Fills an empty installation, so that the first look finds something. Everything goes through the public API but the operator's role, which only whoever runs the platform can give. */
export async function seedDemo(spec: {
  readonly apiUrl: string;
  readonly databaseUrl: string;
  readonly issuer: LocalIssuer;
  readonly issuerName: string;
}): Promise<Demo> {
  const tokens = new Map<string, { token: string; path: string }>();
  for (const { subject } of people) tokens.set(subject, await spec.issuer.issue(subject));

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
    const correlationId = systemIds.next();
    const operator = await identities.recognise(
      { issuer: spec.issuerName, subject: 'operator', kind: 'user' },
      correlationId,
    );
    if (operator.platformRoles.length === 0) {
      await identities.bindPlatformRole(operator.id, 'platform_superadmin', correlationId);
    }
  } finally {
    await database.close();
  }

  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${spec.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${tokens.get('owner')?.token}`,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': `demo ${path}`.replaceAll(' ', '-') }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The demo data could not be made: ${method} ${path} answered ${text}`);
    return JSON.parse(text) as { id?: string; data?: { id: string }[] };
  };
  const { data: known = [] } = await call('GET', '/api/v1/organizations');
  if (known.length === 0) {
    const organization = await call('POST', '/api/v1/organizations', { name: 'Demo', slug: 'demo' });
    await call('POST', `/api/v1/organizations/${organization.id}/projects`, { name: 'Playground', slug: 'playground' });
  }
  return {
    logins: people.map(({ subject, may }) => ({ subject, may, tokenPath: tokens.get(subject)?.path ?? '' })),
  };
}
