/**
 * What a month of rentals must have cost, by whole numbers alone. This file imports nothing: it knows the rules of the guide and no
 * line of the code that charges.
 */
export interface SeenRecord {
  readonly fromMs: number;
  readonly toMs: number;
  /** GPUs of the allocation that the host saw. */
  readonly gpus: number;
}
export interface RentedLife {
  readonly pricePerHour: bigint;
  readonly gpus: number;
  readonly attestedMs: number;
  /** When its release was accepted; undefined when its host fell silent for good. */
  readonly releasedMs: number | undefined;
  /** What the host signed and the server took. */
  readonly records: readonly SeenRecord[];
}
export interface MoneyMoved {
  readonly paid: bigint;
  readonly refunded: bigint;
  readonly granted: bigint;
}

const hourMs = 3_600_000n;

/** The time of a record that counts, in GPU milliseconds. */
function countedMs(life: RentedLife, { fromMs, toMs, gpus }: SeenRecord): bigint {
  const from = Math.max(fromMs, life.attestedMs);
  const to = life.releasedMs === undefined ? toMs : Math.min(toMs, life.releasedMs);
  return to > from ? BigInt(to - from) * BigInt(Math.min(gpus, life.gpus)) : 0n;
}
export const quantityOf = (life: RentedLife): bigint =>
  life.records.reduce((sum, record) => sum + countedMs(life, record), 0n);
/** Rounded once, half up, over the whole life. */
export const costOf = (life: RentedLife): bigint =>
  (quantityOf(life) * life.pricePerHour * 2n + hourMs) / (hourMs * 2n);
export const balanceOf = (lives: readonly RentedLife[], moved: MoneyMoved): bigint =>
  moved.paid + moved.granted - moved.refunded - lives.reduce((sum, life) => sum + costOf(life), 0n);

/** The parts of [from, to) that lie in a record that counts: a window has exactly these. */
export function quantityWithin(life: RentedLife, fromMs: number, toMs: number): bigint {
  return life.records.reduce((sum, record) => {
    const [from, to] = [Math.max(record.fromMs, fromMs), Math.min(record.toMs, toMs)];
    return to > from ? sum + countedMs(life, { ...record, fromMs: from, toMs: to }) : sum;
  }, 0n);
}
