import type { Bus } from '../bus/port.ts';

export type Used = Bus;
