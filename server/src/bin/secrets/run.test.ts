import { describe, expect, it } from 'vitest';
import { makeKey, openKeyring } from '../../kernel/secrets/keyring.ts';
import { runSecrets } from './run.ts';

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let [said, complained] = ['', ''];
  const code = runSecrets(args, env, {
    say: (text) => {
      said += text;
    },
    complain: (text) => {
      complained += text;
    },
  });
  return { code, said, complained };
}

describe('the secrets command', () => {
  it('prints a new key that a keyring takes', () => {
    const { code, said } = run(['new', 'k2']);
    expect(code).toBe(0);
    expect(openKeyring(said, 'it').ids).toEqual(['k2']);
    expect(run(['new', 'k2']).said).not.toBe(said);
  });

  it('cuts a keyring down to what a worker needs', () => {
    const text = `${makeKey('k2')} ${makeKey('k1')}`;
    const { code, said } = run(['only', 'letters'], { GPUAAS_SECRETS_KEY: text });
    expect(code).toBe(0);
    const cut = openKeyring(said, 'the mail worker');
    const sealed = openKeyring(text, 'the api').seal('letters').close('a letter', 'here');
    expect(cut.ids).toEqual(['k2', 'k1']);
    expect(cut.seal('letters').open(sealed, 'here')).toBe('a letter');
    expect(cut.find('task-signers')).toBeUndefined();
  });

  it.each([
    [[], {}, 'Makes sealing keys'],
    [['new'], {}, 'Makes sealing keys'],
    [['new', 'k1', 'k2'], {}, 'Makes sealing keys'],
    [['new', 'K2'], {}, 'cannot name a key'],
    [['only'], {}, 'Makes sealing keys'],
    [['only', 'coffee'], {}, 'Makes sealing keys'],
    [['only', 'letters'], {}, 'GPUAAS_SECRETS_KEY'],
    [['only', 'letters'], { GPUAAS_SECRETS_KEY: 'k1:short' }, 'does not hold a sealing key in place 1'],
    [
      ['only', 'letters'],
      { GPUAAS_SECRETS_KEY: openKeyring(makeKey('k1'), 'it').only('console') },
      'holds no key for letters',
    ],
  ] as const)('refuses %j and prints no key', (args, env, reason) => {
    const { code, said, complained } = run(args, env);
    expect({ code, said }).toEqual({ code: 1, said: '' });
    expect(complained).toContain(reason);
  });
});
