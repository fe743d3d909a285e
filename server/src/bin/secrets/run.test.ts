import { describe, expect, it } from 'vitest';
import { makeKey, openKeyring } from '../../kernel/secrets/keyring.ts';
import { runSecrets } from './run.ts';

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let [said, complained] = ['', ''];
  const code = await runSecrets(args, env, {
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
  it('prints a new key that a keyring takes', async () => {
    const { code, said } = await run(['new', 'k2']);
    expect(code).toBe(0);
    expect(openKeyring(said, 'it').ids).toEqual(['k2']);
    expect((await run(['new', 'k2'])).said).not.toBe(said);
  });

  it('cuts a keyring down to what a worker needs', async () => {
    const text = `${makeKey('k2')} ${makeKey('k1')}`;
    const { code, said } = await run(['only', 'letters'], { GPUAAS_SECRETS_KEY: text });
    expect(code).toBe(0);
    const cut = openKeyring(said, 'the mail worker');
    const sealed = openKeyring(text, 'the api').seal('letters').close('a letter', 'here');
    expect(cut.ids).toEqual(['k2', 'k1']);
    expect(cut.seal('letters').open(sealed, 'here')).toBe('a letter');
    expect(cut.find('task-signers')).toBeUndefined();
  });

  it('adds a key behind the others, puts it in front, and takes one out', async () => {
    const before = makeKey('k1');
    const added = (await run(['add', 'k2'], { GPUAAS_SECRETS_KEY: before })).said;
    expect(openKeyring(added, 'it').ids).toEqual(['k1', 'k2']);
    const promoted = (await run(['promote', 'k2'], { GPUAAS_SECRETS_KEY: added })).said;
    expect(openKeyring(promoted, 'it').ids).toEqual(['k2', 'k1']);
    const sealed = openKeyring(before, 'it').seal('issuer').close('x', 'here');
    expect(openKeyring(promoted, 'it').seal('issuer').open(sealed, 'here')).toBe('x');
    const dropped = (await run(['drop', 'k1'], { GPUAAS_SECRETS_KEY: promoted })).said;
    expect(openKeyring(dropped, 'it').ids).toEqual(['k2']);
    expect(() => openKeyring(dropped, 'it').seal('issuer').open(sealed, 'here')).toThrow('"k1"');
  });

  it.each([
    [['add', 'k1'], { GPUAAS_SECRETS_KEY: makeKey('k1') }, 'has a key "k1" already'],
    [['promote', 'k2'], { GPUAAS_SECRETS_KEY: makeKey('k1') }, 'has no key "k2"; it has k1'],
    [['drop', 'k1'], { GPUAAS_SECRETS_KEY: makeKey('k1') }, 'promote another one first'],
    [['status'], {}, 'GPUAAS_DATABASE_URL'],
    [['reseal', 'now'], {}, 'Makes, replaces and cuts sealing keys'],
    [[], {}, 'Makes, replaces and cuts sealing keys'],
    [['new'], {}, 'Makes, replaces and cuts sealing keys'],
    [['new', 'k1', 'k2'], {}, 'Makes, replaces and cuts sealing keys'],
    [['new', 'K2'], {}, 'cannot name a key'],
    [['only'], {}, 'Makes, replaces and cuts sealing keys'],
    [['only', 'coffee'], {}, 'Makes, replaces and cuts sealing keys'],
    [['only', 'letters'], {}, 'GPUAAS_SECRETS_KEY'],
    [['only', 'letters'], { GPUAAS_SECRETS_KEY: 'k1:short' }, 'does not hold a sealing key in place 1'],
    [
      ['only', 'letters'],
      { GPUAAS_SECRETS_KEY: openKeyring(makeKey('k1'), 'it').only('console') },
      'holds no key for letters',
    ],
  ] as const)('refuses %j and prints no key', async (args, env, reason) => {
    const { code, said, complained } = await run(args, env);
    expect({ code, said }).toEqual({ code: 1, said: '' });
    expect(complained).toContain(reason);
  });
});
