/** The bytes that an answer holds. */
export type Range =
  | { readonly kind: 'whole' | 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' };

/**
 * One range of bytes, as RFC 9110 writes it. Several ranges, and what is no range, are answered with the whole: that is allowed,
 * and an answer in pieces is what nobody needs.
 */
export function readRange(header: string | undefined, size: number): Range {
  const whole: Range = { kind: 'whole', start: 0, end: Math.max(size - 1, 0) };
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return whole;
  if (first === '') {
    const length = Number(last);
    if (length === 0 || size === 0) return { kind: 'unsatisfiable' };
    return { kind: 'part', start: Math.max(size - length, 0), end: size - 1 };
  }
  const start = Number(first);
  const end = Math.min(last === '' ? size - 1 : Number(last), size - 1);
  if (last !== '' && Number(last) < start) return whole;
  return start >= size ? { kind: 'unsatisfiable' } : { kind: 'part', start, end };
}
