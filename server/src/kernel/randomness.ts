import { randomFillSync } from 'node:crypto';

/**
 * Randomness for names, drawn in large pieces and handed out in small ones: asking the system a few bytes at a time
 * costs more than the bytes. Not for secrets, which should not lie in memory before they exist.
 */
const pool = Buffer.allocUnsafeSlow(8_192);
let used = pool.length;

function draw(bytes: number): number {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return used - bytes;
}

export const drawUint32 = (): number => pool.readUInt32LE(draw(4));

export function drawHex(bytes: number): string {
  const at = draw(bytes);
  return pool.toString('hex', at, at + bytes);
}
