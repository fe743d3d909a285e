/** Semantic versions in their order: 1.2.0-rc.1, 1.2.0, 1.10.0. Negative when the first is older. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.early.length === 0 || b.early.length === 0) return b.early.length - a.early.length;
  return compareEarly(a.early, b.early);
}
const partsOf = (version: string) => {
  const at = version.indexOf('-');
  const [numbers, early] = at < 0 ? [version, ''] : [version.slice(0, at), version.slice(at + 1)];
  return { numbers: numbers.split('.').map(Number), early: early === '' ? [] : early.split('.') };
};
/** Numbers before words, each as what it is; who has more parts is newer when the rest is equal. */
function compareEarly(a: readonly string[], b: readonly string[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (one === other) continue;
    const [first, second] = [/^[0-9]+$/.test(one), /^[0-9]+$/.test(other)];
    if (first !== second) return first ? -1 : 1;
    if (first) return Number(one) - Number(other);
    return one < other ? -1 : 1;
  }
  return a.length - b.length;
}
