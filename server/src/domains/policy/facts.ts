import { minuteMs } from '../../kernel/units.ts';

/** A change that nobody announced is seen after this long at the latest. */
export const lookAgainMs = minuteMs;
