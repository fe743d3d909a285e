import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { ConfigFault, readConfig, Secret, variable } from './config.ts';

const schema = Type.Object({
  databaseUrl: Secret({ pattern: '^postgres://', description: 'Where the record is.' }),
  port: Type.Integer({ default: 8443, minimum: 0, maximum: 65_535, description: 'The port.' }),
  verbose: Type.Boolean({ default: false }),
  region: Type.Optional(Type.String({ pattern: '^[a-z]+$' })),
  name: Type.String(),
});
const read = (env: Record<string, string>) => readConfig('a-process', schema, env);
const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigFault) return error.faults;
    throw error;
  }
  return [];
};

describe('configuration', () => {
  it('is read from the environment, as the types that were declared', () => {
    expect(
      read({ GPUAAS_DATABASE_URL: 'postgres://x', GPUAAS_PORT: '80', GPUAAS_VERBOSE: 'true', GPUAAS_NAME: 'n' }),
    ).toEqual({ databaseUrl: 'postgres://x', port: 80, verbose: true, name: 'n' });
  });

  it('takes its defaults for what is left out or empty', () => {
    expect(read({ GPUAAS_DATABASE_URL: 'postgres://x', GPUAAS_PORT: '', GPUAAS_NAME: 'n' })).toEqual({
      databaseUrl: 'postgres://x',
      port: 8443,
      verbose: false,
      name: 'n',
    });
  });

  it('tells every fault at once, with the name that the environment knows', () => {
    const faults = faultsOf({ GPUAAS_PORT: '70000', GPUAAS_REGION: 'Nord', GPUAAS_VERBOSE: 'perhaps' });
    expect(faults).toHaveLength(5);
    expect(faults.join('\n')).toMatch(/GPUAAS_DATABASE_URL is missing: Where the record is\./);
    expect(faults.join('\n')).toMatch(/GPUAAS_PORT does not accept 70000: .* The port\./);
    expect(faults.join('\n')).toMatch(/GPUAAS_REGION does not accept "Nord"/);
    expect(faults.join('\n')).toMatch(/GPUAAS_NAME is missing: a string is expected/);
    expect(() => read({})).toThrow(/^a-process cannot start:\n {2}- GPUAAS_/);
  });

  it('never repeats a secret, marked as one or not', () => {
    const faults = faultsOf({
      GPUAAS_DATABASE_URL: 'mysql://u:hunter2@h',
      GPUAAS_REGION: 'postgres://u:hunter2@h',
      GPUAAS_NAME: 'n',
    });
    expect(faults).toHaveLength(2);
    expect(faults.join()).not.toContain('hunter2');
    expect(faults[0]).toContain('(not shown)');
  });

  it('knows how fields are called outside', () => {
    expect(variable('databaseUrl')).toBe('GPUAAS_DATABASE_URL');
    expect(variable('port')).toBe('GPUAAS_PORT');
  });
});
