import { minuteMs } from '../../kernel/units.ts';

/** Rates of tax are in hundredths of a per cent. */
export const basisPointsOfAll = 10_000n;
/** Added before a division that cuts, so that halves are rounded up. */
export const halfOfAll = 5_000n;
/** Documents that one round issues before it rests. */
export const atOnce = 50;
/** How often the worker looks for documents that are due, when nothing wakes it. */
export const issueEveryMs = minuteMs;
/** How often issued documents are compared with the ledger. */
export const compareEveryMs = 10 * minuteMs;
/** Numbers have this many digits, and more when they need them. */
export const digits = 6;
/** More lines than these of usage, or of entries, are summed up, so that a document stays short. */
export const maxDetailLines = 100;
/** Lines that are drawn before other work of the process gets a turn. */
export const linesInTurn = 10;
/** Length of `2026-01-31`. */
export const dayLength = 10;

/** Where things stand on a page of A4, in points, and how numbers are written there. */
export const layout = {
  margin: 50,
  title: 20,
  body: 10,
  small: 9,
  gap: 18,
  rowGap: 4,
  columnWidth: 230,
  secondColumn: 310,
  textWidth: 250,
  middle: 305,
  middleWidth: 150,
  amount: 460,
  amountWidth: 85,
  /** Rows below this go to the next page. */
  bottom: 780,
  dayMs: 86_400_000,
  msPerMilliHour: 3_600n,
  hourDigits: 3,
  microPerMinor: 1_000_000n,
  rateDigits: 6,
  basisPointsPerPercent: 100,
} as const;
/** Length of `2026-01`. */
export const monthLength = 7;
/** Where the last, random part of an id begins: enough to tell organizations apart. */
export const tailFrom = 24;
/** Where things stand in a WOFF file and in an OpenType file, in bytes. */
export const woff = {
  word: 4,
  flavorAt: 4,
  countAt: 12,
  head: 44,
  entry: 20,
  offsetAt: 4,
  sizeAt: 8,
  lengthAt: 12,
  checksumAt: 16,
  sfntHead: 12,
  sfntEntry: 16,
  sfntOffsetAt: 8,
  sfntLengthAt: 12,
} as const;
