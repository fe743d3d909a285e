import { randomBytes } from 'node:crypto';
import { V7Generator } from 'uuidv7';
import type { Clock } from './clock.ts';
import { drawUint32 } from './randomness.ts';

/** Ids for new objects, and secrets. A parameter, so that a test can foresee them. */
export interface Ids {
  /** A UUIDv7: unique, and sorted by birth. */
  next(): string;
  /** `bytes` of the operating system's randomness, as hex. */
  secret(bytes: number): string;
}

const systemGenerator = new V7Generator({ nextUint32: drawUint32 });

export const systemIds: Ids = {
  next: () => systemGenerator.generate().toString(),
  secret: (bytes) => randomBytes(bytes).toString('hex'),
};

/** Ids whose timestamps follow the given clock. */
export function clockIds(clock: Clock): Ids {
  const generator = new V7Generator();
  return {
    next: () => generator.generateOrResetCore(clock.now().getTime(), 10_000).toString(),
    secret: systemIds.secret,
  };
}
