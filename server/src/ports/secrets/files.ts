import { constants, open } from 'node:fs/promises';
import type { Environment } from '../../kernel/process/config.ts';
import { maxSecretBytes, type Secrets, SecretsFault, secretName, trimmed } from './port.ts';

const suffix = '_FILE';
const forOthers = 0o077;

/** Files that variables name: `GPUAAS_SECRETS_KEY_FILE=/run/secrets/keyring` stands for `GPUAAS_SECRETS_KEY`. */
export const fileSecrets = (env: Environment): Secrets => ({
  name: 'files',
  async read() {
    const found: Record<string, string> = {};
    for (const [variable, path] of Object.entries(env)) {
      if (!variable.endsWith(suffix) || !secretName.test(variable) || !path) continue;
      found[variable.slice(0, -suffix.length)] = await readSecretFile(path, variable);
    }
    return found;
  },
});

/** The contents of a file that its owner alone can read. What is looked at and what is read is the same open file. */
export async function readSecretFile(path: string, variable: string): Promise<string> {
  const refuse = (why: string) => new SecretsFault(`${variable} names ${path}, which ${why}.`);
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw refuse(`cannot be read (${error.code ?? 'unknown'})`);
  });
  try {
    const { mode, size, uid } = await file.stat();
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw refuse('is not a file');
    if ((mode & forOthers) !== 0) {
      throw refuse('can be read by others: run "chmod 600" on it, and treat what it holds as known');
    }
    const own = process.getuid?.();
    if (own !== undefined && own !== 0 && uid !== own && uid !== 0) throw refuse('belongs to another user');
    if (size > maxSecretBytes) throw refuse(`is larger than ${maxSecretBytes} bytes`);
    const text = trimmed(await file.readFile('utf8'));
    if (text === '') throw refuse('is empty');
    return text;
  } finally {
    await file.close();
  }
}
