import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepKeyring, makeKey, openKeyring, purposes } from './keyring.ts';
import { makeSeal } from './seal.ts';

const key = (byte: number) => ({ id: `k${byte}`, key: Buffer.alloc(32, byte) });

describe('a sealed text', () => {
  it('opens with its key, in its place, unchanged, and otherwise not at all', () => {
    const seal = makeSeal([key(1)]);
    const sealed = seal.close('a secret', 'here');
    expect(seal.open(sealed, 'here')).toBe('a secret');
    expect(seal.close('a secret', 'here').equals(sealed)).toBe(false);
    expect(() => seal.open(sealed, 'there')).toThrow();
    expect(() => makeSeal([{ ...key(2), id: 'k1' }]).open(sealed, 'here')).toThrow();
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => seal.open(changed, 'here'), `byte ${at}`).toThrow();
    }
    expect(() => seal.open(sealed.subarray(0, 20), 'here')).toThrow(/not a sealed text/);
    expect(() => makeSeal([{ id: 'short', key: Buffer.alloc(16) }])).toThrow(/32 bytes/);
    expect(() => makeSeal([])).toThrow(/at least one key/);
  });

  it('names the key that sealed it, so that a new key takes over while the old one still opens', () => {
    const old = makeSeal([key(1)]);
    const sealed = old.close('a secret', 'here');
    const both = makeSeal([key(2), key(1)]);
    expect(both.open(sealed, 'here')).toBe('a secret');
    expect(both.isCurrent(sealed)).toBe(false);
    const again = both.close(both.open(sealed, 'here'), 'here');
    expect(both.isCurrent(again)).toBe(true);
    const after = makeSeal([key(2)]);
    expect(after.open(again, 'here')).toBe('a secret');
    expect(() => after.open(sealed, 'here')).toThrow('sealed with the key "k1", which is not here');
  });

  it('is found by its digest under every key', () => {
    const before = makeSeal([key(1)]).digest('id', 'value');
    const [now, earlier] = makeSeal([key(2), key(1)]).digests('id', 'value');
    expect(earlier).toEqual(before);
    expect(now).toEqual(makeSeal([key(2)]).digest('id', 'value'));
  });
});

describe('a keyring', () => {
  it('has a key of its own for each purpose', () => {
    const ring = openKeyring(makeKey('k1'), 'it');
    const sealed = purposes.map((purpose) => ring.seal(purpose).close('a secret', 'here'));
    for (const [at, purpose] of purposes.entries()) {
      for (const [other, text] of sealed.entries()) {
        const opening = () => ring.seal(purpose).open(text, 'here');
        if (at === other) expect(opening()).toBe('a secret');
        else expect(opening).toThrow();
      }
    }
  });

  it.each(['K2', '', 'k 2', 'first', 'k/letters'])('has no new key called %j', (id) => {
    expect(() => makeKey(id)).toThrow('cannot name a key');
  });

  it('can be cut down to some purposes, and the rest does not follow from them', () => {
    const whole = openKeyring(`${makeKey('k2')} ${makeKey('k1')}`, 'it');
    const cut = openKeyring(whole.only('letters'), 'the mail worker');
    expect(cut.ids).toEqual(['k2', 'k1']);
    expect(cut.seal('letters').open(whole.seal('letters').close('x', 'p'), 'p')).toBe('x');
    expect(cut.find('issuer')).toBeUndefined();
    expect(() => cut.seal('issuer')).toThrow('the mail worker holds no key for issuer.');
    expect(() => cut.seal('letters').open(whole.seal('issuer').close('x', 'p'), 'p')).toThrow();
  });

  it('opens what was sealed before keys had ids', () => {
    const old = randomBytes(32);
    const place = createHmac('sha256', old).update('seal').update('\0').update('here').digest();
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', place, iv);
    const body = Buffer.concat([cipher.update('a secret'), cipher.final()]);
    const sealed = Buffer.concat([Buffer.of(1), iv, cipher.getAuthTag(), body]);
    const ring = openKeyring(`${makeKey('k2')} ${old.toString('base64')}`, 'it');
    expect(ring.ids).toEqual(['k2', 'first']);
    expect(ring.seal('issuer').open(sealed, 'here')).toBe('a secret');
    expect(() => openKeyring(makeKey('k2'), 'it').seal('issuer').open(sealed, 'here')).toThrow(/before keys had ids/);
    const cut = openKeyring(ring.only('issuer', 'letters'), 'a worker');
    expect(cut.ids).toEqual(['k2', 'first']);
    expect(cut.seal('issuer').open(sealed, 'here')).toBe('a secret');
    const digest = createHmac('sha256', old).update('digest id').update('\0').update('v').digest();
    expect(
      ring
        .seal('issuer')
        .digests('id', 'v')
        .some((each) => each.equals(digest)),
    ).toBe(true);
  });

  it.each([
    ['', 'is empty'],
    ['k1:short', 'does not hold a sealing key in place 1'],
    [`${makeKey('k1')} nonsense`, 'in place 2'],
    [`k1/coffee:${randomBytes(32).toString('base64')}`, 'names the purpose "coffee"'],
    [`K1:${randomBytes(32).toString('base64')}`, 'does not hold a sealing key'],
  ])('refuses %j, and does not repeat it', (text, reason) => {
    const secret = text.split(':')[1] ?? 'nothing';
    let said = '';
    try {
      openKeyring(text, 'GPUAAS_SECRETS_KEY');
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toContain(`GPUAAS_SECRETS_KEY ${reason.startsWith('in place') ? 'does not hold' : ''}`.trim());
    expect(said).toContain(reason);
    expect(said).not.toContain(secret);
  });
});

describe('the keyring of a data folder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-keyring-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is made once, for its owner alone, and refused when others can read it', async () => {
    const path = join(folder, 'secrets.key');
    const [first, second] = [await keepKeyring(path), await keepKeyring(path)];
    expect(second).toBe(first);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await chmod(path, 0o644);
    await expect(keepKeyring(path)).rejects.toThrow(/can be read by others/);
    await chmod(path, 0o600);
    await writeFile(path, 'too short');
    await expect(keepKeyring(path)).rejects.toThrow(/32 bytes in base64/);
    await expect(keepKeyring(join(path, 'nowhere'))).rejects.toThrow(/ENOTDIR/);
  });
});
