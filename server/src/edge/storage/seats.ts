import type { Transfer } from '../../domains/storage/index.ts';

export interface TransferSeatLimits {
  /** Parts and downloads of one project. */
  readonly perProject: number;
  /** Requests that send the same part: each may hold as many bytes as the part has until it ends. */
  readonly perPart: number;
  readonly inTotal: number;
}
export const usualTransferSeats: TransferSeatLimits = { perProject: 256, perPart: 4, inTotal: 1_024 };

/** Limits transfers that run at the same time: an address works as often as its holder likes until its time is over. */
export interface TransferSeats {
  /** Returns a function that frees the seat; undefined when there is none. */
  take(transfer: Transfer): (() => void) | undefined;
}

export function makeTransferSeats(limits: TransferSeatLimits): TransferSeats {
  const held = new Map<string, number>();
  const change = (key: string, by: number): void => {
    const next = (held.get(key) ?? 0) + by;
    if (next === 0) held.delete(key);
    else held.set(key, next);
  };
  return {
    take(transfer) {
      const wanted: (readonly [key: string, most: number])[] = [
        ['all', limits.inTotal],
        [projectOf(transfer), limits.perProject],
      ];
      if (transfer.kind === 'part') wanted.push([`${transfer.upload.blobId} ${transfer.part.number}`, limits.perPart]);
      if (wanted.some(([key, most]) => (held.get(key) ?? 0) >= most)) return undefined;
      for (const [key] of wanted) change(key, 1);
      let isHeld = true;
      return () => {
        if (isHeld) for (const [key] of wanted) change(key, -1);
        isHeld = false;
      };
    },
  };
}
const projectOf = (transfer: Transfer): string =>
  transfer.kind === 'part' ? transfer.upload.projectId : transfer.blob.projectId;
