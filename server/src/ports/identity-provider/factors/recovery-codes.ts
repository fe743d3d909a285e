import { base32 } from './base32.ts';

/** For people who lost what they sign in with. Each code has 80 random bits: nobody guesses it, nor finds it from its digest. */
export const codeCount = 10;
const groupLetters = 4;
/** 16 letters of five bits. */
const randomBytes = 10;

export function makeRecoveryCodes(secret: (bytes: number) => string): string[] {
  return Array.from({ length: codeCount }, () => {
    const text = base32(Buffer.from(secret(randomBytes), 'hex')).toLowerCase();
    return text.match(new RegExp(`.{${groupLetters}}`, 'g'))?.join('-') ?? text;
  });
}

/** People write a code with or without dashes, in any case, and take 0 for o and 1 for l. The code has neither 0 nor 1. */
export function readRecoveryCode(written: string): string | undefined {
  const text = written
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('0', 'o')
    .replaceAll('1', 'l');
  return /^[a-z2-7]{16}$/.test(text) ? text : undefined;
}
