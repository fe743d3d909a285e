import { describe, expect, it } from 'vitest';
import { base32 } from './base32.ts';
import { codeCount, makeRecoveryCodes, readRecoveryCode } from './recovery-codes.ts';
import { codeOf, findStep, otpauthUri, stepAt } from './totp.ts';

const ascii = (text: string) => Buffer.from(text, 'ascii');
const seeds = {
  sha1: ascii('12345678901234567890'),
  sha256: ascii('12345678901234567890123456789012'),
  sha512: ascii('1234567890123456789012345678901234567890123456789012345678901234'),
} as const;

describe('a time-based code', () => {
  it.each([
    [59, '94287082', '46119246', '90693936'],
    [1_111_111_109, '07081804', '68084774', '25091201'],
    [1_111_111_111, '14050471', '67062674', '99943326'],
    [1_234_567_890, '89005924', '91819424', '93441116'],
    [2_000_000_000, '69279037', '90698825', '38618901'],
    [20_000_000_000, '65353130', '77737706', '47863826'],
  ])('is what RFC 6238 says it is at %i', (seconds, sha1, sha256, sha512) => {
    const step = stepAt(new Date(seconds * 1_000));
    expect(codeOf(seeds.sha1, step, { digits: 8, algorithm: 'sha1' })).toBe(sha1);
    expect(codeOf(seeds.sha256, step, { digits: 8, algorithm: 'sha256' })).toBe(sha256);
    expect(codeOf(seeds.sha512, step, { digits: 8, algorithm: 'sha512' })).toBe(sha512);
    expect(codeOf(seeds.sha1, step)).toBe(sha1.slice(-6));
  });

  it('is taken one step early and one step late, and not two', () => {
    const now = new Date('2026-05-05T12:00:10Z');
    const step = stepAt(now);
    for (const [off, found] of [
      [-2, undefined],
      [-1, step - 1],
      [0, step],
      [1, step + 1],
      [2, undefined],
    ] as const) {
      expect(findStep(seeds.sha1, codeOf(seeds.sha1, step + off), now), `${off}`).toBe(found);
    }
  });

  it.each(['', '12345', '1234567', 'abcdef', '٠٠٠٠٠٠'])('is not %j', (text) => {
    expect(findStep(seeds.sha1, text, new Date())).toBeUndefined();
  });

  it('is described to an app by one address', () => {
    const uri = otpauthUri({ secret: seeds.sha1, issuer: 'Acme: GPUs', login: 'ada@example.com' });
    expect(uri).toBe(
      'otpauth://totp/Acme%20%20GPUs%3Aada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Acme%20%20GPUs',
    );
  });
});

describe('base32', () => {
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('writes %j as RFC 4648 does, without padding', (text, written) => {
    expect(base32(ascii(text))).toBe(written);
  });
});

describe('recovery codes', () => {
  it('are ten different ones, and read however people write them', () => {
    let seed = 0;
    const codes = makeRecoveryCodes(() => {
      seed += 1;
      return Buffer.alloc(10, seed * 17).toString('hex');
    });
    expect(codes).toHaveLength(codeCount);
    expect(new Set(codes).size).toBe(codeCount);
    for (const code of codes) {
      expect(code).toMatch(/^[a-z2-7]{4}(?:-[a-z2-7]{4}){3}$/);
      const read = readRecoveryCode(code);
      expect(read).toBe(code.replaceAll('-', ''));
      expect(readRecoveryCode(` ${code.toUpperCase().replaceAll('-', ' ')} `)).toBe(read);
      expect(readRecoveryCode(code.replaceAll('o', '0').replaceAll('l', '1'))).toBe(read);
    }
  });

  it.each(['', '123456', 'abcd-efgh-ijkl', 'abcd-efgh-ijkl-mno!', 'abcd-efgh-ijkl-mnop-qrst'])('are not %j', (text) => {
    expect(readRecoveryCode(text)).toBeUndefined();
  });
});
