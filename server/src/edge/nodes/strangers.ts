import type { CallerAddress } from '../gate/caller-address.ts';

/**
 * Seats for connections without the certificate of a node. Hosts that enrol need one for a moment. Without a bound, anyone
 * who reaches the port could fill the room that the fleet needs.
 */
export interface StrangerLimits {
  readonly perAddress: number;
  readonly inTotal: number;
}
export interface Strangers {
  readonly size: number;
  /** Returns a function that frees the seat; undefined when no seat is left for this address. */
  take(address: CallerAddress): (() => void) | undefined;
}

export function makeStrangers(limits: StrangerLimits): Strangers {
  const seats = new Map<CallerAddress, number>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    take(address) {
      const held = seats.get(address) ?? 0;
      if (held >= limits.perAddress || size >= limits.inTotal) return undefined;
      seats.set(address, held + 1);
      size += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        size -= 1;
        const left = (seats.get(address) ?? 1) - 1;
        if (left === 0) seats.delete(address);
        else seats.set(address, left);
      };
    },
  };
}
