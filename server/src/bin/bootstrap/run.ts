import { parseArgs } from 'node:util';
import { type Static, Type } from 'typebox';
import { bindFirstOperator, hasOperator, makeIdentities } from '../../domains/identity/index.ts';
import { plainLayOut } from '../../edge/oidc/layout.ts';
import { makeIssuerPages } from '../../edge/oidc/pages.ts';
import { actsOf, systemViewer } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { ConfigFault, type Environment, readConfig, Secret } from '../../kernel/process/config.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { requireSchema } from '../../ports/database/open.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openIdentityProvider } from '../../ports/identity-provider/open.ts';
import { withSecrets } from '../../ports/secrets/open.ts';

export const bootstrapConfig = Type.Object({
  databaseUrl: Secret({ description: 'PostgreSQL as gpuaas_api.' }),
  issuerUrl: Type.Optional(Secret({ description: 'PostgreSQL as gpuaas_issuer; needed with --login.' })),
  secretsKey: Type.Optional(Secret({ description: 'The key that seals our own provider; needed with --login.' })),
  publicUrl: Type.Optional(
    Type.String({ pattern: '^https?://', description: 'Where callers reach the api; needed with --login.' }),
  ),
  oidcAudience: Type.String({ default: 'gpuaas', description: 'What tokens must be meant for.' }),
});
type Config = Static<typeof bootstrapConfig>;

const linkMs = 24 * 60 * 60_000;
const usage = `Makes the first operator of an installation, once.

  node server/src/bin/bootstrap/main.ts --login NAME               an account of our own provider; prints a link
  node server/src/bin/bootstrap/main.ts --issuer URL --subject ID  a person of another provider, by iss and sub

  --again   though there is an operator already
`;

type Whom = { readonly login: string } | { readonly issuer: string; readonly subject: string };

/** Answers the exit code. What goes wrong is said in one sentence; nothing is half done. */
export async function runBootstrap(
  args: readonly string[],
  env: Environment,
  to: { readonly say: (text: string) => void; readonly complain: (text: string) => void },
): Promise<0 | 1> {
  try {
    const { whom, again } = readArguments(args);
    const config = readConfig('bootstrap', bootstrapConfig, await withSecrets('bootstrap', env));
    await requireSchema(config.databaseUrl);
    to.say(await bootstrap(config, whom, again));
    return 0;
  } catch (error) {
    to.complain(`${(error as Error).message}\n`);
    return 1;
  }
}

function readArguments(args: readonly string[]): { readonly whom: Whom; readonly again: boolean } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      login: { type: 'string' },
      issuer: { type: 'string' },
      subject: { type: 'string' },
      again: { type: 'boolean', default: false },
    },
  });
  const { login, issuer, subject, again } = values;
  if (login && !issuer && !subject) return { whom: { login }, again };
  if (!login && issuer && subject) return { whom: { issuer, subject }, again };
  throw new Error(usage);
}

async function bootstrap(config: Config, whom: Whom, again: boolean): Promise<string> {
  const parts = { clock: systemClock, ids: systemIds, log: silentLog };
  const database = await openPostgres({ url: config.databaseUrl, ...parts, name: 'bootstrap', poolSize: 2 });
  const db = database.database;
  const begin = actsOf('bootstrap', systemIds);
  const correlationId = systemIds.next();
  const refusal = new Error(
    'There is an operator already, who can make others. Say --again to make one here all the same.',
  );
  try {
    // Looked at first, so that being refused leaves no account behind; what counts is looked at once more below.
    if (!again && (await db.read(systemViewer('bootstrap', { correlationId }), hasOperator))) throw refusal;
    const account = 'login' in whom ? await openAccount(config, whom.login) : undefined;
    try {
      const identities = makeIdentities({ db, begin, ids: systemIds, clock: systemClock });
      const identity = account ?? (whom as { readonly issuer: string; readonly subject: string });
      const { issuer, subject } = identity;
      const person = await identities.recognise(
        { issuer, subject, kind: 'user', ...('login' in whom && { name: whom.login }) },
        correlationId,
      );
      const act = begin('platform_role.bootstrap', { correlationId });
      if ((await bindFirstOperator(db, act, person.id, { again })) === 'refused') throw refusal;
      const done = `${'login' in whom ? whom.login : subject} is an operator of this installation.\n`;
      return account ? `${done}Choose a password within a day, once, at\n  ${await account.link()}\n` : done;
    } finally {
      await account?.close();
    }
  } finally {
    await database.close();
  }
}

/** The account of this name in our own provider, made if it is not there. */
async function openAccount(config: Config, login: string) {
  const { issuerUrl, secretsKey, publicUrl } = config;
  if (!issuerUrl || !secretsKey || !publicUrl) {
    throw new ConfigFault('bootstrap', [
      '--login needs GPUAAS_ISSUER_URL, GPUAAS_SECRETS_KEY and GPUAAS_PUBLIC_URL, as the api has them.',
    ]);
  }
  const provider = await openIdentityProvider(
    {
      kind: 'embedded',
      url: issuerUrl,
      publicUrl,
      audience: config.oidcAudience,
      sealingKey: { text: secretsKey },
    },
    { clock: systemClock, ids: systemIds, pages: makeIssuerPages(plainLayOut) },
  );
  try {
    const account =
      (await provider.accounts.find({ login })) ??
      (await provider.accounts.create({
        login,
        displayName: login,
        ...(login.includes('@') && { email: login }),
      }));
    if ('refused' in account) throw new Error(`${login} is no name for an account: ${account.refused}.`);
    return {
      issuer: provider.name,
      subject: account.id,
      link: () => provider.accounts.makePasswordLink(account.id, linkMs),
      close: provider.close,
    };
  } catch (error) {
    await provider.close();
    throw error;
  }
}
