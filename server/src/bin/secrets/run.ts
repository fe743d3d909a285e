import { Type } from 'typebox';
import { type Environment, readConfig, Secret } from '../../kernel/config.ts';
import { isPurpose, makeKey, openKeyring, purposes } from '../../kernel/secrets/keyring.ts';

export const secretsConfig = Type.Object({
  secretsKey: Secret({ description: 'The whole keyring, as the api has it; needed with only.' }),
});

const usage = `Makes sealing keys and cuts them, for GPUAAS_SECRETS_KEY.

  node server/src/bin/secrets/main.ts new ID            prints a new key, such as k2
  node server/src/bin/secrets/main.ts only PURPOSE...   prints what a process needs of the keyring in GPUAAS_SECRETS_KEY

Purposes: ${purposes.join(', ')}.
`;

/** Answers the exit code. Keys go to standard output and nowhere else. */
export function runSecrets(
  args: readonly string[],
  env: Environment,
  to: { readonly say: (text: string) => void; readonly complain: (text: string) => void },
): 0 | 1 {
  try {
    to.say(`${answer(args, env)}\n`);
    return 0;
  } catch (error) {
    to.complain(`${(error as Error).message}\n`);
    return 1;
  }
}

function answer([command, ...words]: readonly string[], env: Environment): string {
  const [id] = words;
  if (command === 'new' && id !== undefined && words.length === 1) return makeKey(id);
  const wanted = words.filter(isPurpose);
  if (command !== 'only' || words.length === 0 || wanted.length < words.length) throw new Error(usage);
  const { secretsKey } = readConfig('secrets', secretsConfig, env);
  const keyring = openKeyring(secretsKey, 'GPUAAS_SECRETS_KEY');
  // A keyring that was cut before may lack one of them, and must not be cut to nothing in silence.
  for (const purpose of wanted) keyring.seal(purpose);
  return keyring.only(...wanted);
}
