import type { Clock } from '../../kernel/clock.ts';

export type Used = Clock;
