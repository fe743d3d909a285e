/**
 * How far generations of leases jump after a restore. A slot is reserved a few times an hour at most, so a backup would have to be
 * a century old before its nodes had seen a higher one.
 */
export const generationsSkipped = 1_000_000;
