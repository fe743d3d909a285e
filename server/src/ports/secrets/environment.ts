import type { Environment } from '../../kernel/process/config.ts';
import { type Secrets, secretName, trimmed } from './port.ts';

/** The environment of the process itself. */
export const environmentSecrets = (env: Environment): Secrets => ({
  name: 'the environment',
  async read() {
    const given = Object.entries(env).filter((entry): entry is [string, string] => {
      const [name, value] = entry;
      return secretName.test(name) && !name.endsWith('_FILE') && value !== undefined && value !== '';
    });
    return Object.fromEntries(given.map(([name, value]) => [name, trimmed(value)]));
  },
});
