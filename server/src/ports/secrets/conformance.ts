import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Secrets } from './port.ts';

/** A source with nothing in it, and the means to fill and break it. */
export interface SecretsWorld {
  keep(name: string, value: string): Promise<void>;
  open(): Secrets;
  /** Makes what was kept unreadable; nothing where the source cannot break. */
  readonly breakDown?: () => Promise<void>;
  readonly recover?: () => Promise<void>;
  close(): Promise<void>;
}

/** What a source of secrets promises. */
export function secretsConformance(name: string, makeWorld: () => Promise<SecretsWorld>): void {
  describe(`secrets: ${name}`, () => {
    let world: SecretsWorld;
    beforeAll(async () => {
      world = await makeWorld();
    });
    afterAll(() => world?.close());

    it('gives nothing where nothing is kept', async () => {
      expect(await world.open().read()).toEqual({});
    });

    it.each([
      ['a keyring of two keys', `k2:${'A'.repeat(43)}= k1:${'B'.repeat(43)}=`],
      ['JSON', '{"kty":"EC","d":"x\\"y"}'],
      ['several lines', '-----BEGIN KEY-----\nabc\n-----END KEY-----'],
      ['words of any language', 'пароль ÄÖ 秘密'],
      ['a value of 32 KiB', 'x'.repeat(32 * 1_024)],
    ])('gives %s as it is', async (_, value) => {
      await world.keep('GPUAAS_SECRETS_KEY', value);
      expect(await world.open().read()).toEqual({ GPUAAS_SECRETS_KEY: value });
    });

    it('takes a line break at the end for nothing', async () => {
      await world.keep('GPUAAS_SECRETS_KEY', 'a value\n');
      expect(await world.open().read()).toEqual({ GPUAAS_SECRETS_KEY: 'a value' });
    });

    it('gives several, and what was changed since the last time', async () => {
      await world.keep('GPUAAS_SECRETS_KEY', 'one');
      await world.keep('GPUAAS_DATABASE_URL', 'two');
      const source = world.open();
      expect(await source.read()).toEqual({ GPUAAS_SECRETS_KEY: 'one', GPUAAS_DATABASE_URL: 'two' });
      await world.keep('GPUAAS_SECRETS_KEY', 'three');
      expect(await world.open().read()).toMatchObject({ GPUAAS_SECRETS_KEY: 'three' });
    });

    it('says what it cannot read, without a value in the sentence', async () => {
      const value = 'planted-a8f3b2c19d';
      await world.keep('GPUAAS_SECRETS_KEY', value);
      await world.breakDown?.();
      const answer = await world
        .open()
        .read()
        .catch((error: Error) => error);
      if (!world.breakDown) expect(answer).toMatchObject({ GPUAAS_SECRETS_KEY: value });
      else {
        expect(answer).toBeInstanceOf(Error);
        expect(`${String(answer)} ${(answer as Error).stack}`).not.toContain(value);
      }
      await world.recover?.();
      expect(await world.open().read()).toMatchObject({ GPUAAS_SECRETS_KEY: value });
    });
  });
}
