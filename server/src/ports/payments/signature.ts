import { createHmac, timingSafeEqual } from 'node:crypto';

/** How far the time in a signature may be from ours, in either direction. */
export const toleranceSeconds = 300;

const hmac = (secret: string, timestamp: number, body: Buffer): Buffer =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();

/** The header that goes with a webhook: when it was signed, and the signature over that time and the bytes. */
export const signBody = (secret: string, body: Buffer, at: Date): string => {
  const timestamp = Math.floor(at.getTime() / 1_000);
  return `t=${timestamp},v1=${hmac(secret, timestamp, body).toString('hex')}`;
};

/** The time that a header names; nothing when it names none, or more than one. */
export function signedAt(header: string): number | undefined {
  const times = header.split(',').filter((part) => part.startsWith('t='));
  const [time = ''] = times;
  return times.length === 1 && /^t=[0-9]{1,12}$/.test(time) ? Number(time.slice('t='.length)) : undefined;
}

/** Whether the time that was signed is close to ours. */
export const isTimely = (timestamp: number, now: Date): boolean =>
  Math.abs(now.getTime() / 1_000 - timestamp) <= toleranceSeconds;

/** Compares in constant time. While secrets are rotated a header carries several signatures, of which one has to fit. */
export function isSigned(secret: string, body: Buffer, header: string, now: Date): boolean {
  const timestamp = signedAt(header);
  if (timestamp === undefined || !isTimely(timestamp, now)) return false;
  const expected = hmac(secret, timestamp, body);
  return header
    .split(',')
    .filter((part) => /^v1=[0-9a-f]{64}$/.test(part))
    .some((part) => timingSafeEqual(Buffer.from(part.slice('v1='.length), 'hex'), expected));
}
