import { type Clock, sleepWell } from '../clock.ts';
import type { Output } from './output.ts';

/** A program waits a while for a reader who was lost. Then it prints on, and the ring forgets the oldest output. */
export function makePatience(parts: {
  readonly clock: Clock;
  readonly holdMs: number;
  readonly signal: AbortSignal;
  readonly output: Output;
  readonly pump: () => void;
}): { releaseLater(): Promise<void> } {
  const { output } = parts;
  let losses = 0;
  return {
    async releaseLater() {
      losses += 1;
      const mine = losses;
      const isLate = await sleepWell(parts.clock, parts.holdMs, parts.signal);
      if (!isLate || mine !== losses || output.hasReader) return;
      output.release();
      parts.pump();
    },
  };
}
