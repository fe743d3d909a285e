// reported as no-float-money: a bigint of minor units
export interface Price {
  readonly totalMinor: number;
}
