/** A stream as the bus sees it: which subjects it keeps, and for how long. The contract's `streams` have this shape. */
export interface StreamPlan {
  readonly subjects: string;
  readonly maxAgeDays: number;
}
export type StreamPlans = Readonly<Record<string, StreamPlan>>;

const WORDS = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const PATTERN = /^(>|[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(\.>)?)$/;

export const isSubject = (text: string): boolean => text.length <= 255 && WORDS.test(text);
export const isPattern = (text: string): boolean => text.length <= 255 && PATTERN.test(text);

/** Whether a pattern, which may end in `>`, covers the subject. `>` stands for one word or more. */
export function covers(pattern: string, subject: string): boolean {
  if (pattern === '>') return true;
  if (!pattern.endsWith('.>')) return pattern === subject;
  return subject.startsWith(pattern.slice(0, -1)) && subject.length > pattern.length - 1;
}

/** Whether some subject is covered by both patterns. */
export function overlap(one: string, other: string): boolean {
  const a = one.split('.');
  const b = other.split('.');
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] === '>' || b[i] === '>') return true;
    if (a[i] !== b[i]) return false;
  }
  return a.length === b.length;
}
