export interface SlotProof {
  /** When it was put aside. */
  readonly updated_at: Date;
  readonly probed_at: Date | null;
  readonly alerted_at: Date | null;
}
export const needsProbe = (since: Date): string =>
  `Probe it first: a health probe has to pass that was asked for after ${since.toISOString()}.`;

/** Why a slot may not be cleared yet, as far as proof of its health goes. */
export function whyNoClear({ updated_at, alerted_at, probed_at }: SlotProof): string | null {
  const from = new Date(Math.max(updated_at.getTime(), alerted_at?.getTime() ?? 0));
  return probed_at && probed_at > from ? null : needsProbe(from);
}
