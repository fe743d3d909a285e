import { describe, expect, it } from 'vitest';
import { secretsConformance } from './conformance.ts';
import { environmentSecrets } from './environment.ts';

secretsConformance('environment', async () => {
  const env: Record<string, string> = { PATH: '/bin', HOME: '/root' };
  return {
    async keep(name, value) {
      env[name] = value;
    },
    open: () => environmentSecrets(env),
    close: async () => undefined,
  };
});

describe('the environment', () => {
  it('gives our own variables and no others', async () => {
    const env = { PATH: '/bin', GPUAAS_PORT: '1', GPUAAS_EMPTY: '', GPUAAS_SECRETS_KEY_FILE: '/x', OTHER_TOKEN: 'x' };
    expect(await environmentSecrets(env).read()).toEqual({ GPUAAS_PORT: '1' });
  });
});
