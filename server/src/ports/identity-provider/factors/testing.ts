import { codeOf, stepAt } from './totp.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** What an authenticator app does with the text of a secret. */
function readSecret(text: string): Buffer {
  const bits = text
    .split('')
    .map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
/** The code that an app shows at this moment. */
export const codeAt = (secret: string, ms: number): string => codeOf(readSecret(secret), stepAt(new Date(ms)));

/** A code that is none of those around this moment. */
export function wrongCodeFor(secret: string, ms: number): string {
  const around = new Set([-2, -1, 0, 1, 2].map((steps) => codeAt(secret, ms + steps * 30_000)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !around.has(code)) ?? '';
}
