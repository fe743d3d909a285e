import { createHmac, timingSafeEqual } from 'node:crypto';
import { base32 } from './base32.ts';

/**
 * Time-based one-time passwords (RFC 6238) as every authenticator app knows them: SHA-1, six digits, 30 seconds. Other
 * values are in the standard, and several apps ignore them and show wrong codes.
 */
const stepSeconds = 30;
const digits = 6;
export const codeShape = /^[0-9]{6}$/;
export const secretBytes = 20;
/** A phone's clock may be a step ahead or behind, and typing takes time. */
const skewSteps = 1;

export const stepAt = (now: Date): number => Math.floor(now.getTime() / 1_000 / stepSeconds);

/** RFC 4226, section 5.3. */
export function codeOf(
  secret: Uint8Array,
  step: number,
  options: { readonly digits?: number; readonly algorithm?: 'sha1' | 'sha256' | 'sha512' } = {},
): string {
  const { digits: length = digits, algorithm = 'sha1' } = options;
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac(algorithm, secret).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 10 ** length).padStart(length, '0');
}

/** The step whose code this is, around now; undefined when it is the code of none. All are compared, in equal time. */
export function findStep(secret: Uint8Array, code: string, now: Date): number | undefined {
  if (!codeShape.test(code)) return undefined;
  const given = Buffer.from(code);
  const current = stepAt(now);
  const around = Array.from({ length: 2 * skewSteps + 1 }, (_, index) => current - skewSteps + index);
  return around.filter((step) => timingSafeEqual(Buffer.from(codeOf(secret, step)), given)).at(-1);
}

/** What an authenticator app reads from the picture. */
export function otpauthUri(about: {
  readonly secret: Uint8Array;
  readonly issuer: string;
  readonly login: string;
}): string {
  const [issuer, login] = [about.issuer.replaceAll(':', ' '), about.login];
  const uri = new URL(`otpauth://totp/${encodeURIComponent(`${issuer}:${login}`)}`);
  uri.search = `secret=${base32(about.secret)}&issuer=${encodeURIComponent(issuer)}`;
  return uri.href;
}
