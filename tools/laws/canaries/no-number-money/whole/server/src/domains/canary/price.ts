export interface Price {
  readonly totalMinor: bigint;
}
