import { Type } from 'typebox';
import { type Environment, readConfig, Secret } from '../../kernel/process/config.ts';
import { isPurpose, makeKey, openKeyring, purposes } from '../../kernel/secrets/keyring.ts';
import { withSecrets } from '../../ports/secrets/open.ts';
import { resealStored, showStatus, storedConfig } from './stored.ts';

export const secretsConfig = Type.Object({
  secretsKey: Secret({ description: 'The whole keyring, as the api has it; needed with every command but new.' }),
  databaseUrl: Type.Optional(Secret({ description: 'PostgreSQL as gpuaas_api; needed with status and reseal.' })),
  issuerUrl: Type.Optional(Secret({ description: 'PostgreSQL as gpuaas_issuer, with our own OpenID provider.' })),
  authorityUrl: Type.Optional(
    Secret({ description: 'PostgreSQL as gpuaas_authority, with our own certificate authority.' }),
  ),
});
const keyringConfig = Type.Object({ secretsKey: secretsConfig.properties.secretsKey });

const usage = `Makes, replaces and cuts sealing keys, for GPUAAS_SECRETS_KEY.

  node server/src/bin/secrets/main.ts new ID            prints a new key, such as k1, for a new installation
  node server/src/bin/secrets/main.ts only PURPOSE...   prints what a process needs of the keyring in GPUAAS_SECRETS_KEY

To replace a key (docs/guides/rotate-the-secrets-key.md); each prints the new value of GPUAAS_SECRETS_KEY:

  node server/src/bin/secrets/main.ts add ID            with a new key that all processes know and none seals with
  node server/src/bin/secrets/main.ts promote ID        with that key in front: it seals from then on
  node server/src/bin/secrets/main.ts drop ID           without a key that sealed nothing any more

And with the environment of the api, while the installation runs:

  node server/src/bin/secrets/main.ts reseal            seals anew what other keys sealed; may be ended and run again
  node server/src/bin/secrets/main.ts status            counts what each key sealed

Purposes: ${purposes.join(', ')}.
`;

/** Answers the exit code. Keys go to standard output and nowhere else. */
export async function runSecrets(
  args: readonly string[],
  env: Environment,
  to: { readonly say: (text: string) => void; readonly complain: (text: string) => void },
): Promise<0 | 1> {
  try {
    to.say(`${await answer(args, await withSecrets('secrets', env))}\n`);
    return 0;
  } catch (error) {
    to.complain(`${(error as Error).message}\n`);
    return 1;
  }
}

async function answer([command = '', ...words]: readonly string[], env: Environment): Promise<string> {
  const stored = { status: showStatus, reseal: resealStored };
  if (isKeyOf(stored, command) && words.length === 0) return stored[command](readConfig('secrets', storedConfig, env));
  const [id] = words;
  if (command === 'new' && id !== undefined && words.length === 1) return makeKey(id);
  const changes = { add: 'add', promote: 'promote', drop: 'drop' } as const;
  if (isKeyOf(changes, command) && id !== undefined && words.length === 1) return keyringOf(env)[changes[command]](id);
  const wanted = words.filter(isPurpose);
  if (command !== 'only' || words.length === 0 || wanted.length < words.length) throw new Error(usage);
  const keyring = keyringOf(env);
  // A keyring that was cut before may lack one of them, and must not be cut to nothing in silence.
  for (const purpose of wanted) keyring.seal(purpose);
  return keyring.only(...wanted);
}

const keyringOf = (env: Environment) =>
  openKeyring(readConfig('secrets', keyringConfig, env).secretsKey, 'GPUAAS_SECRETS_KEY');
const isKeyOf = <T extends object>(of: T, key: string): key is keyof T & string => Object.hasOwn(of, key);
