import { type ListedMetric, metricsOf, type Query, valuesIn } from './queries.ts';

/**
 * Half an hour of every metric that the processes have, in the text of OpenMetrics: each with the labels that it is registered with, and
 * with the values that queries ask for. Counters and histograms grow; gauges stay above zero.
 */
const stepSeconds = 15;
const steps = 120;
const grownBy = 3;

/** Every choice of one value for each label. */
const choices = (labels: readonly (readonly [string, readonly string[]])[]): readonly string[] =>
  labels.reduce<readonly string[]>(
    (made, [label, values]) =>
      made.flatMap((before) => values.map((value) => `${before}${before ? ',' : ''}${label}="${value}"`)),
    [''],
  );

/** The values of a label of this metric: those that a query names, and one that none does. */
const valuesOf = (
  label: string,
  name: string,
  queries: readonly Query[],
  listed: readonly ListedMetric[],
): string[] => [
  ...new Set([
    ...queries
      .filter(({ expr }) => metricsOf(expr, listed).some((metric) => metric.name === name))
      .flatMap(({ expr }) => valuesIn(expr))
      .filter((asked) => asked.label === label)
      .map(({ value }) => value),
    'another',
  ]),
];

export function sampleOf(
  listed: readonly ListedMetric[],
  defaults: readonly string[],
  queries: readonly Query[],
  endSeconds: number,
): string {
  const lines: string[] = [];
  const put = (name: string, labels: string, growing: boolean, factor = 1) => {
    for (let step = 0; step < steps; step += 1) {
      const value = growing ? step * grownBy * factor : 1 + (step % grownBy);
      lines.push(`${name}{${labels}} ${value} ${endSeconds - (steps - 1 - step) * stepSeconds}`);
    }
  };
  for (const { name, kind, labels } of listed) {
    const all = [...labels, 'process'].map((label) => [label, valuesOf(label, name, queries, listed)] as const);
    lines.push(`# TYPE ${kind === 'counter' ? name.replace(/_total$/, '') : name} ${kind}`);
    for (const chosen of choices(all)) {
      const whole = `instance="a:1",job="gpuaas",${chosen}`;
      if (kind !== 'histogram') put(name, whole, kind === 'counter');
      else {
        put(`${name}_bucket`, `${whole},le="0.1"`, true, 1);
        put(`${name}_bucket`, `${whole},le="1.0"`, true, 2);
        put(`${name}_bucket`, `${whole},le="+Inf"`, true, 2);
        put(`${name}_count`, whole, true, 2);
        put(`${name}_sum`, whole, true, 1);
      }
    }
  }
  for (const name of defaults) {
    lines.push(`# TYPE ${name} gauge`);
    put(name, 'instance="a:1",job="gpuaas",process="api"', false);
  }
  return `${lines.join('\n')}\n# EOF\n`;
}
