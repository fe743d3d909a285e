import { isIP } from 'node:net';

/**
 * The audit log is kept for ever, so it may hold ids, states, numbers and words of programs, and nothing that
 * identifies a person. A change is therefore split when it is written: every entry that could name a person goes into a
 * row that can be erased (`audit_particulars`), for every writer. The rule checks each value, not a list of writers, so
 * a new writer cannot forget it.
 */

/** Keys whose values people choose or that place them, even when the value is a single word. */
const chosenByPeople =
  /(?:^|_)(?:name|slug|reason|label|mail|email|login|username|subject|address|ip|user_agent|comment|note|description|title|message|detail)$/;
/** Ids, states, codes, digests, times: one word without spaces, without "@", in ASCII. */
const word = /^[\w.:/+=,-]*$/;

const isPlain = (value: unknown): boolean => {
  if (typeof value === 'string') return word.test(value) && isIP(value) === 0;
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value === 'object' && value !== null) return Object.entries(value).every(isPlainEntry);
  return true;
};
const isPlainEntry = ([key, value]: [string, unknown]): boolean =>
  word.test(key) && !(chosenByPeople.test(key) && value !== null) && isPlain(value);

export interface Split {
  /** What the log keeps for ever. */
  readonly kept: object;
  /** What can be erased; undefined when there is nothing of the kind. */
  readonly apart: object | undefined;
}

/** Splits a change by its entries: one that could name a person goes apart whole. */
export function setApart(change: object): Split {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined);
  const apart = entries.filter((entry) => !isPlainEntry(entry));
  if (apart.length === 0) return { kept: change, apart: undefined };
  return { kept: Object.fromEntries(entries.filter(isPlainEntry)), apart: Object.fromEntries(apart) };
}
