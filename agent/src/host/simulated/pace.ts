import type { Clock } from '../../clock.ts';
import { HostFailure, type Work } from '../port.ts';

/** How fast the simulated world turns. One object may be shared by a whole fleet and changed while it runs. */
export interface Pace {
  /** 1 is as slow as the real thing; `Infinity` does not wait at all. */
  speed: number;
}

/** How long each phase takes on real hosts, in seconds. Making a slice takes 279 of them when the image has to be fetched. */
export const phaseSeconds = {
  lease: 1,
  host_check: 3,
  vfio_bind: 6,
  image: 92,
  image_cached: 4,
  seed: 2,
  address: 3,
  disk: 78,
  machine: 22,
  readiness: 72,
  user: 4,
  user_readiness: 24,
  attest: 6,
  shutdown: 14,
  destroy: 3,
  wipe: 48,
  unbind: 6,
  reimage: 420,
  reboot: 95,
  volumes: 2,
  network: 1,
  container: 3,
  keys: 1,
  look: 2,
} as const;
export type PhaseLength = keyof typeof phaseSeconds;

/** Long phases say how far they are, in so many parts. */
const parts = 4;
const longSeconds = 20;

export interface Rest {
  /** Begins a phase and waits as long as it takes. Answers how long that was on the clock. */
  phase(work: Work, name: string, length?: PhaseLength, factor?: number): Promise<number>;
  seconds(seconds: number, signal: AbortSignal): Promise<void>;
}

export function makeRest(clock: Clock, pace: Pace): Rest {
  const seconds = async (length: number, signal: AbortSignal) => {
    stopIfCalledOff(signal);
    const ms = (length * 1_000) / pace.speed;
    // A timer of less than a millisecond is none.
    if (ms >= 1) await clock.sleep(ms, signal).catch(() => stopIfCalledOff(signal));
    stopIfCalledOff(signal);
  };
  return {
    seconds,
    async phase(work, name, length = name as PhaseLength, factor = 1) {
      const began = clock.now().getTime();
      stopIfCalledOff(work.signal);
      work.phase(name, 0);
      const whole = phaseSeconds[length] * factor;
      const steps = whole >= longSeconds ? parts : 1;
      for (let step = 1; step <= steps; step += 1) {
        await seconds(whole / steps, work.signal);
        if (step < steps) work.phase(name, Math.round((100 * step) / steps));
      }
      return clock.now().getTime() - began;
    },
  };
}

/** Work that nobody wants any more ends here, with what has been done so far left in order. */
export function stopIfCalledOff(signal: AbortSignal): void {
  if (signal.aborted) throw new HostFailure('aborted', 'The work was called off.');
}
